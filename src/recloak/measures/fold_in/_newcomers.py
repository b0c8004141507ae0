"""Newcomers: people who are not in the release; half of what they rated is given, half asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import places_within
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings


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
        rng = Randomness.from_seed(seed).generator("ratings that newcomers tell")
        shuffled = np.lexsort((rng.random(people.n_ratings), people.user_codes()))
        half = np.repeat(people.user_counts // 2, people.user_counts)
        given = np.zeros(people.n_ratings, dtype=np.bool_)
        given[shuffled] = places_within(people.user_counts) < half
        return cls(people.keep(given), people.keep(~given))

    def __len__(self) -> int:
        return self.given.n_users
