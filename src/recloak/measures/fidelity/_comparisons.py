"""Comparisons of two tables of ratings of the same items; None if nothing can be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.measures.detectability import distance

HEAD = 200  # items whose pairs are compared
ENOUGH = 10  # ratings of an item for its mean to be compared
LEVELS = 20


class FidelityMeasure(NamedTuple):
    """A figure: its name, how it is read, and how it is made of the reference and another table."""

    name: str
    heading: str
    meaning: str
    agreement: bool
    """Is more better? Else it is a distance."""
    compare: Callable[[Ratings, Ratings], float | None]


def _correlation(one: Floats, two: Floats) -> float | None:
    if len(one) < 3 or one.std() == 0 or two.std() == 0:
        return None
    return float(np.corrcoef(one, two)[0, 1])


def _popularity(reference: Ratings, other: Ratings) -> float | None:
    shares = [each.item_support / max(each.n_users, 1) for each in (reference, other)]
    return _correlation(*shares)


def _row_sizes(reference: Ratings, other: Ratings) -> float:
    return distance(np.sort(reference.user_counts), np.sort(other.user_counts))


def _levels(reference: Ratings, other: Ratings) -> float | None:
    """Half the sum of differences between the shares of levels, or of as many equal ranges."""
    scale = reference.scale
    if scale.span == 0:
        return None
    levels = scale.levels()
    count = LEVELS if levels is None or len(levels) > LEVELS else len(levels)
    half = scale.span / max(count - 1, 1) / 2
    edges = np.linspace(scale.low - half, scale.high + half, count + 1)
    shares = [
        np.histogram(each.values, edges)[0] / max(each.n_ratings, 1) for each in (reference, other)
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _item_means(reference: Ratings, other: Ratings) -> float | None:
    if reference.scale.span == 0:
        return None
    known = (reference.item_support >= ENOUGH) & (other.item_support >= ENOUGH)
    means = [
        np.bincount(each.items, each.values, each.n_items)[known] / each.item_support[known]
        for each in (reference, other)
    ]
    return _correlation(*means)


def _lift(reference: Ratings, other: Ratings) -> float | None:
    """Over pairs of the head: how much oftener both are rated by one person than by chance."""
    head = np.argsort(-reference.item_support, kind="stable")[:HEAD]
    head = head[(reference.item_support[head] > 0) & (other.item_support[head] > 0)]
    above = np.triu_indices(len(head), 1)
    lifts = [_log_lifts(each, head)[above] for each in (reference, other)]
    return _correlation(*lifts)


def _log_lifts(ratings: Ratings, head: np.ndarray) -> Floats:
    held = ratings.to_csr()[:, head].astype(np.float64)
    held.data = np.ones_like(held.data)
    together = (held.T @ held).toarray()
    support = ratings.item_support[head]
    by_chance = np.outer(support, support) / max(ratings.n_users, 1)
    return np.asarray(np.log((together + 1) / (by_chance + 1)))


COMPARISONS = (
    FidelityMeasure(
        "popularity",
        "Popularity kept",
        "how well the shares of people that rate each item agree (correlation)",
        True,
        _popularity,
    ),
    FidelityMeasure(
        "row_sizes",
        "Sizes of rows",
        "how far the numbers of ratings of a row differ (Kolmogorov–Smirnov distance)",
        False,
        _row_sizes,
    ),
    FidelityMeasure(
        "levels",
        "Levels of ratings",
        "how far the shares of rating levels differ (total variation)",
        False,
        _levels,
    ),
    FidelityMeasure(
        "lift",
        "Rated together",
        "how far it is the same items, of the most rated ones, that a person rates together more "
        "often than by chance (correlation of log lifts)",
        True,
        _lift,
    ),
    FidelityMeasure(
        "item_means",
        "Means of items",
        f"how well the mean ratings of items with {ENOUGH} or more ratings agree (correlation)",
        True,
        _item_means,
    ),
)
