"""Rows on disk: what a method makes of block after block, until it is written in order of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recloak.core.arrays import Indices, Integers, offsets_from
from recloak.core.errors import RecloakError
from recloak.core.people_draws import PeopleDraws, redrawn
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import StagedRatings, stacked
from recloak.core.staged_ratings.spill import Spill
from recloak.methods import BlockMethod
from recloak.methods.synthetic.model import MadeUpPeople
from recloak.releases.parts import TableParts


@dataclass(frozen=True)
class RowsOnDisk:
    """Rows in a spill of parts, by the names that were drawn first.

    A row has a number; ``names``, ``owners`` and ``founders`` (of items, -1 without) are by it.
    ``blank`` is a table of none of the rows, which says what they have in common.
    """

    parts: TableParts
    heads: Spill
    cells: Spill
    blank: Ratings
    first_names: Integers
    names: Integers
    owners: Indices
    founders: Indices | None
    n_ratings: int

    def part(self, at: int) -> Ratings:
        """The rows of a part in the order of their names, then of their items."""
        here = self._drawn_into(at)
        stays = self.parts.part_of(self.names[here.user_labels]) == at
        if not stays.all():
            here = here.take_users(np.flatnonzero(stays))
        rows = stacked([here, *self._moved.get(at, [])])
        return rows.relabel_users(self.names[rows.user_labels])

    def _drawn_into(self, at: int) -> Ratings:
        """The rows whose first names fall into a part, called by their numbers."""
        heads, cells = self.heads.read(at), self.cells.read(at)
        return replace(
            self.blank,
            offsets=offsets_from(heads["length"]),
            items=np.ascontiguousarray(cells["item"]),
            values=np.ascontiguousarray(cells["value"]),
            user_labels=np.ascontiguousarray(heads["row"]),
            times=None if self.blank.times is None else np.ascontiguousarray(cells["time"]),
        )

    @cached_property
    def _moved(self) -> dict[int, list[Ratings]]:
        """The few rows that drew again and fell into another part, by that part."""
        again = np.flatnonzero(self.names != self.first_names)
        source = self.parts.part_of(self.first_names[again])
        target = self.parts.part_of(self.names[again])
        moved: dict[int, list[Ratings]] = {}
        for at in np.unique(source[source != target]).tolist():
            rows = self._drawn_into(at)
            for row, to in zip(again[source == at], target[source == at], strict=True):
                if to != at:
                    place = np.flatnonzero(rows.user_labels == row)
                    moved.setdefault(int(to), []).append(rows.take_users(place))
        return moved


def make_rows(
    blocks: Iterable[BlockRows], people: PeopleDraws, parts: TableParts, folder: Path
) -> RowsOnDisk:
    """Put the rows of block after block on disk; ``people`` own them, by their codes."""
    made = list(_spilled(blocks, parts, folder))
    heads, cells = made[-1].spills
    owners = np.concatenate([one.owners for one in made])
    names = np.concatenate([one.names for one in made])
    founders = [one.founders for one in made if one.founders is not None]
    return RowsOnDisk(
        parts=parts,
        heads=heads,
        cells=cells,
        blank=made[-1].blank,
        first_names=names,
        names=distinct_names(names, owners, people),
        owners=owners,
        founders=np.concatenate(founders) if founders else None,
        n_ratings=sum(one.n_ratings for one in made),
    )


def refuse_other_count(recipe: BlockMethod, made: int, given: int, engine: str) -> None:
    """Refuse a method that adds ratings or leaves some out: parts are cut by their number."""
    if made != given:
        raise RecloakError(
            f"the method '{recipe.name}' publishes a different number of ratings than it is given",
            where=f"--engine {engine}",
            hint="Use --engine memory, or ask whoever provides the method.",
        )


class BlockRows(NamedTuple):
    """The rows of a block as they are published, whose they are, and the names drawn first."""

    rows: Ratings
    owners: Integers
    founders: Indices | None
    names: Integers


def rows_of_block(
    recipe: BlockMethod, shared: Any, block: Ratings, people: PeopleDraws
) -> BlockRows:
    """What ``recipe`` makes of a block; it follows from what is given alone."""
    rows, owners, _, founders = recipe.part(recipe.coarse(block), shared, people, SILENT)
    rows = rows.with_values(rows.scale.canonical(rows.values))
    counts = np.bincount(owners, minlength=block.n_users)
    return BlockRows(rows, owners, founders, people.first_pseudonyms(counts, "pseudonyms"))


def drawn_block(made_up: MadeUpPeople, start: int, end: int) -> BlockRows:
    """Made-up people as a block of rows, each their own."""
    each = np.ones(end - start, np.int64)
    names = made_up.draws(start, end).first_pseudonyms(each, "pseudonyms")
    return BlockRows(made_up.rows(start, end), np.arange(start, end), None, names)


def blocks_of(
    staged: StagedRatings, recipe: BlockMethod, shared: Any, people: PeopleDraws, progress: Progress
) -> Iterator[BlockRows]:
    """What ``recipe`` makes of block after block; owners by their codes among all people."""
    with progress.task("Making rows, block after block", len(staged.files)) as task:
        for block in staged.blocks():
            made = rows_of_block(recipe, shared, block.ratings, people[block.people])
            yield made._replace(owners=block.people[made.owners])
            task.advance()


@dataclass(frozen=True)
class _BlockResult:
    """What was made of a block, beside what went to the spills."""

    names: Integers
    owners: Indices
    founders: Indices | None
    n_ratings: int
    blank: Ratings
    spills: tuple[Spill, Spill]


def _spilled(
    blocks: Iterable[BlockRows], parts: TableParts, folder: Path
) -> Iterator[_BlockResult]:
    spills: tuple[Spill, Spill] | None = None
    before = 0
    for rows, owners, founders, names in blocks:
        if spills is None:
            spills = _spills(folder, parts.count, timed=rows.times is not None)
        _spill(rows, parts.part_of(names), before, *spills)
        before += rows.n_users
        yield _BlockResult(names, owners, founders, rows.n_ratings, _blank(rows), spills)
    assert spills is not None
    for spill in spills:
        spill.finish()


def _spills(folder: Path, count: int, *, timed: bool) -> tuple[Spill, Spill]:
    cell = [("item", "<i4"), ("value", "<f4")] + ([("time", "<i8")] if timed else [])
    head = np.dtype([("row", "<i8"), ("length", "<i4")])
    return Spill(folder / "heads", count, head), Spill(folder / "cells", count, np.dtype(cell))


def _spill(rows: Ratings, part: Integers, before: int, heads: Spill, cells: Spill) -> None:
    head = np.empty(rows.n_users, heads.dtype)
    head["row"], head["length"] = before + np.arange(rows.n_users), rows.user_counts
    heads.add(part, head)
    cell = np.empty(rows.n_ratings, cells.dtype)
    cell["item"], cell["value"] = rows.items, rows.values
    if rows.times is not None:
        cell["time"] = rows.times
    cells.add(np.repeat(part, rows.user_counts), cell)


def _blank(rows: Ratings) -> Ratings:
    none = rows.take_users(np.empty(0, np.int64))
    return replace(none, user_labels=np.empty(0, np.int64))


def distinct_names(names: Integers, owners: Indices, people: PeopleDraws) -> Integers:
    """The names of all rows, drawn again where two are equal; rows of a person stand together."""
    return redrawn(names, lambda turn, rows: _again(turn, rows, owners, people))


def _again(turn: int, rows: Indices, owners: Indices, people: PeopleDraws) -> Integers:
    """The names of a few rows at a later turn; the rows of a person stand together."""
    drawn = np.empty(len(rows), np.int64)
    for at, row in enumerate(rows.tolist()):
        first, count = row, 1
        while first and owners[first - 1] == owners[row]:
            first -= 1
        while first + count < len(owners) and owners[first + count] == owners[row]:
            count += 1
        mine = people[owners[row : row + 1]]
        fresh = mine.first_pseudonyms(np.array([count]), "pseudonyms", turn=turn)
        drawn[at] = fresh[row - first]
    return drawn
