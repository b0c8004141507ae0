"""Staging: batches of ratings in any order become blocks of people on disk, sorted and checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Codes, Integers, Labels, Mask, Values, code_by_name
from recloak.core.building import (
    DuplicatePairs,
    EncodedRatings,
    OffScale,
    RankedLabels,
    assemble,
)
from recloak.core.columns import Duplicates
from recloak.core.errors import InputError
from recloak.core.files import machine_errors
from recloak.core.id_encoder import IdEncoder, Ids
from recloak.core.ordering import EncodedBatch
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import IMPLICIT, Scale
from recloak.core.staged_ratings import SortedRows, StagedRatings
from recloak.core.staged_ratings.spill import Records, Spill

BUCKETS = 256
NAMED = 3  # repeated pairs that an error names
MOST_LEVELS = 1 << 20  # who has more different values has no steps


class Stager:
    """Takes ratings as they come; `staged` puts them in order."""

    def __init__(self, folder: Path, *, buckets: int = BUCKETS) -> None:
        self._folder, self._buckets = folder, buckets
        self.users, self.items = IdEncoder(), IdEncoder()
        self._spill: Spill | None = None
        self.latest, self.count = 0, 0
        self.explicit = False
        self.repeated = 0

    def add(
        self,
        users: Ids,
        items: Ids,
        values: Values | None,
        times: Integers | None,
        scale: Scale | None,
    ) -> None:
        """More ratings; one that is not on the declared ``scale`` is refused with its place."""
        codes = self.users.codes(users), self.items.codes(items)
        self.explicit = values is not None
        rated = np.ones(len(codes[0]), np.float32) if values is None else values
        if scale is not None and not (holds := scale.holds(rated)).all():
            at = int(np.argmin(holds))
            raise OffScale(float(rated[at]), scale, self.count + at)
        if self._spill is None:
            timed = times is not None
            self._spill = Spill(self._folder / "read", self._buckets, _record(timed=timed))
        records = np.empty(len(rated), self._spill.dtype)
        records["user"], records["item"], records["value"] = *codes, rated
        if times is not None:
            records["time"] = times
            self.latest = max(self.latest, int(times.max(initial=0)))
        self._spill.add(codes[0] % self._buckets, records)
        self.count += len(rated)

    def staged(
        self,
        scale: Scale | None,
        duplicates: Duplicates,
        excluded: Iterable[Any],
        progress: Progress,
        *,
        time_unit: int = 1,
    ) -> StagedRatings:
        """All ratings in order, without those of users who are ``excluded`` and without repeats."""
        assert self._spill is not None
        self._spill.finish()
        users, items = RankedLabels(*self.users.ranked()), RankedLabels(*self.items.ranked())
        gone = excluded_users(users.labels, list(excluded))
        sorting = _Sorting(self._folder / "blocks", users, items, gone, time_unit)
        with progress.task("Sorting ratings into blocks", self._buckets) as task:
            for bucket in range(self._buckets):
                sorting.sort(self._spill.read(bucket), duplicates)
                self._spill.drop(bucket)
                task.advance()
        sorting.refuse_repeated()
        self.repeated = sorting.repeated
        return sorting.finished(scale, explicit=self.explicit)


class _Sorting:
    """Sorts bucket after bucket, and counts on the way what is known of all."""

    def __init__(
        self, folder: Path, users: RankedLabels, items: RankedLabels, gone: Mask, time_unit: int
    ) -> None:
        with machine_errors(folder):
            folder.mkdir(mode=0o700)
        self._folder, self._users, self._items = folder, users, items
        self._gone, self._time_unit = gone, time_unit
        self._files: list[Path] = []
        self._user_counts = np.zeros(len(users.labels), np.int64)
        self._support = np.zeros(len(items.labels), np.int64)
        self._levels = pl.Series([], dtype=pl.Float32)
        self._repeats: list[DuplicatePairs] = []
        self._timed, self._zeros, self._largest = False, 0, 0
        self.repeated = 0

    def sort(self, records: Records, duplicates: Duplicates) -> None:
        """One bucket into a file of its own."""
        if not len(records):
            return
        people, codes = np.unique(self._users.rank[records["user"]], return_inverse=True)
        self._timed = "time" in (records.dtype.names or ())
        times = records["time"] // self._time_unit if self._timed else None
        batch = EncodedBatch(
            codes.astype(np.int32),
            np.ascontiguousarray(records["item"]),
            np.ascontiguousarray(records["value"]),
            times,
        )
        named = RankedLabels(self._users.labels[people], np.arange(len(people), dtype=np.int32))
        try:
            rows = assemble(
                Ratings,
                EncodedRatings([batch], named, self._items, explicit=False),
                duplicates=duplicates,
            )
        except DuplicatePairs as repeated:
            self._repeats.append(repeated)
            return
        self.repeated += len(records) - rows.n_ratings
        self._keep(people.astype(np.int32), rows)

    def _keep(self, people: Codes, rows: Ratings) -> None:
        stays = np.flatnonzero(~self._gone[people])
        if len(stays) < len(people):
            people, rows = people[stays], rows.take_users(stays)
        self._user_counts[people] = rows.user_counts
        self._support += rows.item_support
        self._zeros += int(np.count_nonzero(rows.values == 0))
        self._largest = max(self._largest, rows.n_ratings)
        if len(self._levels) <= MOST_LEVELS:
            self._levels = pl.concat([self._levels, pl.Series(rows.values).unique()]).unique()
        path = self._folder / f"{len(self._files):05}"
        SortedRows(people, rows.user_counts, rows.items, rows.values, rows.times).save(path)
        self._files.append(path)

    def refuse_repeated(self) -> None:
        """Raise for all repeated pairs together, first those of the first people."""
        if not self._repeats:
            return
        raise all_repeated(self._repeats)

    def finished(self, scale: Scale | None, *, explicit: bool) -> StagedRatings:
        """What is known of all."""
        inferred = scale is None
        if scale is None:
            scale = inferred_scale(self._levels.to_numpy()) if explicit else IMPLICIT
        here, rated = self._user_counts > 0, self._support > 0
        return StagedRatings(
            files=tuple(self._files),
            scale=scale,
            scale_inferred=inferred,
            user_labels=self._users.labels[here],
            item_labels=self._items.labels[rated],
            user_counts=self._user_counts[here],
            item_support=self._support[rated],
            user_place=_places(here),
            item_place=_places(rated),
            timed=self._timed,
            largest_block=self._largest,
            levels=self._levels.to_numpy(),
            zeros=self._zeros,
        )


def all_repeated(found: Iterable[DuplicatePairs]) -> DuplicatePairs:
    """What blocks found of repeated pairs as one; names of a column are all of one type."""
    several = list(found)
    pairs = sorted(pair for one in several for pair in one.pairs)
    return DuplicatePairs(sum(one.count for one in several), pairs[:NAMED])


def _record(*, timed: bool) -> np.dtype[np.void]:
    fields = [("user", "<i4"), ("item", "<i4"), ("value", "<f4")]
    return np.dtype([*fields, ("time", "<i8")] if timed else fields)


def _places(kept: Mask) -> Codes:
    """The place of each among those kept, -1 for the others."""
    return np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)


def inferred_scale(levels: Values) -> Scale:
    """The scale of these values; of too many to be told apart, one without steps."""
    if len(levels) <= MOST_LEVELS:
        return Scale.infer(np.sort(levels))
    ends = Scale.infer(np.array([levels.min(), levels.max()], np.float32))
    return Scale(ends.low, ends.high, None)


def excluded_users(labels: Labels, names: list[Any]) -> Mask:
    """Which of the users are called so; an unknown name is an `InputError`, as in memory."""
    gone = np.zeros(len(labels), np.bool_)
    if names:
        code_of = code_by_name(labels)
        unknown = [str(name) for name in names if str(name) not in code_of]
        if unknown:
            raise InputError(
                f"{len(unknown)} of {len(names)} users are not in the data, first '{unknown[0]}'",
                where="--exclude-users",
                hint="Check that the ids are those of the ratings file, one on each line.",
            )
        gone[[code_of[str(name)] for name in names]] = True
    return gone
