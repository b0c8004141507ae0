"""Kernels whose compiler is loaded when the first of them is called.

Numba takes an interpreter as long to load as NumPy and Polars together. A command that happens to
import a kernel, and does not call any, does without.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any

Function = Callable[..., Any]
_MAKING = RLock()  # a kernel that is made may ask for those that it calls


class Compilations:
    """How many kernels this process has compiled, and who is told of the first."""

    count = 0
    first: Callable[[], None] | None = None

    @classmethod
    def began(cls) -> None:
        """A kernel is about to be compiled."""
        cls.count += 1
        if cls.count == 1 and cls.first is not None:
            cls.first()


class LazyKernel:
    """A function that becomes a kernel of numba when it is called, or when a kernel calls it."""

    def __init__(self, function: Function, make: Callable[[Function], Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._make = make
        self._made: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._made or self.compiled)(*arguments)

    @property
    def compiled(self) -> Any:
        """What numba makes of the function."""
        with _MAKING:
            if self._made is None:
                self._made = self._make(self.py_func)
            return self._made

    @property
    def _numba_type_(self) -> Any:
        """How numba sees it where a kernel names it."""
        return self.compiled._numba_type_
