"""Timeline: ratings in the order in which they were given, and what was known at each cut."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core._timeline_kernels import add_up_columns, hash_texts
from recloak.core.arrays import Bytes, Codes, Integers, Offsets, Words, offsets_from
from recloak.core.errors import InputError, ParameterError
from recloak.core.kernels.layout import by_item, in_item_order
from recloak.core.ratings import Ratings

DAY = 86_400
DIGEST_BYTES = 16


class ItemRaters(NamedTuple):
    """Who rated each item: users ascend, ``time_rank`` is the place of the rating in time."""

    offsets: Offsets
    users: Codes
    time_rank: Codes


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The first ``len(ratings)`` ratings; ``time_rank`` is the place of each in time.

    ``key`` (32 bytes, or none) goes into digests: without it nobody can try out who rated what.
    """

    ratings: Ratings
    time_rank: Codes
    key: bytes = b""

    def by_item(self, numbers: Codes) -> Codes:
        """What is given for each rating, by user and then by item, by item and then by user.

        The places that this follows from would take more memory than all else that is laid out.
        """
        return in_item_order(self.ratings.items, numbers, self.postings.offsets)

    @cached_property
    def user_hashes(self) -> Words:
        """128 bits for each person, whatever code stands for them, made with the key."""
        labels, key = self.ratings.user_labels, np.frombuffer(self.key, np.uint64)
        if len(labels) and labels.dtype.kind == "i":  # a million numbers as text, all at once
            written = pl.Series(labels).cast(pl.String)
            content = np.frombuffer(str(written.str.join("")[0]).encode(), np.uint8)
            return hash_texts(content, offsets_from(written.str.len_bytes().to_numpy()), key)
        names = list(map(str, labels.tolist()))
        joined = "".join(names)
        texts = names if joined.isascii() else [name.encode() for name in names]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        content = np.frombuffer(joined.encode(), np.uint8)
        return hash_texts(content, offsets_from(lengths), key)

    @cached_property
    def value_digests(self) -> Bytes:
        """`keyed_digests` of the ratings as they are; several ask for them."""
        return self.keyed_digests(self.ratings.values)

    def keyed_digests(self, values: NDArray[Any]) -> Bytes:
        """For each item 128 bits of who rated it and how: ``values`` by user, of 32 bits each."""
        plain, key = np.ascontiguousarray(values).view(np.int32), np.frombuffer(self.key, np.uint64)
        offsets, items, n_items = self.ratings.offsets, self.ratings.items, self.ratings.n_items
        return add_up_columns(offsets, items, plain, self.user_hashes, key, n_items).view(np.uint8)

    @cached_property
    def user_digests(self) -> NDArray[np.void]:
        """Eight bytes for each person, whatever code stands for them."""
        digests = [
            hashlib.blake2b(str(label).encode(), digest_size=8).digest()
            for label in self.ratings.user_labels
        ]
        return np.array(digests, dtype="V8")

    @cached_property
    def rater_hashes(self) -> list[hashlib.blake2b]:
        """For each item a hash of who rated it; a copy of it may go on with how they did."""
        offsets, users, _ = self.postings
        by_item = self.user_digests[users]
        return [
            hashlib.blake2b(by_item[start:end].tobytes(), digest_size=DIGEST_BYTES)
            for start, end in pairwise(offsets.tolist())
        ]

    @cached_property
    def postings(self) -> ItemRaters:
        """Who rated each item; made once, when first needed."""
        ratings = self.ratings
        return ItemRaters(*by_item(ratings.offsets, ratings.items, self.time_rank, ratings.n_items))


class Timeline:
    """Ratings by (time, user, item): rule 1 of the history that a replay simulates."""

    def __init__(self, ratings: Ratings, key: bytes = b"") -> None:
        if ratings.times is None and ratings.n_ratings:
            raise InputError(
                "the ratings have no times, so their order is not known",
                hint="Lists are protected against what their changes reveal: give times.",
            )
        self.ratings = ratings
        times = ratings.times if ratings.times is not None else np.empty(0, np.int64)
        self.time_rank = np.arange(len(times), dtype=np.int32)
        self._order: Integers | Codes = self.time_rank
        if len(times) and times.min() < times.max():  # else nothing needs to be sorted
            self._order = np.argsort(times, kind="stable")  # rows ascend by user, then item
            self.time_rank = np.empty(len(times), np.int32)
            self.time_rank[self._order] = np.arange(len(times), dtype=np.int32)
        self.key = key
        self._whole = Snapshot(ratings, self.time_rank, key)  # what it lays out is laid out once

    def at(self, n_ratings: int) -> Snapshot:
        """What was known once so many ratings had been given."""
        if n_ratings >= len(self.time_rank):
            return self._whole
        known = self.time_rank < n_ratings
        return Snapshot(self.ratings.keep(known), self.time_rank[known], self.key)

    def day(self, n_ratings: int) -> int | None:
        """The day of the last of the first so many ratings, as the second with which it begins.

        It is published with the lists; the second itself would tell when somebody rated.
        """
        if self.ratings.times is None or not n_ratings:
            return None
        return int(self.ratings.times[self._order[n_ratings - 1]]) // DAY * DAY

    def ends_on_day_of(self, n_ratings: int, seconds: int) -> bool:
        """Was the last of the first so many ratings given on the day of this second?"""
        return self.day(n_ratings) == seconds // DAY * DAY

    def cuts(self, start: Fraction, gap: Fraction, releases: int | None = None) -> list[int]:
        """How many ratings each release covers: a share at first, then a gap more each time.

        ``releases`` counts those after the first; without it, as many as the data allow.
        """
        for flag, share in (("start", start), ("gap", gap)):
            if not 0 < share <= 1:
                raise ParameterError(
                    "must be above 0 and at most 1",
                    where=flag,
                    hint="It is a share of all ratings, such as 0.1 or 1/10.",
                )
        fitting = int((1 - start) / gap)
        wanted = fitting if releases is None else releases
        if not 0 <= wanted <= fitting:
            raise ParameterError(
                f"{wanted} releases after the first do not fit, at most {fitting} do",
                where="releases",
                hint="Start earlier or choose a smaller gap.",
            )
        total = self.ratings.n_ratings
        return [round(total * (start + k * gap)) for k in range(wanted + 1)]
