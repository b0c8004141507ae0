"""Compiled inner loops on plain arrays; each has a readable twin in the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from recloak.core.kernels._lazy import Compilations, LazyKernel

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first call and keep the machine code on disk for the next process."""
    return cast(F, LazyKernel(function, _made_for_python))


def inner_kernel(function: F) -> F:
    """A kernel that kernels alone can call: it is compiled into them, and kept with them."""
    return cast(F, LazyKernel(function, _made_for_kernels))


def compilations() -> int:
    """How many kernels this process had to compile, since nothing fitting was kept."""
    return Compilations.count


def tell_of_first_compilation(tell: Callable[[], None]) -> None:
    """Call ``tell`` once, when this process first has to compile a kernel."""
    Compilations.first = staticmethod(tell)


def _made_for_python(function: Callable[..., Any]) -> Any:
    from recloak.core.kernels._making import made_for_python

    return made_for_python(function)


def _made_for_kernels(function: Callable[..., Any]) -> Any:
    from recloak.core.kernels._making import made_for_kernels

    return made_for_kernels(function)
