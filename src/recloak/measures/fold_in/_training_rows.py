"""Whom fold-in asks about, and what a recipient trains on: rows, each with its weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Indices, places_within
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.releases.grouped import GroupedRelease


@dataclass(frozen=True)
class Newcomers:
    """The same people twice: the ratings that they tell, and those that are to be predicted."""

    given: Ratings
    asked: Ratings

    @classmethod
    def split(cls, outsiders: Ratings, seed: int) -> Newcomers:
        """Half of each person's ratings at random; of an odd number the larger half is asked.

        Those with a single rating are left out, for nothing could be given of them.
        """
        people = outsiders.take_users(np.flatnonzero(outsiders.user_counts >= 2))
        rng = Randomness.from_seed(seed).generator("ratings that newcomers give")
        shuffled = np.lexsort((rng.random(people.n_ratings), people.user_codes()))
        half = np.repeat(people.user_counts // 2, people.user_counts)
        given = np.zeros(people.n_ratings, dtype=np.bool_)
        given[shuffled] = places_within(people.user_counts) < half
        return cls(people.keep(given), people.keep(~given))

    def __len__(self) -> int:
        return self.given.n_users


@dataclass(frozen=True)
class TrainingRows:
    """Rows, how many people each stands for, and the codes that items of the original have there.

    The profile of a group is one row with the weight of all members: what is learnt from it is
    the same as from its copies.
    """

    rows: Ratings
    weights: Floats
    item_code: Indices

    @classmethod
    def of_release(cls, rehearsed: AuditContext) -> TrainingRows:
        """What the rehearsed release lists."""
        if isinstance(rehearsed.release, GroupedRelease):
            profiles, sizes = rehearsed.release.profiles, rehearsed.release.sizes
            codes = match_items(rehearsed.original, profiles)
            return cls(profiles, sizes.astype(np.float64), codes)
        return cls.unweighted(rehearsed.rows, rehearsed.item_in_release)

    @classmethod
    def of_original(cls, known: Ratings) -> TrainingRows:
        """The members' own ratings, as they are."""
        rows = known.compact()
        return cls.unweighted(rows, match_items(known, rows))

    @classmethod
    def unweighted(cls, rows: Ratings, item_code: Indices) -> TrainingRows:
        return cls(rows, np.ones(rows.n_users), item_code)

    @property
    def rating_weights(self) -> Floats:
        """The weight of each rating."""
        return np.repeat(self.weights, self.rows.user_counts)
