"""Ratings that are hard to group: ties, twins, items that do not vary, nobody different at all."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from recloak.core.ratings import Ratings


def hard_ratings(n_users: int, n_items: int, density: float, levels: int, seed: int) -> Ratings:
    """Few levels make ties; some users are twins of others, some have no ratings at all."""
    rng = np.random.default_rng(seed)
    rated = rng.random((n_users, n_items)) < density
    values = rng.integers(1, levels + 1, (n_users, n_items)).astype(np.float32)
    if levels > 5:  # not whole numbers, as on a continuous scale
        values = (values / levels * 5).astype(np.float32)
    twins = rng.random(n_users) < 0.3
    originals = rng.integers(0, n_users, n_users)
    rated[twins], values[twins] = rated[originals[twins]], values[originals[twins]]
    if seed % 3 == 0:
        rated[:, 0], values[:, 0] = True, 4.0
    if seed % 11 == 0:
        rated[:], values[:] = rated[0], values[0]
    users, items = np.nonzero(rated)
    return _with_all_users(users, items, values[rated], n_users, n_items)


def _with_all_users(users: Any, items: Any, values: Any, n_users: int, n_items: int) -> Ratings:
    offsets = np.concatenate([[0], np.cumsum(np.bincount(users, minlength=n_users))])
    from recloak.core.scale import Scale

    return Ratings(
        offsets.astype(np.int64),
        items.astype(np.int32),
        values.astype(np.float32),
        Scale(0.0, 5.0, None),
        np.arange(n_users),
        np.arange(n_items),
    )


@st.composite
def hard_cases(draw: st.DrawFn) -> tuple[Ratings, int]:
    """Ratings and a k; the number of users often lies just around k, 2k and 3k."""
    k = draw(st.integers(2, 6))
    near = st.builds(lambda times, more: times * k + more, st.integers(1, 4), st.integers(-1, 1))
    n_users = max(k, draw(near | st.integers(k, 40)))
    ratings = hard_ratings(
        n_users,
        draw(st.integers(1, 8)),
        draw(st.sampled_from([0.05, 0.3, 0.7, 1.0])),
        draw(st.sampled_from([1, 2, 5, 1000])),
        draw(st.integers(0, 10**6)),
    )
    return ratings, k
