"""Samples of the people on which settings are tried before all, and how many go on from there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recloak.comparison.settings import Setting
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings

FEWEST_PEOPLE = 1000  # fewer tell too little about the others
ENOUGH_RATINGS = 60_000  # where people have few ratings, more people are needed
LARGEST_SHARE = 0.5  # of all people; of more, full runs cost hardly more
KEPT_SHARE = 0.25
FEWEST_KEPT = 8
QUICK_PEOPLE = 1000


def sizes_of_rounds(ratings: Ratings) -> list[int]:
    """On how many people settings are tried before all; on few, full runs are as quick."""
    of_each = ratings.n_ratings / max(ratings.n_users, 1)
    people = max(FEWEST_PEOPLE, round(ENOUGH_RATINGS / max(of_each, 1.0)))
    return [people] if people <= LARGEST_SHARE * ratings.n_users else []


def sample_of(ratings: Ratings, people: int, seed: int) -> Ratings:
    """The ratings of so many people, drawn at random."""
    generator = Randomness.from_seed(seed).generator("sample of people to compare on")
    drawn = generator.choice(ratings.n_users, people, replace=False)
    return ratings.take_users(np.sort(drawn)).compact()


def kept_of(count: int) -> int:
    """How many of so many settings go on from a sample."""
    return max(FEWEST_KEPT, round(KEPT_SHARE * count))


def every_other(settings: Sequence[Setting]) -> list[Setting]:
    """Of each family of settings the first, the third and so on."""
    families: dict[str, list[Setting]] = {}
    for setting in settings:
        families.setdefault(setting.family, []).append(setting)
    kept = {id(setting) for some in families.values() for setting in some[::2]}
    return [setting for setting in settings if id(setting) in kept]
