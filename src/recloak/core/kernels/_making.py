"""What a kernel becomes once it is called: numba's dispatcher with our compiler and cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recloak.core.kernels._cache import KernelCache
from recloak.core.kernels._compiler import compiled

Function = Callable[..., Any]


def made_for_python(function: Function) -> Any:
    """A kernel that Python calls; its machine code is kept on disk."""
    made = compiled(function, for_python=True)
    made._cache = KernelCache(function)  # where `cache=True` puts numba's own
    return made


def made_for_kernels(function: Function) -> Any:
    """A kernel that kernels alone call; it is kept with them."""
    return compiled(function, for_python=False)
