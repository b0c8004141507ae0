"""Staged ratings: ratings on disk in blocks of people, for more than fits into memory.

In memory are the names of people and items and how often each occurs; a block is read when it is
asked for, as ordinary `Ratings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Indices, Integers, Labels, Offsets, Values, offsets_from
from recloak.core.files import machine_errors
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale

ADDED_AT_ONCE = 1 << 20  # ratings: what is added up of fewer costs more than they do
Sums = NDArray[Any]
OfBlock = Callable[[Ratings], Sums]
"""What is added up over blocks of people; it must be picklable, and follow from the block alone."""


class RatingsElsewhere(Protocol):
    """Ratings that are not in memory; of some people they can be had as `Ratings`.

    In memory are the names of all people and items, and how often each occurs.
    """

    @property
    def scale(self) -> Scale: ...

    @property
    def user_labels(self) -> Labels: ...

    @property
    def item_labels(self) -> Labels: ...

    @property
    def user_counts(self) -> Integers: ...

    @property
    def item_support(self) -> Integers: ...

    @property
    def n_users(self) -> int: ...

    @property
    def n_items(self) -> int: ...

    @property
    def n_ratings(self) -> int: ...

    @property
    def timed(self) -> bool:
        """Have ratings times?"""

    def of_people(self, people: Indices) -> Ratings:
        """The ratings of these people (codes, ascending); they must fit into memory."""

    def added_up(
        self, work: OfBlock, shape: tuple[int, ...], label: str, progress: Progress
    ) -> Sums:
        """The sum, of this shape, of what ``work`` gives for each block of people.

        Which people a block holds is left open: the sum must be exact, such as one of whole
        numbers, so that it is the same however people are put together.
        """


def sum_of(parts: Iterable[Sums]) -> Sums | None:
    """The parts added up, into the first of them; None if there is no part."""
    total = None
    for part in parts:
        if total is None:
            total = part
        else:
            total += part
    return total


class PeopleBlock(NamedTuple):
    """The ratings of some people: their codes among all, ascending, and what they rated."""

    people: Indices
    ratings: Ratings


class SortedRows(NamedTuple):
    """What a block holds on disk; users and items by their places among all that were read."""

    users: Codes
    counts: Integers
    items: Codes
    values: Values
    times: Integers | None

    def save(self, path: Path) -> None:
        """Write one array after the other."""
        with machine_errors(path), path.open("wb") as file:
            for array in self:
                if array is not None:
                    np.save(file, array, allow_pickle=False)

    @classmethod
    def load(cls, path: Path, *, timed: bool) -> SortedRows:
        """Read what `save` wrote."""
        with path.open("rb") as file:
            users, counts, items, values = (np.load(file, allow_pickle=False) for _ in range(4))
            times = np.load(file, allow_pickle=False) if timed else None
        return cls(users, counts, items, values, times)


@dataclass(frozen=True, repr=False)
class StagedRatings:
    """Ratings in files, one for each block of people.

    ``user_place`` and ``item_place`` give the code of each user and item that was read, -1 for
    those who are left out, of whom no block knows.
    """

    files: tuple[Path, ...]
    scale: Scale
    scale_inferred: bool
    user_labels: Labels
    item_labels: Labels
    user_counts: Integers
    item_support: Integers
    user_place: Codes
    item_place: Codes
    timed: bool
    largest_block: int
    levels: Values
    """All values that occur, or very many of them."""
    zeros: int

    @property
    def n_users(self) -> int:
        return len(self.user_labels)

    @property
    def n_items(self) -> int:
        return len(self.item_labels)

    @cached_property
    def n_ratings(self) -> int:
        return int(self.user_counts.sum())

    def blocks(self) -> Iterator[PeopleBlock]:
        """All blocks, one after the other; none of them is empty."""
        for file in self.files:
            block = self._block(SortedRows.load(file, timed=self.timed))
            if len(block.people):
                yield block

    def of_people(self, people: Indices) -> Ratings:
        """The ratings of these people (codes, ascending); they must fit into memory."""
        wanted = np.zeros(self.n_users, np.bool_)
        wanted[people] = True
        picked = [
            PeopleBlock(block.people[here], block.ratings.take_users(here))
            for block in (self.blocks() if len(people) else ())
            if len(here := np.flatnonzero(wanted[block.people]))
        ]
        return self._joined(picked)

    def added_up(
        self, work: OfBlock, shape: tuple[int, ...], label: str, progress: Progress
    ) -> Sums:
        """The sum, of this shape, of what ``work`` gives for each block of people."""

        def parts() -> Iterator[Sums]:
            waiting: list[Ratings] = []
            for block in self.blocks():
                waiting.append(block.ratings)
                task.advance()
                if sum(one.n_ratings for one in waiting) >= ADDED_AT_ONCE:
                    yield work(stacked(waiting))
                    waiting = []
            if waiting:
                yield work(stacked(waiting))

        with progress.task(label, len(self.files)) as task:
            total = sum_of(parts())
        return np.zeros(shape) if total is None else total.reshape(shape)

    def _joined(self, blocks: list[PeopleBlock]) -> Ratings:
        """Blocks as one, people in their order."""
        people = np.concatenate([np.empty(0, np.int64), *(block.people for block in blocks)])
        none = self._rows(people[:0], np.zeros(1, np.int64))
        return stacked([none, *(block.ratings for block in blocks)]).take_users(
            np.argsort(people, kind="stable")
        )

    def _block(self, rows: SortedRows) -> PeopleBlock:
        people = self.user_place[rows.users].astype(np.int64)
        items = self.item_place[rows.items]
        offsets = offsets_from(rows.counts)
        return PeopleBlock(people, self._rows(people, offsets, items, rows.values, rows.times))

    def _rows(
        self,
        people: Indices,
        offsets: Offsets,
        items: Codes | None = None,
        values: Values | None = None,
        times: Integers | None = None,
    ) -> Ratings:
        return Ratings(
            offsets=offsets,
            items=np.empty(0, np.int32) if items is None else items,
            values=np.empty(0, np.float32) if values is None else values,
            scale=self.scale,
            user_labels=self.user_labels[people],
            item_labels=self.item_labels,
            times=np.empty(0, np.int64) if times is None and self.timed else times,
            scale_inferred=self.scale_inferred,
        )


def stacked(parts: Sequence[Ratings]) -> Ratings:
    """The rows of several ratings of the same items, one after the other."""
    times = [part.times for part in parts if part.times is not None]
    return replace(
        parts[0],
        offsets=offsets_from(np.concatenate([part.user_counts for part in parts])),
        items=np.concatenate([part.items for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        user_labels=np.concatenate([part.user_labels for part in parts]),
        times=np.concatenate(times) if times else None,
    )
