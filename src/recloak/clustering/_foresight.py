"""Foresight: which records will found the next groups, and their lists, made side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.clustering._centre_kernels import Front, measure_front
from recloak.clustering._list_kernels import (
    Lists,
    Tiles,
    assign_slots,
    likely_opposites,
    list_from_cells,
    list_from_tiles,
)
from recloak.clustering._points import Points
from recloak.clustering._record_kernels import FreeRecords
from recloak.core.arrays import Floats, Integers, Values
from recloak.core.parallel import in_threads, thread_count
from recloak.core.progress import SILENT

PIVOTS = 64  # that are foreseen at a time
FRONT = 512  # records of whom one is the farthest from the centre, for a while
SPARE, SPARE_SPARSE = 20, 120  # in a list, for those who are taken before it is used
MOST_LISTED = 64  # k from which on groups are so few that each may look at all records
FEWEST_FREE, FEWEST_FREE_SPARSE = 1000, 200  # below this a look at all records costs nothing
RECORDS_PER_TILE = 512
FULLNESS = 0.75  # of the tiles, below which they are made anew
SLOTS_PER_TASK = 16  # of sparse records: their cells then fit into the cache


def empty_lists(n_records: int, slots: int = 0, room: int = 1) -> Lists:
    """No lists yet, and room for so many."""
    return Lists(
        slot=np.full(n_records, -1),
        owner=np.full(slots, -1),
        near=np.full((slots, room), -1, np.int32),
        near_bounds=np.zeros((slots, room)),
        far=np.full((slots, room), -1, np.int32),
        far_bounds=np.zeros((slots, room)),
        next_slot=np.zeros(1, np.int64),
    )


def front_of(free: FreeRecords, count: int) -> Front:
    """Those of the free records that may be farthest from the centre, farthest first."""
    reach = free.reach[: free.n_free[0]]
    if len(reach) <= count:
        return Front(free.ids[: len(reach)].copy(), np.array([-np.inf]))
    order = np.argpartition(-reach, count)
    level = float(reach[order[count:]].max())
    return Front(free.ids[order[:count]], np.array([level]))


@dataclass
class Foresight:
    """Lists of the records that will probably found the next groups."""

    points: Points
    free: FreeRecords
    k: int
    fewest: int
    lists: Lists
    gone: Integers
    tiles: Tiles | None = None
    turn: int = 0

    @classmethod
    def of(cls, points: Points, free: FreeRecords, k: int) -> Foresight:
        """Nothing foreseen yet; lists have room only where they pay."""
        n = points.n_records
        fewest = FEWEST_FREE if points.dense else FEWEST_FREE_SPARSE
        room = 2 * (k - 1) + (SPARE if points.dense else SPARE_SPARSE)
        lists = empty_lists(n, 4 * PIVOTS, room) if k <= MOST_LISTED else empty_lists(n)
        return cls(points, free, k, fewest, lists, np.zeros(n, np.int64))

    @property
    def listing(self) -> bool:
        """Does it pay to list anybody?"""
        return len(self.lists.owner) > 0 and int(self.free.n_free[0]) >= self.fewest

    def look(self) -> Front:
        """List who will probably found groups next; the records that stand at the edge."""
        front = front_of(self.free, FRONT)
        if not self.listing:
            return front
        away = measure_front(self.points.records, self.free, front)
        pivots = front.ids[np.argsort(-away, kind="stable")[:PIVOTS]]
        self._list(pivots)
        self.turn += 1
        self._list(likely_opposites(self.free, self.lists, pivots, self.k, self.gone, self.turn))
        return front

    def _list(self, wanted: Integers) -> None:
        slots = assign_slots(self.lists, wanted)
        if len(slots) == 0:
            return
        if self.points.dense:
            tiles = self._fresh_tiles()
            blocks = _blocks(len(slots), -(-len(slots) // (4 * thread_count())) * 4)
            with SILENT.task("Listing users", len(blocks)) as task:
                in_threads(
                    lambda a, b: list_from_tiles(a, b, slots, self.free, tiles, self.lists),
                    blocks,
                    task,
                )
            return
        records = self.points.records
        blocks = _blocks(len(slots), SLOTS_PER_TASK)
        with SILENT.task("Listing users", len(blocks)) as task:
            in_threads(
                lambda a, b: list_from_cells(a, b, slots, records, self.free, self.lists),
                blocks,
                task,
            )

    def _fresh_tiles(self) -> Tiles:
        n_free = int(self.free.n_free[0])
        tiles = self.tiles or _all_in_tiles(self.points)
        if n_free < FULLNESS * tiles.ids.size:
            tiles = _in_tiles(tiles.rows, tiles.squares, np.sort(self.free.ids[:n_free]))
        self.tiles = tiles
        return tiles


def _blocks(count: int, step: int) -> list[tuple[int, int]]:
    return [(first, min(first + step, count)) for first in range(0, count, step)]


def _in_tiles(rows: Values, squares: Floats, ids: Integers) -> Tiles:
    """These records, side by side in tiles, in turn from the middle of all and from the edge.

    Records near to one at the edge are mostly in the middle, those far from it at the edge: lists
    that meet them first hardly change later.
    """
    ids = ids[np.argsort(squares[ids], kind="stable")]
    count = -(-len(ids) // RECORDS_PER_TILE)
    cells = np.zeros((count, rows.shape[1], RECORDS_PER_TILE), np.float32)
    norms = np.full((count, RECORDS_PER_TILE), np.nan, np.float32)  # neither near nor far
    held = np.full((count, RECORDS_PER_TILE), -1, np.int32)
    blocks = _blocks(len(ids), RECORDS_PER_TILE)
    for tile in range(count):
        first, end = blocks[tile // 2 if tile % 2 else count - 1 - tile // 2]
        here = ids[first:end]
        cells[tile, :, : end - first] = rows[here].T
        norms[tile, : end - first] = squares[here]
        held[tile, : end - first] = here
    return Tiles(cells, norms, held, rows, squares, float(squares.max()))


def _all_in_tiles(points: Points) -> Tiles:
    """All records around their mean, the dimensions a multiple of four."""
    matrix = points.records.matrix
    rows = np.zeros((len(matrix), -(-matrix.shape[1] // 4) * 4), np.float32)
    squares, mean = np.empty(len(matrix)), matrix.mean(axis=0)
    for first, end in _blocks(len(matrix), 4096):
        rows[first:end, : matrix.shape[1]] = matrix[first:end] - mean
        squares[first:end] = np.square(rows[first:end], dtype=np.float64).sum(axis=1)
    return _in_tiles(rows, squares, np.arange(len(matrix)))
