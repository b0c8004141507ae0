"""Tastes: what people gave beside what is usual for the item and for themselves."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats, Integers
from recloak.core.ratings import Ratings

PRIOR_RATINGS = 5.0
PRIOR_OF_A_PERSON = 3.0


def usual_values(rows: Ratings) -> Floats:
    """What each item usually gets; of few ratings nearer to the mean of all."""
    mean = rows.values.mean(dtype=np.float64)
    apart = np.bincount(rows.items, rows.values - mean, rows.n_items)
    return np.asarray(apart / (rows.item_support + PRIOR_RATINGS) + mean)


def fame_weights(rows: Ratings, powers: Floats) -> Floats:
    """Weights of items that count the less the more people rated them, a column for each power."""
    return np.asarray((rows.item_support + PRIOR_RATINGS)[:, None] ** -powers)


def departing(ratings: Ratings, usual: Floats) -> Floats:
    """What each rating departs from what is usual for the item and for the person."""
    apart = ratings.values - usual[ratings.items]
    people: Integers = ratings.user_codes().astype(np.int64)
    own = np.bincount(people, apart, ratings.n_users) / (ratings.user_counts + PRIOR_OF_A_PERSON)
    return np.asarray(apart - own[people])
