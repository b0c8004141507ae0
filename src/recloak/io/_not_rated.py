"""Values that mean "not rated": leaving them out, and noticing that some may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from recloak.core.arrays import Bytes, Mask, Values
from recloak.core.columns import Duplicates
from recloak.core.id_encoder import Ids
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.string_table import Strings
from recloak.io.base import Batch, Opened, Place

_SUSPICIOUS = 0.5  # of all ratings: more zeros than that are hardly all meant as the lowest mark


class RatedOnly(Opened):
    """A source without the values that mean "not rated"."""

    def __init__(self, source: Opened, not_rated: float) -> None:
        super().__init__(source.path)
        self._source, self._not_rated = source, np.float32(not_rated)
        self._kept: list[Bytes] = []  # as bits: there may be many, mostly dropped
        self._heights: list[int] = []
        self.scale, self.duplicates, self.dated = source.scale, source.duplicates, source.dated
        self.dropped, self.personal = source.dropped, source.personal

    @property
    def files(self) -> Sequence[Path]:
        return self._source.files

    @property
    def column_names(self) -> Sequence[str]:
        return self._source.column_names

    def bytes_to_hold(self) -> int:
        return self._source.bytes_to_hold()

    def batches(self, progress: Progress) -> Iterator[Batch]:
        self._kept, self._heights, left_out = [], [], 0
        for batch in self._source.batches(progress):
            if batch.values is None:
                kept = np.ones(batch.height, np.bool_)
            else:
                kept = batch.values != self._not_rated
            self._kept.append(np.packbits(kept))
            self._heights.append(batch.height)
            left_out += batch.height - int(kept.sum())
            yield _taken(batch, kept)
        self.silent = self._source.silent
        self.notes = [*self._source.notes, *not_rated_note(left_out, float(self._not_rated))]

    def places(self, positions: Sequence[int]) -> list[Place]:
        wanted = np.asarray(positions, np.int64)
        found, kept_before, before = [], 0, 0
        for bits, height in zip(self._kept, self._heights, strict=True):
            kept = np.flatnonzero(np.unpackbits(bits, count=height))
            here = wanted - kept_before
            found += (before + kept[here[(here >= 0) & (here < len(kept))]]).tolist()
            kept_before, before = kept_before + len(kept), before + height
        return self._source.places(found)

    def written(self, role: str) -> Iterator[pl.Series] | None:
        return self._source.written(role)

    def column(self, role: str) -> str:
        return self._source.column(role)

    def merged(self, count: int, duplicates: Duplicates) -> str:
        return self._source.merged(count, duplicates)


def _taken(batch: Batch, kept: Mask) -> Batch:
    if kept.all():
        return batch
    return Batch(
        _taken_ids(batch.users, kept),
        _taken_ids(batch.items, kept),
        None if batch.values is None else batch.values[kept],
        None if batch.times is None else batch.times[kept],
    )


def _taken_ids(ids: Ids, kept: Mask) -> Ids:
    """The ids that are kept; nobody's name stays whose ratings are all gone."""
    if not isinstance(ids, Strings):
        return ids[kept]
    used, codes = np.unique(ids.codes[kept], return_inverse=True)
    named = Strings.of(pl.Series(ids.table.labels(used), dtype=pl.String))
    return Strings(named.codes[codes], named.table)


def not_rated_note(count: int, value: float) -> tuple[str, ...]:
    """A note for the user if ratings were left out."""
    told = f'{count:,} ratings of {value:g} mean "not rated" and were left out.'
    return (told,) if count else ()


def zeros_note(ratings: Ratings) -> tuple[str, ...]:
    """A note for the user if most ratings are 0, below all others: that may mean "not rated"."""
    zeros = int(np.count_nonzero(ratings.values == 0))
    if zeros <= _SUSPICIOUS * ratings.n_ratings:
        return ()
    others = ratings.values[ratings.values != 0]
    return many_zeros(zeros, ratings.n_ratings, others, ratings.scale)


def many_zeros(zeros: int, count: int, others: Values, scale: Scale) -> tuple[str, ...]:
    """The same where so many of ``count`` ratings are 0, and what the ``others`` are is known."""
    if zeros <= _SUSPICIOUS * count:
        return ()
    if len(others) == 0 or others.min() < 0 or others.min() == others.max():
        return ()
    share = zeros / count
    return (
        f"{zeros:,} of {count:,} ratings ({share:.0%}) are 0. If that means "
        f'"not rated", leave them out: --not-rated 0. If it is a mark, say the scale: '
        f"--scale '{scale}'.",
    )
