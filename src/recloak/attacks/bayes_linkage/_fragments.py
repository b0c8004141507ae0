"""Candidates that are fragments: a row holds some of a person's ratings, other rows the rest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.attacks.bayes_linkage._candidates import IMPOSSIBLE, LOG_IMPOSSIBLE
from recloak.attacks.bayes_linkage._kernels import mark_overlapping, sum_of_rows
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.attacks.bayes_linkage._rows import RowCandidates, ValueChance
from recloak.core.arrays import Codes, Floats
from recloak.core.ratings import Ratings

MOST_OF_A_PERSON = 0.95
MOST_PAIRS = 1_000_000_000  # of fragments, a byte each
TOO_MANY = (
    "There are too many rows to compare each with each: the attack did not use that rows of "
    "one person share no item, so an adversary may find a few more people."
)
ANY_FRAGMENT = 0.02  # the weight of what all fragments hold beside what those hold that may fit


class FragmentCandidates(RowCandidates):
    """Every row is a part of a person's ratings.

    A known rating lies in the fragment with the share that the fragment has of all ratings of its
    person, and else is what people rate in general. Whoever has the fragment has elsewhere as many
    ratings as people have on average: those with many ratings have more fragments than others. A
    fragment that holds a known item with another value is not theirs.
    """

    only_holders: ClassVar[bool] = False

    def __init__(
        self,
        rows: Ratings,
        value_chance: ValueChance,
        rows_per_person: float,
        item_weights: Floats,
    ) -> None:
        super().__init__(rows, value_chance)
        people = max(rows.n_users / max(rows_per_person, 1.0), 1.0)
        own = super().mass(item_weights)
        self.rows_per_person, self.own, self.others = rows_per_person, own, own.sum() / people
        self._total: Floats = own + self.others
        share = np.minimum(own / np.maximum(self._total, IMPOSSIBLE), MOST_OF_A_PERSON)
        each = max(float(own.sum()) / max(rows.n_ratings, 1), IMPOSSIBLE)
        self._elsewhere: Floats = (1 - share) * self._total / each

    def mass(self, item_weights: Floats) -> Floats:
        return self._total

    def log_nothing_beyond(self, known: Known) -> Floats:
        """A fragment with anything that is not known cannot be theirs."""
        held = np.zeros(self.count)
        for item, value in known.pairs():
            if item >= 0:
                rows, published = self.holders(item)
                held[rows] += self.fits_one(item, rows, published, value)
        return np.asarray((self.table.user_counts - held) * LOG_IMPOSSIBLE)

    def likelihood(self, item: int, value: float | None) -> Floats:
        held, published = self.holders(item)
        fits = self.fits_one(item, held, published, value)
        found: Floats = self._elsewhere * self.in_other_fragments(held, fits)
        found[held] = fits
        return found

    def in_other_fragments(self, held: Codes, fits: Floats) -> Floats | float:
        """The share that a known rating has of all ratings of a person's other fragments."""
        return float(fits.sum()) / max(self.table.n_ratings, 1)


class SharedLinesCandidates(FragmentCandidates):
    """Fragments that were cut along the same lines for everyone.

    Those of one person hold no item twice, so a person's other fragments are among those that
    have no item in common with this one. A known item that lies on this side of the lines is held
    by fragments that overlap, and its absence here speaks against the fragment.
    """

    def __init__(
        self,
        rows: Ratings,
        value_chance: ValueChance,
        rows_per_person: float,
        item_weights: Floats,
    ) -> None:
        super().__init__(rows, value_chance, rows_per_person, item_weights)
        self._apart = np.ones((rows.n_users, rows.n_users), np.uint8)
        by_item = rows.by_item
        mark_overlapping(rows.offsets, rows.items, by_item.offsets, by_item.users, self._apart)
        every = np.arange(rows.n_users, dtype=np.int32)
        lengths = rows.user_counts.astype(np.float64)
        self._ratings_apart = np.maximum(sum_of_rows(self._apart, every, lengths), 1.0)

    def in_other_fragments(self, held: Codes, fits: Floats) -> Floats:
        fitting = fits > 0
        apart = sum_of_rows(self._apart, held[fitting], fits[fitting]) / self._ratings_apart
        general = super().in_other_fragments(held, fits)
        return np.asarray((1 - ANY_FRAGMENT) * apart + ANY_FRAGMENT * general)


def fragment_candidates(
    rows: Ratings,
    value_chance: ValueChance,
    rows_per_person: float,
    item_weights: Floats,
    *,
    shared_lines: bool,
) -> FragmentCandidates:
    """The candidates, by how rows were cut; of very many, pairs are not compared."""
    compared = shared_lines and rows.n_users**2 <= MOST_PAIRS
    kind = SharedLinesCandidates if compared else FragmentCandidates
    candidates = kind(rows, value_chance, rows_per_person, item_weights)
    if shared_lines and not compared:
        candidates.note = TOO_MANY
    return candidates
