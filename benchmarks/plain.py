"""Plain references: the same work as readable NumPy, for benchmarks to be held against."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from recloak.core.ratings import Ratings
from recloak.methods.fragmentation import Fragmentation


def plain_fragmentation(ratings: Ratings, features: NDArray[np.float32], strength: float) -> int:
    """Record fragmentation with a loop over people; returns the number of fragments."""
    recipe = Fragmentation(preset="paper-3")
    safe, p2 = recipe.supports(ratings.item_support)[1], recipe.parameters.p2
    support, total = ratings.item_support, 0
    for user in range(ratings.n_users):
        items, _ = ratings.row(user)
        rare = items[support[items] < safe]
        rare = rare[np.lexsort((rare, support[rare]))]
        places = np.arange(1, len(rare))
        fits = support[rare[1:]] * places <= strength * np.log1p(len(items) / p2)
        count = 1 + int(np.cumprod(fits).sum())
        centroids = features[rare[:count]]
        gaps = np.square(features[items][:, None] - centroids[None]).sum(axis=2)
        total += len(np.unique(gaps.argmin(axis=1))) if len(rare) else 1
    return total


def plain_scoreboard(rows: Ratings, original: Ratings, attacks: int, known: int) -> int:
    """Scoreboard-RH that looks at every rating of every row; returns how many rows were named."""
    rng = np.random.default_rng(0)
    weights = 1 / np.log(rows.item_support + 1.0)
    able = np.flatnonzero(original.user_counts >= known)
    owners, named = rows.user_codes(), 0
    for user in rng.choice(able, attacks):
        items, values = original.row(user)
        picked = rng.choice(len(items), known, replace=False)
        wanted = np.full(rows.n_items, np.nan, dtype=np.float32)
        wanted[items[picked]] = values[picked]
        match = rows.values == wanted[rows.items]
        scores = np.bincount(owners[match], weights[rows.items[match]], minlength=rows.n_users)
        second, first = np.partition(scores, -2)[-2:]
        named += (first - second) / scores.std() > 1.5
    return named


def plain_mdav(records: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """MDAV on a dense table, word for word: every distance anew in every round."""
    labels, left, group = np.full(len(records), -1), np.arange(len(records)), 0
    while len(left) >= 3 * k:
        for _ in range(2):
            centre = records[left].mean(axis=0)
            far = left[np.square(records[left] - centre).sum(axis=1).argmax()]
            gaps = np.square(records[left] - records[far]).sum(axis=1)
            taken = left[np.argsort(gaps, kind="stable")[:k]]
            labels[taken], group = group, group + 1
            left = np.setdiff1d(left, taken)
    labels[left] = group
    return labels


def plain_disassociation(ratings: Ratings, k: int = 2, most: int = 100) -> int:
    """HORPART and VERPART for m = 2 with sets of (item, value); returns the number of rows."""
    users, items = ratings.user_codes().tolist(), ratings.items.tolist()
    people: list[set[tuple[int, float]]] = [set() for _ in range(ratings.n_users)]
    for user, item, value in zip(users, items, ratings.values.tolist(), strict=True):
        people[user].add((item, value))
    return sum(_torn(part, k) for part in _parted(people, set(), k, most))


def _parted(
    people: list[set[tuple[int, float]]], used: set[tuple[int, float]], k: int, most: int
) -> list[list[set[tuple[int, float]]]]:
    counts = Counter(term for person in people for term in person if term not in used)
    if len(people) <= most or not counts:
        return [people]
    term = max(counts, key=lambda one: counts[one])
    having = [person for person in people if term in person]
    rest = [person for person in people if term not in person]
    if len(having) < k or len(rest) < k:
        return _parted(people, used | {term}, k, most)
    return _parted(having, used | {term}, k, most) + _parted(rest, used, k, most)


def _torn(people: list[set[tuple[int, float]]], k: int) -> int:
    counts = Counter(term for person in people for term in person)
    raters = Counter(item for person in people for item, _ in person)
    rows = sum(count < k for count in counts.values())
    values: dict[int, list[tuple[int, float]]] = {}
    for term in counts:
        if counts[term] >= k:
            values.setdefault(term[0], []).append(term)
    left = sorted(values, key=lambda item: -raters[item])
    while left:
        chunk: list[tuple[int, float]] = []
        taken: set[int] = set()
        for item in left:
            pairs = [(term, other) for term in values[item] for other in chunk]
            both = [
                sum(term in person and other in person for person in people)
                for term, other in pairs
            ]
            if all(count == 0 or count >= k for count in both):
                chunk += values[item]
                taken.add(item)
        rows += sum(any(term in person for term in chunk) for person in people)
        left = [item for item in left if item not in taken]
    return rows
