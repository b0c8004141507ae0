"""Comparing: where two records differ, in words; numbers may differ by one in 100,000."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

TOLERANCE = 1e-5
_DECIMAL = re.compile(r"(?<![\w.])(-?\d+\.\d+)(?![\w.])")


def differences(before: Any, now: Any, where: str = "") -> Iterator[str]:
    """A line for each difference between what was recorded and what is made now."""
    if isinstance(before, dict) and isinstance(now, dict):
        yield from _of_mappings(before, now, where)
    elif isinstance(before, list) and isinstance(now, list):
        yield from _of_lists(before, now, where)
    elif not same(before, now):
        yield f"{where}:\n    was {before!r}\n    is  {now!r}"


def same(before: Any, now: Any) -> bool:
    """Are two plain values equal, but for the last digits of numbers?"""
    if isinstance(before, str) and isinstance(now, str):
        return before == now or _same_but_digits(before, now)
    if isinstance(before, float) or isinstance(now, float):
        numbers = all(isinstance(one, int | float) for one in (before, now))
        return numbers and math.isclose(before, now, rel_tol=TOLERANCE, abs_tol=1e-9)
    return type(before) is type(now) and bool(before == now)


def _same_but_digits(before: str, now: str) -> bool:
    left, right = _DECIMAL.split(before), _DECIMAL.split(now)
    if len(left) != len(right) or left[::2] != right[::2]:
        return False
    pairs = zip(left[1::2], right[1::2], strict=True)
    return all(same(float(one), float(other)) for one, other in pairs)


def _of_mappings(before: dict[str, Any], now: dict[str, Any], where: str) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        place = f"{where}/{name}" if where else name
        if name not in now:
            yield f"{place}: is gone"
        elif name not in before:
            yield f"{place}: is new"
        else:
            yield from differences(before[name], now[name], place)


def _of_lists(before: list[Any], now: list[Any], where: str) -> Iterator[str]:
    if len(before) != len(now):
        yield f"{where}: had {len(before)} entries, has {len(now)}"
    for number, (one, other) in enumerate(zip(before, now, strict=False)):
        yield from differences(one, other, f"{where}[{number}]")
