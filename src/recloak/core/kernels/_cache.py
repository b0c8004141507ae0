"""Machine code on disk that is never stale: its stamp covers all that a kernel is made of.

Numba compiles what a kernel calls into the kernel, but compares only the kernel's own file with
what was kept. Here the stamp is a digest of the code and the source of the kernel and of every
kernel that it reaches, with the values of the constants that they name. It is taken when a kernel
is first called: only then are all modules loaded, and a process pays for what it uses alone.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.caching import FunctionCache, NullCache
from numba.core.runtime.nrt import rtsys

from recloak.core.kernels._lazy import Compilations, LazyKernel

Function = Callable[..., Any]
REACHED_FOR = ("_guard_against_spurious_io_errors", "_load_overload")
_CONSTANTS = (bool, int, float, complex, str, bytes, tuple, np.generic, np.dtype, type(None))


class KernelCache:
    """What numba asks of a function's cache, handed on to its own, with another stamp."""

    def __init__(self, function: Function) -> None:
        self._function = function

    @cached_property
    def _kept(self) -> Any:
        try:
            kept = FunctionCache(self._function)  # type: ignore[no-untyped-call]
        except RuntimeError:  # no folder can be written to: compile in every process
            return NullCache()
        kept._cache_file._source_stamp = stamp_of(self._function)
        return kept

    @property
    def cache_path(self) -> Any:
        """The folder in which machine code is kept."""
        return self._kept.cache_path

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The machine code for a signature; None if none is kept, or only what is stale."""
        try:
            kept = _load(self._kept, signature, target_context)
        except Exception:  # it names a class that is gone: whatever cannot be read is stale
            self.flush()
            kept = None
        if kept is None:
            Compilations.began()
        return kept

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the machine code for a signature."""
        self._kept.save_overload(signature, compiled)

    def flush(self) -> None:
        """Forget what is kept of this kernel."""
        self._kept.flush()


def _load(kept: Any, signature: Any, target_context: Any) -> Any:
    """The machine code that is kept for a signature.

    Numba makes itself ready to compile first, which takes it a fifth of a second. What is kept
    needs no more than the functions that count references.
    """
    if not all(hasattr(kept, name) for name in REACHED_FOR):
        return kept.load_overload(signature, target_context)
    rtsys.initialize(target_context)
    with kept._guard_against_spurious_io_errors():
        return kept._load_overload(signature, target_context)


def stamp_of(function: Function) -> bytes:
    """A digest of a kernel and of all that is compiled into it."""
    parts: dict[str, bytes] = {}
    ahead = [function]
    while ahead:
        one = ahead.pop()
        name = f"{one.__module__}.{one.__qualname__}"
        if name in parts:
            continue
        parts[name] = b"".join([_source_of(one.__module__), *_code(one.__code__)])
        for used, value in _named_in(one):
            if isinstance(value, LazyKernel):
                ahead.append(value.py_func)
            else:
                parts[f"{name}: {used}"] = _content(value, one.__module__)
    digest = hashlib.sha256()
    for name in sorted(parts):
        digest.update(f"{name} {len(parts[name])} ".encode() + parts[name])
    return digest.digest()


@cache
def _source_of(module: str) -> bytes:
    """A digest of a module's source; empty if there is none, as at a prompt."""
    loaded = sys.modules.get(module)
    path, loader = getattr(loaded, "__file__", None), getattr(loaded, "__loader__", None)
    try:
        content = loader.get_data(path) if path and loader else b""
    except (AttributeError, OSError):
        content = b""
    return hashlib.sha256(content).digest()


def _code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _code(value)
        else:
            yield repr(value).encode()


def _names(code: CodeType) -> set[str]:
    inner = [_names(value) for value in code.co_consts if isinstance(value, CodeType)]
    return set(code.co_names).union(*inner)


def _named_in(function: Function) -> Iterator[tuple[str, Any]]:
    """What a function names outside of itself, also by way of a module of its own package."""
    names, known = _names(function.__code__), function.__globals__
    for cell_name, cell in zip(
        function.__code__.co_freevars, function.__closure__ or (), strict=True
    ):
        yield cell_name, cell.cell_contents
    for name in names & known.keys():
        value = known[name]
        if not isinstance(value, ModuleType):
            yield name, value
        elif _same_package(value.__name__, function.__module__):
            yield from (
                (f"{name}.{each}", vars(value)[each]) for each in names & vars(value).keys()
            )


def _content(value: Any, module: str) -> bytes:
    """A constant's value, or the source of what is defined in the same package."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} ".encode() + value.tobytes()
    if isinstance(value, _CONSTANTS):
        return repr(value).encode()
    defined = str(getattr(value, "__module__", ""))
    return _source_of(defined) if _same_package(defined, module) else b""


def _same_package(one: str, two: str) -> bool:
    return one.partition(".")[0] == two.partition(".")[0]
