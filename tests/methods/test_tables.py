"""The methods that publish one row for each person."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError, ParameterError
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods import method
from recloak.methods.noise import GaussianNoise
from recloak.testing import MethodContract, random_ratings
from recloak.testing.methods import cells


class TestIdentity(MethodContract):
    name = "identity"
    keeps_names = True

    def test_changes_nothing(self, small: Ratings) -> None:
        applied = self.make().apply(small)
        assert applied.release.as_ratings().equals(small)
        assert any(
            "original user ids" in why for why in applied.release.manifest.not_for_publication
        )


class TestPseudonymize(MethodContract):
    name = "pseudonymize"

    def test_only_the_names_change(self, small: Ratings) -> None:
        applied = self.make().apply(small)
        rows = applied.release.as_ratings()
        assert cells(rows) == cells(small)
        linkage = applied.secret.linkage(small, rows)
        for user in range(small.n_users):
            (row,) = linkage.rows_of(user)
            assert rows.row(row)[0].tolist() == small.row(user)[0].tolist()
            assert rows.row(row)[1].tolist() == small.row(user)[1].tolist()

    def test_the_order_of_people_is_lost(self) -> None:
        many = random_ratings(2000, 20)
        applied = self.make().apply(many, Randomness.from_seed(3))
        linkage = applied.secret.linkage(many, applied.release.as_ratings())
        rows = linkage.first_row(np.arange(many.n_users))
        assert abs(np.corrcoef(np.arange(many.n_users), rows)[0, 1]) < 0.1

    def test_implicit_data_stay_implicit(self) -> None:
        bought = Ratings.from_columns([1, 1, 2], [5, 6, 6])
        assert self.make().apply(bought).release.as_ratings().scale.implicit

    @pytest.mark.parametrize("unit", ["year", "quarter", "month"])
    def test_times_are_coarsened_if_asked_for(self, unit: str) -> None:
        timed = random_ratings(times=True)
        release = self.make(times=unit).apply(timed).release
        times = release.as_ratings().times
        assert times is not None
        starts = np.array(times, dtype="datetime64[s]").astype("datetime64[M]")
        assert (starts.astype("datetime64[s]").astype(np.int64) == times).all()
        months = {"year": {0}, "quarter": {0, 3, 6, 9}, "month": set(range(12))}[unit]
        assert set((starts.astype(int) % 12).tolist()) <= months
        assert release.manifest.times == f"coarsened to the {unit}"


class _Noise(MethodContract):
    def changes(self, ratings: Ratings, **parameters: object) -> np.ndarray:
        applied = self.make(**parameters).apply(ratings, Randomness.from_seed(1))
        rows = applied.release.as_ratings()
        linkage = applied.secret.linkage(ratings, rows)
        moved = rows.take_users(linkage.first_row(np.arange(ratings.n_users)))
        assert moved.items.tolist() == ratings.items.tolist()
        return moved.values - ratings.values

    def test_noise_has_the_deviation_that_was_asked_for(self) -> None:
        flat = random_ratings(400, 50, 0.5)
        wide = flat.with_values(np.zeros(len(flat), np.float32), Scale(-100, 100, None))
        drawn = self.changes(wide, sigma=2.0)
        assert drawn.mean() == pytest.approx(0, abs=0.08)
        assert drawn.std() == pytest.approx(2.0, rel=0.03)

    def test_stays_on_the_scale_and_shows_two_decimals(self, small: Ratings) -> None:
        values = self.make(sigma=3).apply(small).release.as_ratings().values.astype(np.float64)
        assert values.min() >= 1
        assert values.max() <= 5
        assert np.abs(values * 100 - np.rint(values * 100)).max() < 1e-4

    def test_rounding_to_steps_gives_ratings_again(self, small: Ratings) -> None:
        rows = self.make(rounding="step").apply(small).release.as_ratings()
        assert set(rows.values.tolist()) <= {1.0, 2.0, 3.0, 4.0, 5.0}
        assert rows.scale == small.scale

    def test_implicit_data_are_refused(self) -> None:
        with pytest.raises(InputError, match="no values to add noise to"):
            self.make().apply(Ratings.from_columns([1, 2], [5, 6]))

    @pytest.mark.parametrize("sigma", [0, -1, "wide", float("nan"), float("inf")])
    def test_sigma_must_be_positive(self, sigma: object) -> None:
        with pytest.raises(ParameterError, match="'sigma'"):
            self.make(sigma=sigma)


class TestGaussianNoise(_Noise):
    name = "gaussian-noise"


class TestUniformNoise(_Noise):
    name = "uniform-noise"

    def test_noise_is_bounded(self, small: Ratings) -> None:
        assert np.abs(self.changes(small, sigma=0.5)).max() <= 0.5 * 3**0.5 + 0.01


class NoiseInSmallBlocks(GaussianNoise):
    cells_per_block = 40


@pytest.mark.parametrize("kind", [GaussianNoise, NoiseInSmallBlocks])
def test_noise_follows_from_seed_and_person_alone(kind: type[GaussianNoise]) -> None:
    ratings = random_ratings(100)
    whole = kind().apply(ratings, Randomness.from_seed(4))
    rows = whole.release.as_ratings()
    linkage = whole.secret.linkage(ratings, rows)
    some = ratings.take_users(np.arange(40, 80))
    people = PeopleDraws.of(Randomness.from_seed(4), some.user_labels)
    noise = people.stream("noise").normal(some.user_counts)
    expected = np.clip(np.rint(100 * (some.values + noise)) / 100, 1, 5)
    moved = rows.take_users(linkage.first_row(np.arange(40, 80)))
    assert moved.values.tolist() == pytest.approx(expected.tolist(), abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sets(st.integers(0, 39), min_size=1))
@pytest.mark.parametrize("name", ["pseudonymize", "gaussian-noise", "uniform-noise"])
def test_a_persons_row_does_not_hang_on_who_else_is_there(
    name: str, seed: int, some: set[int]
) -> None:
    ratings = random_ratings(40, 12, seed=seed)
    few = ratings.take_users(np.array(sorted(some)))
    rows, others = (published_row_by_row(name, one, seed) for one in (ratings, few))
    assert {person: rows[person] for person in others} == others


def published_row_by_row(name: str, ratings: Ratings, seed: int) -> dict[int, list[Any]]:
    applied = method(name).apply(ratings, Randomness.from_seed(seed))
    rows = applied.release.as_ratings()
    place = applied.secret.linkage(ratings, rows).first_row(np.arange(ratings.n_users))
    return {
        int(person): [int(rows.user_labels[row]), *(part.tolist() for part in rows.row(row))]
        for person, row in zip(ratings.user_labels, place, strict=True)
    }


@given(seed=st.integers(0, 10**6), users=st.integers(1, 30))
def test_every_method_keeps_every_cell(seed: int, users: int) -> None:
    ratings = random_ratings(users, 12, seed=seed)
    for name in ("pseudonymize", "gaussian-noise", "uniform-noise"):
        rows = method(name).apply(ratings).release.as_ratings()
        assert rows.n_ratings == ratings.n_ratings
        assert rows.item_support.tolist() == ratings.item_support.tolist()
        assert sorted(rows.user_counts.tolist()) == sorted(ratings.user_counts.tolist())
