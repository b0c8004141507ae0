"""Compiled inner loops on plain arrays; each has a readable twin in the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from recloak.core.kernels._lazy import Compilations, LazyKernel

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first call and keep the machine code on disk for the next process."""
    return cast(F, LazyKernel(function, for_python=True))


def inner_kernel(function: F) -> F:
    """A kernel that kernels alone can call: it is compiled into them, and kept with them."""
    return cast(F, LazyKernel(function, for_python=False))


def compilations() -> int:
    """How many kernels this process had to compile, since nothing fitting was kept."""
    return Compilations.count


def tell_of_first_compilation(tell: Callable[[], None]) -> None:
    """Call ``tell`` once, when this process first has to compile a kernel."""
    Compilations.first = staticmethod(tell)
