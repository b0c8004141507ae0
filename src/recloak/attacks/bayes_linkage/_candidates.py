"""Candidates: the rows, groups or clusters of a release one of which holds the person.

A candidate is weighed by prior × likelihood. The prior is the same for each person. The likelihood
of what is known is, for each known item, the chance that whoever stands behind the candidate gave
this rating (`likelihood`), over how much of theirs could as well have come to be known (`mass`): a
short row that holds all that is known explains it better than a long one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from sys import maxsize
from typing import ClassVar, NamedTuple

import numpy as np

from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.core.arrays import Codes, Floats, Indices
from recloak.core.ratings import ItemView, Ratings

IMPOSSIBLE = 1e-12
LOG_IMPOSSIBLE = float(np.log(IMPOSSIBLE))


class RatedCells(NamedTuple):
    """What candidates tell of items: the candidate, the item, and the chance that it was rated."""

    owners: Codes
    items: Codes
    chances: Floats


class Candidates(ABC):
    """All candidates of one release."""

    table: Ratings
    """A row of listed items and values for each candidate."""

    note: str = ""
    """What the report says about the weighing where it is weaker than it could be."""
    is_one_person: ClassVar[bool] = False
    """Does a candidate list all that one person rated? Then what is left can be counted down."""

    @property
    def count(self) -> int:
        """How many candidates there are."""
        return self.table.n_users

    @property
    def most_sought(self) -> int:
        """How many people are sought among them at most, however little is known of each."""
        return maxsize

    @property
    def people(self) -> Floats:
        """How many people stand behind each candidate."""
        return np.ones(self.count)

    @abstractmethod
    def likelihood(self, item: int, value: float | None) -> Floats:
        """For each candidate the chance that its person rated the item, and gave the value."""

    @abstractmethod
    def chances(self) -> Floats:
        """For each listed cell the chance that the candidate's person rated the item."""

    @abstractmethod
    def rows_named(self, weights: Floats, known: Known) -> tuple[Indices, float]:
        """The rows of the release between which the adversary cannot decide, and their confidence.

        ``weights`` are those of each of the people behind a candidate; with `people` they add up
        to the chance that the person is in the release at all. The confidence is the chance that
        one of these rows, taken by itself, is the person's.
        """

    def cells(self) -> RatedCells:
        """Every item that a candidate tells of, once."""
        return RatedCells(self.table.user_codes(), self.table.items, self.chances())

    def sharing(self, row: int) -> int:
        """How many people share what a row tells."""
        return 1

    def mass(self, item_weights: Floats) -> Floats:
        """For each candidate the summed weight of the items that its person rated."""
        cells = self.chances() * item_weights[self.table.items]
        owners = self.table.user_codes()
        return np.bincount(owners, weights=cells, minlength=self.count).astype(np.float64)

    def log_nothing_beyond(self, known: Known) -> Floats | float:
        """For each candidate how likely it lists what it lists if all of a person is known."""
        return 0.0

    def holders(self, item: int) -> tuple[Codes, Floats]:
        """The candidates that list an item, and the values that they list."""
        index: ItemView = self.table.by_item
        here = slice(index.offsets[item], index.offsets[item + 1])
        return index.users[here], index.values[here].astype(np.float64)
