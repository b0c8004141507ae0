"""Randomness tests: could ids or values like these have come from chance alone?"""

from __future__ import annotations

import numpy as np

from recloak.auditing.leak_scan import _p_values as p_value
from recloak.core.arrays import Codes, Floats, Integers, Labels
from recloak.core.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW
from recloak.core.ratings import Ratings

SURE = 1e-9  # how improbable chance must be before it is called a trace
ENOUGH_ROWS = 20


def drawn_badly(ids: Labels, what: str) -> str | None:
    """Are these ids, ascending, unlike random numbers of fifteen digits?"""
    if len(ids) == 0:
        return None
    if ids.dtype != np.int64 or ids.min() < PSEUDONYM_LOW or ids.max() >= PSEUDONYM_HIGH:
        return f"the {what} ids are not the random numbers of fifteen digits that recloak draws"
    if len(ids) < ENOUGH_ROWS:
        return None
    places = (ids - PSEUDONYM_LOW) / (PSEUDONYM_HIGH - PSEUDONYM_LOW)
    if p_value.of_distribution(places) < SURE:
        return f"the {what} ids are not spread over their whole range"
    gaps = np.diff(places) * len(places)
    if p_value.of_distribution(-np.expm1(-gaps)) < SURE:
        return f"the {what} ids stand nearer to each other, or more evenly, than random ones would"
    return _digits_of_ids(ids, what)


def _digits_of_ids(ids: Integers, what: str) -> str | None:
    """Every digit and the lowest bit of random ids are spread evenly."""
    for power in range(14):
        seen = np.bincount(ids // 10**power % 10, minlength=10)
        if p_value.of_even_counts(seen) < SURE:
            return f"digit {power + 1} of the {what} ids, counted from the right, is not random"
    if p_value.of_coin(int((ids % 2).sum()), len(ids)) < SURE:
        return f"the {what} ids are even or odd more often than chance allows"
    return None


def rises_with_row(feature: Floats) -> bool:
    """Does a rank correlation with the order of rows go beyond chance?"""
    return p_value.of_rank_correlation(feature) < SURE


def differs_by_row(values: Floats, rows: Codes) -> bool:
    """One-way analysis of variance, from sums."""
    counts = np.bincount(rows)
    present = counts > 1
    groups, total = int(present.sum()), int(counts[present].sum())
    if groups < 2 or total <= groups:
        return False
    kept = present[rows]
    values, rows = values[kept], rows[kept]
    sums = np.bincount(rows, values, len(counts))[present]
    means = sums / counts[present]
    between = float((counts[present] * np.square(means - values.mean())).sum()) / (groups - 1)
    overall = float(np.square(values - values.mean()).sum())
    within = (overall - between * (groups - 1)) / (total - groups)
    if within <= 0:
        return between > 0
    return p_value.of_variance_ratio(between / within, groups - 1, total - groups) < SURE


def ids_follow_rows(rows: Ratings) -> str | None:
    """Does the order of the ids follow what stands in the rows?"""
    counts = rows.user_counts
    sums = np.add.reduceat(np.append(rows.values, 0.0), rows.offsets[:-1])
    features = {"number of ratings": counts, "mean rating": sums / np.maximum(counts, 1)}
    for name, feature in features.items():
        if len(np.unique(feature)) > 1 and rises_with_row(feature.astype(np.float64)):
            return f"the order of the row ids follows the {name} of the rows"
    return None
