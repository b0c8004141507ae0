"""Ordering: coded ratings in pieces become rows of users, sorted by item, on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.sorting import count_codes, into_rows, sort_rows

_WORKERS = min(4, os.cpu_count() or 1)
_RANGE = 1 << 24  # ratings that a thread has in its hands; each range reads all user codes again
_FEW = 1 << 16  # too few to share among threads
_NO_TIMES = np.empty(0, np.int64)
T = TypeVar("T", np.int64, np.int32)


class Piece(NamedTuple):
    """Some ratings in codes, in the order of the file."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    times: NDArray[np.int64] | None


class Rows(NamedTuple):
    """Ratings in rows of users, sorted by item; ``repeats`` of them repeat the one before."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    times: NDArray[np.int64] | None
    repeats: int


def into_order(
    pieces: Sequence[Piece], user_rank: NDArray[np.int32], item_rank: NDArray[np.int32]
) -> Rows:
    """Sort by rank of user, then item; equal pairs keep their order."""
    offsets = _offsets(pieces, user_rank)
    total, highest = int(offsets[-1]), max(0, len(item_rank) - 1)
    timed = any(piece.times is not None for piece in pieces)
    items, values = np.empty(total, np.int32), np.empty(total, np.float32)
    times = np.empty(total, np.int64) if timed else _NO_TIMES
    place = offsets[:-1].copy()

    def arrange(first: int, last: int) -> int:
        base = offsets[first]
        cells = np.empty((offsets[last] - base, 1 + timed), np.int64)
        for users, rated, given, moments in pieces:
            value_bits = frozen(given.view(np.int32))
            seconds = frozen(_NO_TIMES if moments is None else moments)
            into_rows(
                users,
                rated,
                value_bits,
                seconds,
                user_rank,
                item_rank,
                first,
                last,
                place,
                base,
                cells,
            )
        return sort_rows(offsets, first, last, cells, highest, items, values.view(np.int32), times)

    repeats = sum(_over_ranges(arrange, offsets))
    return Rows(offsets, items, values, times if timed else None, repeats)


def frozen(array: NDArray[T]) -> NDArray[T]:
    """A view that cannot be written to: kernels are then compiled for this kind alone."""
    view = array.view()
    view.setflags(write=False)
    return view


def _offsets(pieces: Sequence[Piece], user_rank: NDArray[np.int32]) -> NDArray[np.int64]:
    offsets = np.zeros(len(user_rank) + 1, np.int64)
    for piece in pieces:
        count_codes(piece.users, user_rank, offsets[1:])
    np.cumsum(offsets, out=offsets)
    return offsets


def _over_ranges(work: Callable[[int, int], int], offsets: NDArray[np.int64]) -> list[int]:
    """Run ``work`` on ranges of users with about as many ratings each."""
    total = int(offsets[-1])
    count = _WORKERS * -(-total // (_WORKERS * _RANGE)) if total > _FEW else 1
    bounds = np.searchsorted(offsets, np.linspace(0, total, count + 1)[1:-1]).tolist()
    edges = [0, *bounds, len(offsets) - 1]
    with ThreadPoolExecutor(_WORKERS) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))
