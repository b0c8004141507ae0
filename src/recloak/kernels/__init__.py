"""Compiled inner loops on plain arrays; each has a readable twin in the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first call and keep the machine code on disk for the next process."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def inner_kernel(function: F) -> F:
    """A kernel that kernels alone can call: nothing is compiled for calls from Python."""
    options: dict[str, Any] = {"no_cpython_wrapper": True}  # not among numba's declared types
    return cast(F, numba.njit(cache=True, nogil=True, **options)(function))
