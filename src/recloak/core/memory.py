"""Memory: refuse early, with an estimate, what this machine could not hold."""

from __future__ import annotations

import gc
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from recloak.core.errors import MachineError, ParameterError

LIMIT = "RECLOAK_MEMORY_GB"
_GIGABYTE = 2**30
_UNITS = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": _GIGABYTE, "TB": 2**40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?B)?", re.IGNORECASE)
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


_limit: ContextVar[float | None] = ContextVar("limit", default=None)


@contextmanager
def limited_memory(size: float | None) -> Iterator[None]:
    """Let no more than ``size`` bytes count as free within; None changes nothing."""
    before = _limit.set(size if size is not None else _limit.get())
    try:
        yield
    finally:
        _limit.reset(before)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Do not look for cycles of objects within: where millions are made, that takes a fifth of all.

    What is not in a cycle goes as always.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def parse_size(text: str) -> float:
    """Bytes that a text such as 4GB or 500MB stands for; `ParameterError` if it is none."""
    found = _SIZE.fullmatch(text.strip())
    size = float(found[1]) * _UNITS[(found[2] or "").upper()] if found else 0.0
    if size <= 0:
        raise ParameterError(
            f"'{text}' is not an amount of memory", where="--memory", hint="Write 4GB or 500MB."
        )
    return size


def needed_text(size: float) -> str:
    """Bytes as a message says them, rounded up: nothing is said to fit that does not."""
    return _as_text(size, math.ceil)


def free_text(size: float) -> str:
    """The same, rounded down."""
    return _as_text(size, math.floor)


def _as_text(size: float, rounded: Callable[[float], int]) -> str:
    if size < _GIGABYTE:
        return f"{rounded(size / _UNITS['MB']):,} MB"
    return f"{rounded(10 * size / _GIGABYTE) / 10:,.1f} GB"


def require_memory(size: float, what: str) -> None:
    """Raise `MachineError` if ``size`` bytes are more than are free: ``what`` would be killed."""
    free = available()
    if size <= free:
        return
    raise MachineError(
        f"{what} needs about {needed_text(size)} of memory; {free_text(free)} are free",
        hint=f"Use fewer ratings or a larger machine; {LIMIT}=N overrides what counts as free.",
    )


def available() -> float:
    """Bytes that may be used: what the user says, else what system and container leave free."""
    if (size := _limit.get()) is not None:
        return size
    setting = os.environ.get(LIMIT)
    if setting:
        try:
            given = float(setting)
        except ValueError:
            given = -1.0
        if not given > 0:
            raise ParameterError(f"'{setting}' is not a number of gigabytes", where=LIMIT)
        return given * _GIGABYTE
    return min(_free_in_system(), _free_in_container())


def _free_in_system() -> float:
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        return float(line.split()[1]) * 1024
    except (OSError, StopIteration, ValueError):
        return _physical()


def _free_in_container() -> float:
    """What a control group still allows; endless outside of one."""
    try:
        limit = (_CGROUP / "memory.max").read_text(encoding="ascii").strip()
        used = (_CGROUP / "memory.current").read_text(encoding="ascii").strip()
        return float("inf") if limit == "max" else float(limit) - float(used)
    except (OSError, ValueError):
        return float("inf")


def _physical() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
