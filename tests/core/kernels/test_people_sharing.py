from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.kernels.people_sharing import count_people_sharing
from recloak.testing import random_ratings


@given(seed=st.integers(0, 10**6), known=st.integers(1, 4), values=st.booleans())
def test_counts_agree_with_looking_at_everyone(seed: int, known: int, values: bool) -> None:
    ratings = random_ratings(25, 8, 0.5, seed)
    rng = np.random.default_rng(seed)
    rows = [
        dict(zip(*(part.tolist() for part in ratings.row(user)), strict=True))
        for user in range(ratings.n_users)
    ]
    places, expected = [], []
    for user in range(ratings.n_users):
        count = ratings.user_counts[user]
        mine = ratings.offsets[user] + rng.choice(count, min(known, count), replace=False)
        places.append(mine)
        cells = [(int(ratings.items[at]), float(ratings.values[at])) for at in mine]
        shares = [
            all(item in row and (not values or row[item] == value) for item, value in cells)
            for row in rows
        ]
        expected.append(min(sum(shares), 3))
    offsets = np.cumsum([0, *map(len, places)], dtype=np.int64)
    index = ratings.by_item
    arrays = (ratings.offsets, ratings.items, ratings.values, index.offsets, index.users)
    sizes = count_people_sharing(offsets, np.concatenate(places), *arrays, values, 3)
    assert sizes.tolist() == expected
