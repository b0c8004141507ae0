"""How far the rows of a release agree with what somebody liked more and less than others.

Whoever is in the data has moved a little what goes together in them, made-up rows included. In each
pair of items that is next to nothing; over all pairs of a person's ratings it adds up.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks.membership._agreement_kernels import summed_agreement
from recloak.core.arrays import Floats, Integers
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings

FAME_POWERS = np.array([0.25, 0.5, 1.0])
PRIOR_RATINGS = 5.0
PRIOR_OF_A_PERSON = 3.0
MOST_PRODUCTS = 3_000_000_000
PEOPLE_PER_BLOCK = 64
LEAST = 1e-9


def agreement(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """For several weights of famous items the agreement by its weight, and by rating."""
    if known.scale.span == 0 or asked.attacked.rows.n_ratings == 0:
        return []
    rows = _affordable(asked.attacked.rows, known)
    support = rows.item_support + PRIOR_RATINGS
    mean = rows.values.mean(dtype=np.float64)
    usual = np.bincount(rows.items, rows.values - mean, rows.n_items) / support + mean
    weights = support[:, None] ** -FAME_POWERS
    apart = rows.with_values(_departing(rows, usual).astype(np.float32), rows.scale)
    liked, columns = _departing(known, usual), apart.by_item
    squares = np.bincount(apart.items, np.square(apart.values), apart.n_items).astype(np.float64)
    found = np.zeros((known.n_users, len(FAME_POWERS), 2))

    def work(start: int, end: int) -> None:
        summed_agreement(
            known.offsets[start : end + 1],
            known.items,
            liked,
            columns.offsets,
            columns.users,
            columns.values,
            squares,
            weights,
            np.zeros((rows.n_users, len(FAME_POWERS))),
            found[start:end],
        )

    with SILENT.task("Comparing tastes") as task:
        in_threads(
            work, pairwise([*range(0, known.n_users, PEOPLE_PER_BLOCK), known.n_users]), task
        )
    each = np.maximum(known.user_counts, 1)[:, None]
    return [*(found[:, :, 0] / (found[:, :, 1] + LEAST)).T, *(found[:, :, 0] / each).T]


def _affordable(rows: Ratings, known: Ratings) -> Ratings:
    """All rows, or every n-th if they are many."""
    products = int(rows.item_support[known.items].sum(dtype=np.int64)) * len(FAME_POWERS)
    stride = 1 + products // MOST_PRODUCTS
    return rows if stride == 1 else rows.take_users(np.arange(0, rows.n_users, stride))


def _departing(ratings: Ratings, usual: Floats) -> Floats:
    """What each rating departs from what is usual for the item and for the person."""
    apart = ratings.values - usual[ratings.items]
    people: Integers = ratings.user_codes().astype(np.int64)
    own = np.bincount(people, apart, ratings.n_users) / (ratings.user_counts + PRIOR_OF_A_PERSON)
    return np.asarray(apart - own[people])
