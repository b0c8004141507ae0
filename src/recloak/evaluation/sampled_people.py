"""Who takes part in a rehearsal or is looked at: everybody, or of very many ratings some people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core.arrays import Indices, offsets_from
from recloak.core.ratings import Ratings

MOST_RATINGS = 1 << 23
"""How many ratings take part at most, as many as the audit of a release on disk looks at."""


def sampled_people(original: Ratings, most_ratings: int, rng: np.random.Generator) -> Indices:
    """The people who take part, in random order."""
    people = rng.permutation(original.n_users)
    share = min(1.0, most_ratings / max(original.n_ratings, 1))
    return people[: max(2, int(share * len(people)))]


def ratings_of(original: Ratings, people: Indices) -> Ratings:
    """The ratings of these people; all others keep their codes and have none."""
    if len(people) == original.n_users:
        return original
    people = np.sort(people)
    counts = np.zeros(original.n_users, np.int64)
    counts[people] = original.user_counts[people]
    taken = original.take_users(people)
    return replace(taken, offsets=offsets_from(counts), user_labels=original.user_labels)
