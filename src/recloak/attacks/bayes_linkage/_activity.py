"""Activity: how much the person of a sub-record rates, as its chunk tells.

People differ in how much they rate. Whoever rates much has more of the items of a chunk, and any
one of their ratings is less likely to be among those that came to be known. So of the sub-records
that hold what is known, one that holds nothing else is the likelier.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks.bayes_linkage._kernels import activity_weights
from recloak.core.arrays import Floats, Indices, Integers
from recloak.core.ratings import Ratings

LEVELS = 16  # of activity, equally many people on each; it varies as an exponential variable does
MOST_RATERS = 0.99
QUANTILES = (np.arange(LEVELS) + 0.5) / LEVELS


class Activity:
    """For each sub-record how likely its person has each level of activity."""

    def __init__(self, rows: Ratings, chunk: Integers, people: Floats) -> None:
        """``chunk`` numbers the chunk of each row; ``people`` are those of each chunk."""
        owners, items = rows.user_codes(), rows.items.astype(np.int64)
        key = chunk[owners] * rows.n_items + items
        pairs, pair_of, raters = np.unique(key, return_inverse=True, return_counts=True)
        chunk_of = pairs // rows.n_items
        share = np.minimum(raters / people[chunk_of], MOST_RATERS)
        absent = -np.outer(_rate(share), _levels())
        held = np.log(-np.expm1(absent))
        self._ratings = np.exp(held).T @ people[chunk_of]
        self._ratings /= self._ratings.mean()
        self._chances = np.empty((rows.n_users, LEVELS), np.float32)
        for level in range(LEVELS):
            none = np.bincount(chunk_of, absent[:, level], len(people))
            instead = (held - absent)[:, level][pair_of]
            found = np.bincount(owners, instead, rows.n_users)
            self._chances[:, level] = none[chunk] + found
        self._chances -= self._chances.max(axis=1, keepdims=True)
        np.exp(self._chances, out=self._chances)
        self._chances /= self._chances.sum(axis=1, keepdims=True)

    def weights(self, rows: Indices, known: Integers) -> Floats:
        """How likely so many of the ratings in each of ``rows`` came to be known, in proportion."""
        counts = np.arange(known.max(initial=0) + 1, dtype=np.float64)
        drawn = self._ratings[None, :] ** -counts[:, None]
        return activity_weights(rows, known, self._chances, drawn)


def _levels() -> Floats:
    levels = -np.log1p(-QUANTILES)
    return np.asarray(levels / levels.mean())


def _rate(shares: Floats) -> Floats:
    """At which rate people of mean activity rate an item that this share of all people rated."""
    rates = np.concatenate([[0.0], np.geomspace(1e-7, 1e3, 2000)])
    rated = -np.expm1(-np.outer(rates, _levels())).mean(axis=1)
    return np.asarray(np.interp(shares, rated, rates))
