"""JSON that somebody else wrote: parsed only as deep as anything that recloak writes could be."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 32  # levels; what recloak writes has less than ten


def parse_json(text: str | bytes) -> Any:
    """The content of a JSON text.

    Raises `ValueError` if it is not valid JSON, or is nested so deep that whoever walks through it
    would run out of stack.
    """
    try:
        content = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    level = _containers([content])
    for _ in range(DEEPEST):
        if not level:
            return content
        level = [
            inner
            for outer in level
            for inner in _containers(outer.values() if isinstance(outer, dict) else outer)
        ]
    raise _too_deep()


def _containers(values: Any) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list)]


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {DEEPEST} levels deep")
