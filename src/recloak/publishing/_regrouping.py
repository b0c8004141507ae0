"""Regrouping: staged ratings in other blocks, so that people who belong together come together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from recloak.core.arrays import Codes, Integers, Values, offsets_from
from recloak.core.files import machine_errors
from recloak.core.progress import Progress
from recloak.core.staged_ratings import SortedRows, StagedRatings
from recloak.core.staged_ratings.spill import Records, Spill

_HEAD = np.dtype([("user", "<i4"), ("length", "<i4")])
_CELL = np.dtype([("item", "<i4"), ("value", "<f4")])


def regrouped(
    staged: StagedRatings, block_of: Integers, folder: Path, progress: Progress
) -> StagedRatings:
    """The ratings without times, in the blocks that ``block_of`` says for each person (code).

    Within a block people are in their order. ``folder`` is made.
    """
    with machine_errors(folder):
        folder.mkdir(mode=0o700)
    count = int(block_of.max(initial=0)) + 1
    with progress.task("Putting people together", len(staged.files) + count) as task:
        heads, cells = Spill(folder / "heads", count, _HEAD), Spill(folder / "cells", count, _CELL)
        for people, ratings in staged.blocks():
            block = block_of[people]
            heads.add(block, _records(_HEAD, people, ratings.user_counts))
            cell = _records(_CELL, ratings.items, ratings.values)
            cells.add(np.repeat(block, ratings.user_counts), cell)
            task.advance()
        files = []
        for at, rows in enumerate(_sorted(heads, cells)):
            files.append(folder / f"block-{at:05}")
            rows.save(files[-1])
            task.advance()
    places = (np.arange(count, dtype=np.int32) for count in (staged.n_users, staged.n_items))
    user_place, item_place = places
    return replace(
        staged, files=tuple(files), user_place=user_place, item_place=item_place, timed=False
    )


def _records(kind: np.dtype[np.void], *columns: Integers | Codes | Values) -> Records:
    records = np.empty(len(columns[0]), kind)
    for name, column in zip(kind.names or (), columns, strict=True):
        records[name] = column
    return records


def _sorted(heads: Spill, cells: Spill) -> Iterator[SortedRows]:
    """Block after block, people in their order; what was read is gone."""
    for spill in (heads, cells):
        spill.finish()
    for at in range(heads.buckets):
        head, cell = heads.read(at), cells.read(at)
        order = np.argsort(head["user"], kind="stable")
        counts = head["length"][order].astype(np.int64)
        starts = offsets_from(head["length"])[:-1][order]
        picked = np.repeat(starts - offsets_from(counts)[:-1], counts) + np.arange(counts.sum())
        yield SortedRows(
            head["user"][order], counts, cell["item"][picked], cell["value"][picked], None
        )
        for spill in (heads, cells):
            spill.drop(at)
