"""What the driver learns of buckets: names, counts, and everything that is wrong in the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recloak.core.arrays import Indices, Integers, Labels, Values
from recloak.core.building import DuplicatePairs, OffScale
from recloak.core.errors import InputError, MachineError
from recloak.core.scale import Scale
from recloak.core.staged_ratings.staging import all_repeated, excluded_users
from recloak.publishing.spark._packing import Array, unpacked

FRAME = "the DataFrame"
COLUMNS = ["bucket", "people", "digest", "told"]


@dataclass(frozen=True)
class People:
    """All people in the order of their names, and the codes of those of each bucket."""

    labels: Labels
    counts: Integers
    by_bucket: dict[int, Indices]


class CollectedBuckets:
    """The rows of staged ratings without the ratings."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        ordered = sorted(rows, key=lambda row: int(row["bucket"]))
        self._full = [row for row in ordered if row["people"] is not None]
        self._facts = [json.loads(row["told"]) for row in ordered]
        self._told = [one for fact in self._facts for one in fact["told"]]

    def refuse_bad(self, scale: Scale | None, excluded: Sequence[Any]) -> None:
        """Raise for what is wrong in the data, in the words that are used for files."""
        unseen = [one["unseen"] for one in self._told if "unseen" in one]
        if unseen:
            raise MachineError(
                "the workers of Spark do not see the folder where the release is made",
                where=unseen[0],
                hint="Let --out be in a folder that driver and workers share under one path.",
            )
        self._refuse_cells(scale)
        found = [
            DuplicatePairs(count, [(user, item) for user, item in pairs])
            for fact in self._facts
            for count, pairs in [fact.get("duplicates", (0, []))]
            if count
        ]
        if found:
            repeated = all_repeated(found)
            raise DuplicatePairs(repeated.count, repeated.pairs, FRAME)
        if not self._full:
            raise InputError("there are no ratings", where=FRAME)
        names = sorted(name for fact in self._facts for name in fact.get("excluded", []))
        excluded_users(np.array([*names, ""], dtype=object)[:-1], list(excluded))

    def refuse_other_count(self, count: int) -> None:
        """Raise unless every row is there once: rows in no fixed order may be lost by a retry."""
        found = self.total("rows") + self.not_rated
        if found != count:
            raise MachineError(
                f"the DataFrame gave {found:,} ratings, and {count:,} when they were counted",
                where="--engine spark",
                hint="Nothing was published. Write it to a table first, and publish that.",
            )

    def _refuse_cells(self, scale: Scale | None) -> None:
        """Raise for the first cell that cannot be used, by partition and row."""
        kinds = ("bad cell", "off scale")
        bad = [(one[kind], kind) for one in self._told for kind in kinds if kind in one]
        if not bad:
            return
        (what, hint, (_, _, example)), kind = min(bad, key=lambda one: one[0][2])
        where = f"{FRAME}, {example}"
        if kind == "off scale":
            assert scale is not None
            raise OffScale(what, scale, 0, where)
        raise InputError(what, where=where, hint=hint)

    @cached_property
    def _people(self) -> list[list[Array]]:
        return [unpacked(row["people"]) for row in self._full]

    @property
    def people(self) -> People:
        labels, counts = (np.concatenate([one[at] for one in self._people]) for at in (0, 1))
        order = np.argsort(labels, kind="stable")
        codes = np.empty(len(labels), np.int64)
        codes[order] = np.arange(len(labels))
        ends = np.cumsum([len(one[0]) for one in self._people])
        split = np.split(codes, ends[:-1])
        buckets = [row["bucket"] for row in self._full]
        return People(labels[order], counts[order], dict(zip(buckets, split, strict=True)))

    @property
    def digests(self) -> dict[int, bytes]:
        return {row["bucket"]: row["digest"] for row in self._full}

    @property
    def levels(self) -> Values:
        return np.unique(np.concatenate([one[2] for one in self._people]))

    def total(self, what: str) -> int:
        """The sum of a fact over all buckets."""
        return sum(fact.get(what, 0) for fact in self._facts)

    @property
    def latest(self) -> int:
        return max(int(fact.get("latest", 0)) for fact in self._facts)

    @property
    def not_rated(self) -> int:
        return sum(one.get("not rated", 0) for one in self._told)
