"""Candidates that are fragments: a row holds some of a person's ratings, other rows the rest."""

from __future__ import annotations

import numpy as np

from recloak.attacks.bayes_linkage._candidates import IMPOSSIBLE
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.attacks.bayes_linkage._rows import RowCandidates, ValueChance
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings

MOST_OF_A_PERSON = 0.95
LOG_IMPOSSIBLE = float(np.log(IMPOSSIBLE))


class FragmentCandidates(RowCandidates):
    """Every row is a part of a person's ratings.

    A known rating lies in the fragment with the share that the fragment has of all ratings of its
    person, and else is what people rate in general. How many ratings the person has follows from
    the fragment's length and from what people have on average, half and half. A fragment that
    holds a known item with another value is not theirs.
    """

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
        self._total: Floats = np.maximum(0.5 * (rows_per_person * own + own.sum() / people), own)
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
                fits = 1.0 if value is None else self.fits(item, rows, published, value)
                held[rows] += fits
        return np.asarray((self.table.user_counts - held) * LOG_IMPOSSIBLE)

    def likelihood(self, item: int, value: float | None) -> Floats:
        held, published = self.holders(item)
        fits = np.ones(len(held)) if value is None else self.fits(item, held, published, value)
        general = float(fits.sum()) / max(self.table.n_ratings, 1)
        found: Floats = self._elsewhere * general
        found[held] = fits
        return found
