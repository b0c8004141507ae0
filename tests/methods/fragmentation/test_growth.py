"""Where new ratings go, for any ratings and any rules."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.methods.fragmentation import Fragmentation
from recloak.methods.fragmentation.growth import GrowthParameters, grow
from recloak.releases.extension_state import ExtensionState
from recloak.testing import random_ratings

FEATURES = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)


def state(seed: int, share: float, pieces: int) -> ExtensionState:
    """Some ratings are new; the others stand in up to so many rows of their person."""
    rng = np.random.default_rng(seed)
    ratings = random_ratings(25, 30, 0.4, seed=seed)
    new = rng.random(len(ratings)) < share
    place = ratings.user_codes().astype(np.int64) * pieces + rng.integers(0, pieces, len(ratings))
    names, row = np.unique(place[~new], return_inverse=True)
    where = np.full(len(ratings), -1, dtype=np.int64)
    where[~new] = row
    founders = np.array([rng.choice(ratings.items[where == at]) for at in range(len(names))])
    return ExtensionState(ratings, where, names, names // pieces, founders.astype(np.int64))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 1000),
    share=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    pieces=st.integers(1, 4),
    most=st.integers(0, 2),
    way=st.sampled_from(["rows", "siblings"]),
)
def test_rows_only_grow_each_in_the_hands_of_one_person(
    seed: int, share: float, pieces: int, most: int, way: str
) -> None:
    before = state(seed, share, pieces)
    method = Fragmentation(p1=3, target_support=8).using(FEATURES[: before.ratings.n_items])
    rules = GrowthParameters(rows_per_person=most, grow=way, at_least=1)
    after = grow(method, before, rules, Randomness.from_seed(seed), SILENT)
    old = before.row >= 0
    assert np.array_equal(after.row[old], before.row[old])
    published = len(before.owners)
    assert np.array_equal(after.owners[:published], before.owners)
    user = before.ratings.user_codes()
    there = after.row >= 0
    assert np.array_equal(after.owners[after.row[there]], user[there])
    assert np.array_equal(np.unique(after.row[there]), np.arange(len(after.owners)))
    for at in range(published, len(after.owners)):
        assert after.founders[at] in before.ratings.items[after.row == at]
    touched = np.unique(after.row[~old & there])
    changed = np.bincount(after.owners[touched], minlength=before.ratings.n_users)
    assert np.array_equal(changed > 0, np.bincount(user[~old], minlength=len(changed)) > 0)
    if most:
        assert changed.max(initial=0) <= most
    else:
        assert there.all()
    if way == "siblings":
        assert (touched >= published).all()
