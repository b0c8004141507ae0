"""Similarity: what makes two items related, and the nearest items of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Values, offsets_from
from recloak.core.component import Component
from recloak.core.kernels.layout import expand
from recloak.core.kernels.neighbours import work_of
from recloak.core.kernels.related_items import (
    CORRELATION,
    EMPTY,
    OVERLAP,
    PRODUCTS,
    ItemRatings,
    Slots,
    rank_items,
    squares_of,
)
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.registry import Registry
from recloak.core.timeline import Snapshot

_MULTIPLES = (1, 2, 4, 10, 20, 100)
_LARGEST = 2**15  # squares of it can be added up over two billion raters
_BLOCKS = 32
_PART = 1 << 15
N = TypeVar("N", np.float32, np.int32)


@dataclass(frozen=True)
class Ranked:
    """The nearest items of each: ``top`` by similarity alone, ``candidates`` that could enter."""

    top: Slots
    candidates: Slots


class Similarity(Component, ABC):
    """Whole numbers for ratings, and what is added up over shared raters."""

    family: ClassVar[str] = "similarity"
    kind: ClassVar[int]
    by_value: ClassVar[bool] = True
    """Does the unit of a rating follow from its value, and the largest of all? A person's other
    ratings must not count."""

    @abstractmethod
    def units(self, ratings: Ratings) -> Codes:
        """The ratings in whole units: sums of them are exact, so ties are ties."""


class Cosine(Similarity):
    """Cosine of whole columns, where who did not rate counts as 0."""

    name: ClassVar[str] = "cosine"
    summary: ClassVar[str] = "Cosine of the items' columns of ratings; a missing rating is 0."
    kind: ClassVar[int] = PRODUCTS

    def units(self, ratings: Ratings) -> Codes:
        return whole_units(ratings.values)


class AdjustedCosine(Similarity):
    """Cosine after each person's mean was taken off, in thousandths of the rating's unit."""

    name: ClassVar[str] = "adjusted-cosine"
    summary: ClassVar[str] = "Cosine of the ratings' distances from each person's mean."
    kind: ClassVar[int] = PRODUCTS
    by_value: ClassVar[bool] = False

    def units(self, ratings: Ratings) -> Codes:
        users, units = expand(ratings.offsets), whole_units(ratings.values).astype(np.int64)
        total = np.zeros(ratings.n_users, np.int64)
        np.add.at(total, users, units)
        count = np.maximum(ratings.user_counts, 1)[users]
        return np.asarray((1000 * (units * count - total[users])) // count, dtype=np.int32)


class Pearson(Similarity):
    """Correlation over the people who rated both."""

    name: ClassVar[str] = "pearson"
    summary: ClassVar[str] = "Correlation of the ratings of those who rated both items."
    kind: ClassVar[int] = CORRELATION

    def units(self, ratings: Ratings) -> Codes:
        return whole_units(ratings.values)


class Jaccard(Similarity):
    """The share of all who rated either item that rated both."""

    name: ClassVar[str] = "jaccard"
    summary: ClassVar[str] = "Of all who rated one of the two items, the share that rated both."
    kind: ClassVar[int] = OVERLAP

    def units(self, ratings: Ratings) -> Codes:
        return np.ones(ratings.n_ratings, np.int32)


SIMILARITIES: Registry[type[Similarity]] = Registry(
    "similarities",
    "similarity",
    {
        "cosine": "recloak.recommenders.similarity:Cosine",
        "adjusted-cosine": "recloak.recommenders.similarity:AdjustedCosine",
        "pearson": "recloak.recommenders.similarity:Pearson",
        "jaccard": "recloak.recommenders.similarity:Jaccard",
    },
)


def whole_units(values: Values) -> Codes:
    """Values in the coarsest unit in which they are whole; hundredths if there is none.

    The unit follows values that are very large or very small: a similarity must not hang on it.
    """
    largest = max(float(values.max()), -float(values.min())) if len(values) else 0.0
    if largest and not 1 / _MULTIPLES[-1] <= largest <= _LARGEST / _MULTIPLES[-1]:
        return _scaled_units(values, largest)
    for multiple in _MULTIPLES:
        if all(_are_whole(part, multiple) for part in _parts(values)):
            break
    units = np.empty(len(values), np.int32)
    for part, of_part in zip(_parts(values), _parts(units), strict=True):
        of_part[:] = np.rint(part * np.float32(multiple))
    return units


def _parts(array: NDArray[N]) -> list[NDArray[N]]:
    """Parts so short that what is made of them needs no memory from the system."""
    return [array[start : start + _PART] for start in range(0, len(array), _PART)]


def _are_whole(values: Values, multiple: int) -> bool:
    scaled = values * np.float32(multiple)
    return bool(np.abs(scaled - np.rint(scaled)).max() < 1e-3)


def _scaled_units(values: Values, largest: float) -> Codes:
    """Values in a unit of their own size: what all of them are a multiple of, if it is not fine.

    Else so small a unit that the largest value takes nearly as many as sums of squares can hold.
    """
    exact = values.astype(np.float64)
    smallest = float(np.abs(exact[exact != 0]).min())
    for multiple in _MULTIPLES:
        parts = exact * (multiple / smallest)
        near = np.abs(parts - np.rint(parts)).max() < 1e-3
        if near and largest * multiple / smallest <= _LARGEST:
            return np.asarray(np.rint(parts), dtype=np.int32)
    return np.asarray(np.rint(exact * (_LARGEST / largest)), dtype=np.int32)


def rank(
    snapshot: Snapshot,
    similarity: Similarity,
    top: int,
    *,
    depth: int = 0,
    delta: Fraction = Fraction(1),
    before: Slots | None = None,
    since: int = 0,
    progress: Progress = SILENT,
) -> Ranked:
    """The ``top`` nearest items of each item, and up to ``depth`` candidates to replace them.

    A candidate stood in the list ``before``, or no more than a share ``delta`` of the item's
    raters rated it (as the rating ``since`` or later): any other would tell too much by itself.
    """
    n_items = snapshot.ratings.n_items
    cells = cells_of(snapshot, similarity, since)
    nearest = np.full((n_items, top), EMPTY, np.int32)
    candidates = np.full((n_items, depth), EMPTY, np.int32)
    known = np.full((n_items, 1), EMPTY, np.int32) if before is None else before.copy()
    every = np.arange(n_items, dtype=np.int32)
    effort = offsets_from(work_of(cells.item_offsets, cells.item_users, cells.offsets, every))
    blocks = row_blocks(effort, max(1, -(-int(effort[-1]) // _BLOCKS)))

    def one_block(start: int, end: int) -> None:
        rank_items(
            cells,
            similarity.kind,
            start,
            end,
            delta.numerator,
            delta.denominator,
            known,
            nearest,
            candidates,
        )

    with progress.task("Ranking related items", len(blocks)) as task:
        in_threads(one_block, blocks, task)
    return Ranked(nearest, candidates)


def cells_of(snapshot: Snapshot, similarity: Similarity, since: int = 0) -> ItemRatings:
    """The ratings in whole units, laid out for the kernels."""
    ratings, postings = snapshot.ratings, snapshot.postings
    units = similarity.units(ratings)
    return ItemRatings(
        ratings.offsets,
        ratings.items,
        units,
        (snapshot.time_rank >= since).astype(np.uint8) if since else np.empty(0, np.uint8),
        postings.offsets,
        postings.users,
        snapshot.by_item(units),
        squares_of(ratings.items, units, ratings.n_items),
    )
