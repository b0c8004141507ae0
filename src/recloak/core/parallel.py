"""Threads: the same function on block after block, on all cores, with one result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import TypeVar

import numpy as np

from recloak.core.arrays import Integers, Offsets
from recloak.core.progress import Task

T = TypeVar("T")
_most: ContextVar[int | None] = ContextVar("most threads", default=None)


def thread_count() -> int:
    """How many threads may run side by side: one for each core, unless fewer are allowed here."""
    return _most.get() or os.cpu_count() or 1


@contextmanager
def at_most_threads(count: int) -> Iterator[None]:
    """Allow so many: where several processes share the cores, each takes its own only."""
    before = _most.set(count)
    try:
        yield
    finally:
        _most.reset(before)


def in_threads(work: Callable[..., T], blocks: Iterable[tuple[int, int]], task: Task) -> list[T]:
    """``work(start, end)`` of each block, in their order; kernels run side by side.

    Each block counts as a step of ``task``, and whoever stops it stops what has not begun.
    """
    with ThreadPoolExecutor(thread_count()) as pool:
        running = [pool.submit(work, start, end) for start, end in blocks]
        results = []
        try:
            for block in running:
                results.append(block.result())
                task.advance()
        finally:
            pool.shutdown(cancel_futures=True)
        return results


def row_blocks(offsets: Offsets, ratings: int) -> list[tuple[int, int]]:
    """Ranges of rows that hold about so many ratings each."""
    rows, total = len(offsets) - 1, int(offsets[-1])
    count = max(1, -(-total // ratings))
    inner = np.searchsorted(offsets, np.linspace(0, total, count + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], inner, [rows]])).tolist()
    return [(edges[at], edges[at + 1]) for at in range(len(edges) - 1)]


def work_blocks(work: Integers, most: int) -> list[tuple[int, int]]:
    """Ranges of what takes ``work`` each, of about ``most`` together."""
    number = np.cumsum(work) // most
    return list(pairwise([0, *(np.flatnonzero(np.diff(number, append=-1)) + 1).tolist()]))
