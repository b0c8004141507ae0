"""The allocator of the C library: what it keeps of freed memory is given back after each attack."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def give_back_memory() -> None:
    """Let the system have what is free between arrays that stay, where the C library can do it."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """What glibc calls so; None elsewhere, where allocators see to it themselves."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
