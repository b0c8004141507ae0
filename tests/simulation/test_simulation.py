"""Made-up ratings: any possible size is met exactly, and a seed decides everything."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.errors import Cancelled, MachineError, ParameterError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.io import read, write
from recloak.io.writing import write_blocks
from recloak.simulation import DATASET_MODELS, MadeUpRatings, synthesize
from recloak.simulation._sizes import check_memory, resize, whole_shares

FILMS = ("ml-100k", "ml-1m", "ml-10m", "netflix", "flixster", "book-crossing")


def check_shape(ratings: Ratings) -> None:
    """What every made-up set promises."""
    assert ratings.offsets[0] == 0
    assert ratings.offsets[-1] == ratings.n_ratings
    assert (ratings.user_counts >= 1).all()
    new_user = np.diff(ratings.user_codes()) > 0
    assert (new_user | (np.diff(ratings.items) > 0)).all()
    assert ratings.items.max() < ratings.n_items
    if ratings.n_ratings >= ratings.n_items and ratings.times is not None:
        assert (ratings.item_support >= 1).all()
    assert ratings.scale.holds(ratings.values).all()
    assert ratings.user_labels[0] == ratings.item_labels[0] == 1


# -- sizes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ml-100k", "ml-1m", "jester", "survey"])
def test_default_sizes_are_met(name):
    like, ratings = DATASET_MODELS[name], synthesize(name, seed=1)
    check_shape(ratings)
    shape = (ratings.n_users, ratings.n_items, ratings.n_ratings)
    assert shape == (like.users, like.items, like.ratings)
    assert ratings.user_counts.min() >= like.fewest
    assert ratings.scale == like.scale
    assert (ratings.item_support >= 1).all()


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(DATASET_MODELS)),
    st.integers(1, 25),
    st.integers(1, 40),
    st.floats(0, 1),
    st.data(),
)
def test_any_possible_size_is_met(name, users, items, fill, data):
    wanted = users + round(fill * (users * items - users))
    seed = data.draw(st.integers(0, 99))
    ratings = synthesize(name, users=users, items=items, ratings=wanted, seed=seed)
    check_shape(ratings)
    assert (ratings.n_users, ratings.n_items, ratings.n_ratings) == (users, items, wanted)


@pytest.mark.parametrize("name", FILMS)
def test_sizes_left_open_keep_ratings_per_user(name):
    like = DATASET_MODELS[name]
    smaller = resize(like, like.users // 10, None, None)
    assert smaller.ratings / smaller.users == pytest.approx(like.ratings / like.users, rel=0.01)
    assert like.items / 10 < smaller.items < like.items
    assert resize(like, None, None, like.ratings // 10).users == pytest.approx(
        like.users / 10, abs=1
    )


@pytest.mark.parametrize("name", ["jester", "survey"])
def test_a_fixed_catalogue_does_not_shrink_with_the_people(name):
    like = DATASET_MODELS[name]
    smaller = resize(like, 100, None, None)
    assert smaller.items == like.items
    fewer = resize(like, None, like.items // 2, None)
    assert fewer.ratings / fewer.users / fewer.items == pytest.approx(
        like.ratings / like.users / like.items, rel=0.01
    )


@given(
    st.sampled_from(sorted(DATASET_MODELS)),
    *(st.one_of(st.none(), st.integers(1, 10**6)) for _ in range(2)),
)
def test_one_or_two_sizes_can_always_be_completed(name, users, items):
    like = resize(DATASET_MODELS[name], users, items, None)
    assert like.users <= like.ratings <= like.users * like.items
    assert like.users == users or users is None
    assert like.items == items or items is None
    like = resize(DATASET_MODELS[name], None, items, users)
    assert like.users <= like.ratings <= like.users * like.items


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"users": 10, "items": 5, "ratings": 51}, "10 to 50"),
        ({"users": 10, "items": 5, "ratings": 9}, "10 to 50"),
        ({"users": 0}, "Between 1 and"),
        ({"ratings": -3}, "Between 1 and"),
        ({"items": 2**31}, "Between 1 and"),
    ],
)
def test_the_impossible_is_refused_with_its_limits(sizes, message):
    with pytest.raises(ParameterError) as caught:
        synthesize("ml-100k", **sizes)
    assert message in str(caught.value)


@pytest.mark.parametrize("sizes", [{"users": 10**9}, {"ratings": 2**40}, {"items": 2 * 10**9}])
def test_what_no_machine_holds_is_refused_before_it_starts(sizes, monkeypatch):
    monkeypatch.setenv("RECLOAK_MEMORY_GB", "24")
    monkeypatch.setattr("recloak.simulation.make_plan", lambda *_: pytest.fail("it was started"))
    with pytest.raises(MachineError, match="24.0 GB"):
        synthesize("netflix", **sizes)


@pytest.mark.parametrize("name", DATASET_MODELS)
def test_every_default_size_fits_in_eight_gigabytes(name, monkeypatch):
    monkeypatch.setenv("RECLOAK_MEMORY_GB", "8")
    check_memory(DATASET_MODELS[name], DATASET_MODELS[name].ratings)


@pytest.mark.parametrize("name", ["ml-1m", "jester"])
def test_block_by_block_the_same_is_written(name, tmp_path, monkeypatch):
    monkeypatch.setattr("recloak.simulation._BLOCK_USERS", 40)
    sizes = 150, 90, 3000
    made = MadeUpRatings.like(name, *sizes, seed=1, at_once=False)
    whole = synthesize(name, users=150, items=90, ratings=3000, seed=1)
    write_blocks(made.blocks(SILENT), tmp_path / "blocks.parquet")
    write(whole, tmp_path / "whole.parquet")
    scale = str(whole.scale)
    assert read(tmp_path / "blocks.parquet", scale=scale).equals(whole)
    assert read(tmp_path / "whole.parquet", scale=scale).equals(whole)
    assert repr(made) == repr(whole)


def test_block_by_block_people_and_items_alone_must_fit(monkeypatch):
    held = []
    monkeypatch.setattr("recloak.simulation.check_memory", lambda _, ratings: held.append(ratings))
    for at_once in (True, False):
        MadeUpRatings.like("ml-1m", 150, 90, 3000, seed=1, at_once=at_once)
    assert held == [3000, 0]


def test_who_stops_while_blocks_are_written_leaves_no_file(tmp_path):
    class Stopping:
        @contextmanager
        def task(self, label, total=None):
            yield self

        def advance(self, amount=1):
            raise Cancelled

    made = MadeUpRatings.like("ml-1m", 150, 90, 3000, seed=1, at_once=False)
    with pytest.raises(Cancelled):
        write_blocks(made.blocks(Stopping()), tmp_path / "r.parquet")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match="Did you mean 'netflix'"):
        synthesize("netflicks")


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(0, 1), st.data())
def test_whole_shares_meet_the_sum_within_the_bounds(weights, fill, data):
    spans = st.integers(0, 9)
    least = np.array([data.draw(spans) for _ in weights])
    most = least + np.array([data.draw(spans) for _ in weights])
    total = int(least.sum()) + int(fill * (most - least).sum())
    shares = whole_shares(np.array(weights), total, least, most)
    assert shares.sum() == total
    assert ((least <= shares) & (shares <= most)).all()


# -- seeds and progress ----------------------------------------------------------------------


def test_a_seed_decides_everything():
    sizes = {"users": 300, "ratings": 9000}
    first = synthesize("ml-1m", **sizes, seed=7)
    assert first.equals(synthesize("ml-1m", **sizes, seed=7))
    assert not first.equals(synthesize("ml-1m", **sizes, seed=8))
    assert not synthesize("ml-1m", **sizes).equals(synthesize("ml-1m", **sizes))


def test_progress_counts_ratings_and_can_stop():
    class Counting:
        done = 0.0

        @contextmanager
        def task(self, label, total=None):
            self.total = total
            yield self

        def advance(self, amount=1):
            self.done += amount
            if self.total == 40_000:
                raise Cancelled

    counting = Counting()
    synthesize("flixster", users=10_000, ratings=50_000, seed=1, progress=counting)
    assert counting.done == counting.total == 50_000
    with pytest.raises(Cancelled):
        synthesize("flixster", users=10_000, ratings=40_000, seed=1, progress=counting)
