"""BLAS: how many threads of its own it may start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, ClassVar

from threadpoolctl import threadpool_limits


class _Limit:
    """Holds for the whole process: the first who asks sets it, the last who leaves ends it."""

    lock: ClassVar[Lock] = Lock()
    asking: ClassVar[int] = 0
    held: ClassVar[Any] = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """While the block runs, products of matrices start no threads.

    Threads of BLAS wait for each other by turning in circles. Where cores are taken by other work,
    the eigenvectors of a small matrix then take two hundred times as long.
    """
    with _Limit.lock:
        if _Limit.asking == 0:
            _Limit.held = threadpool_limits(limits=1, user_api="blas")
        _Limit.asking += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.asking -= 1
            if _Limit.asking == 0:
                _Limit.held.restore_original_limits()
