from __future__ import annotations

import numpy as np

from recloak.core.row_classes import identical_rows, row_hashes
from recloak.testing import random_ratings


def test_a_hash_collision_does_not_join_different_rows() -> None:
    ratings = random_ratings(50, 5, 0.4)
    arrays = (ratings.offsets, ratings.items, ratings.values.view(np.uint32))
    true_hashes = row_hashes(*arrays, True)
    expected = identical_rows(*arrays, true_hashes, np.argsort(true_hashes, kind="stable"), True)
    same = np.zeros(ratings.n_users, dtype=np.uint64)
    collided = identical_rows(*arrays, same, np.arange(ratings.n_users), True)
    assert len(np.unique(collided)) == len(np.unique(expected))
    for first in np.unique(collided):
        assert len(np.unique(expected[collided == first])) == 1


def test_equal_rows_have_equal_hashes_and_values_count_only_if_asked_for() -> None:
    ratings = random_ratings(200, 3, 0.5)
    hashes = row_hashes(ratings.offsets, ratings.items, ratings.values.view(np.uint32), False)
    for user in range(ratings.n_users):
        for other in range(user):
            alike = ratings.row(user)[0].tolist() == ratings.row(other)[0].tolist()
            assert (hashes[user] == hashes[other]) == alike
