"""Linkage: which rows of a release belong to whom, as far as the auditor knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from recloak.core.arrays import (
    Indices,
    Integers,
    Labels,
    Offsets,
    code_by_name,
)
from recloak.core.errors import InputError
from recloak.core.kernels.layout import offsets_of

NOBODYS = (
    "The rows are made-up people: none of them is anybody's, so there is no row to find. People in "
    "the release are those whose ratings it was learnt from."
)
NO_ROW = "Not measured: no row is anybody's. The rows are made-up people."
Source = Literal["secret", "mapping", "containment", "unknown", "nobody"]


@dataclass(frozen=True)
class Linkage:
    """Rows of the release (codes) by user of the original (codes).

    A user may own several rows (fragments) and several users may share one (a group's profile).
    """

    offsets: Offsets
    rows: Indices
    source: Source
    note: str

    @classmethod
    def from_pairs(
        cls,
        users: Integers,
        rows: Indices,
        n_users: int,
        source: Source,
        note: str,
    ) -> Linkage:
        """From (user code, row code) pairs in any order; a pair said twice counts once."""
        width = int(rows.max()) + 1 if len(rows) else 1
        pairs = np.unique(users * width + rows)  # one number for each pair sorts faster than two
        owners = (pairs // width).astype(np.int32)
        return cls(offsets_of(owners, n_users), pairs % width, source, note)

    @classmethod
    def of_nobody(cls, n_users: int) -> Linkage:
        """Of made-up people: no row is anybody's."""
        none = np.empty(0, np.int64)
        return cls.from_pairs(none, none, n_users, "nobody", NOBODYS)

    @property
    def is_of_nobody(self) -> bool:
        """Are the rows made-up people?"""
        return self.source == "nobody"

    @property
    def links(self) -> bool:
        """Is it known, or taken to be known, whose row is whose?"""
        return self.source not in ("unknown", "nobody")

    @property
    def linked(self) -> Integers:
        """The users that have at least one row."""
        return np.flatnonzero(np.diff(self.offsets))

    def rows_of(self, user: int) -> Integers:
        """The rows of one user."""
        return self.rows[self.offsets[user] : self.offsets[user + 1]]

    def first_row(self, users: Integers) -> Integers:
        """One row for each user, -1 for those without."""
        found = self.offsets[users] < self.offsets[users + 1]
        first = np.full(len(users), -1, dtype=np.int64)
        first[found] = self.rows[self.offsets[users[found]]]
        return first


def row_codes(row_labels: Labels, wanted: Labels) -> Integers:
    """Codes of the rows called ``wanted``; numbers and their text are the same name."""
    if row_labels.dtype == wanted.dtype == np.int64:
        at = np.minimum(np.searchsorted(row_labels, wanted), max(len(row_labels) - 1, 0))
        missing = wanted[row_labels[at] != wanted] if len(row_labels) else wanted
        if len(missing) == 0:
            return at
    code_of = code_by_name(row_labels)
    unknown = [label for label in wanted if str(label) not in code_of]
    if unknown:
        raise InputError(
            f"{len(unknown)} of {len(wanted)} rows are not in the release, first '{unknown[0]}'",
            hint="The mapping or secret belongs to another release.",
        )
    return np.array([code_of[str(label)] for label in wanted], dtype=np.int64)
