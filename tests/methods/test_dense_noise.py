"""Noise on every cell: the standardised variants of the noise methods."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.run import audit
from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io import read
from recloak.measures import measure
from recloak.methods import METHODS, Method, method
from recloak.methods.noise import GaussianNoise
from recloak.releases.base import save_release
from recloak.testing import MethodContract, context_of, random_ratings

# Table 2 of the paper: the squared error on MovieLens 100k in thousands.
TABLE_2 = {
    0.25: 246, 0.5: 248, 0.75: 257, 1: 275, 1.25: 302, 1.5: 336, 1.75: 376, 2: 418, 2.5: 509,
    3: 592, 3.5: 663, 4: 727, 5: 830, 10: 1078, 20: 1221, 40: 1294, 100: 1339,
}  # fmt: skip


def half_stars() -> Ratings:
    """Some rate much, some little, and the middle of the scale ends in another digit."""
    rng = np.random.default_rng(0)
    often = np.where(np.arange(300) % 2, 0.02, 0.3)
    users, items = np.nonzero(rng.random((300, 200)) < often[:, None])
    values = rng.integers(1, 11, len(users)) / 2
    return Ratings.from_columns(users, items, values, scale="0.5..5 step 0.5")


class _EveryCell(MethodContract):
    def test_every_cell_is_published(self, small: Ratings) -> None:
        rows = self.make().apply(small).release.as_ratings()
        assert rows.density == 1
        assert rows.n_users == small.n_users
        assert rows.item_labels.tolist() == small.item_labels.tolist()
        assert rows.values.min() >= 1
        assert rows.values.max() <= 5

    def test_implicit_data_are_refused(self) -> None:
        with pytest.raises(InputError, match="no values to add noise to"):
            self.make().apply(Ratings.from_columns([1, 2], [5, 6]))

    def test_rounding_to_steps_gives_ratings_again(self, small: Ratings) -> None:
        rows = self.make(rounding="step").apply(small).release.as_ratings()
        assert set(rows.values.tolist()) <= {1.0, 2.0, 3.0, 4.0, 5.0}
        assert rows.scale == small.scale

    def test_times_cannot_be_kept(self) -> None:
        with pytest.raises(ParameterError, match="needs cells = rated"):
            self.make(times="year")

    @pytest.mark.parametrize("sigma", [0.01, 0.25, 2])
    def test_no_trace_is_found_in_it(self, tmp_path: Path, sigma: float) -> None:
        release = self.make(sigma=sigma).apply(half_stars(), Randomness.from_seed(1)).release
        save_release(release, tmp_path)
        assert [one for one in scan_for_leaks(tmp_path, METHODS) if not one.holds] == []


class TestGaussianNoise(_EveryCell):
    name = "gaussian-noise"
    parameters = {"cells": "all"}


class TestPaper(_EveryCell):
    name = "gaussian-noise"
    parameters = {"cells": "all", "clipping": "paper"}


class TestUniformNoise(_EveryCell):
    name = "uniform-noise"
    parameters = {"cells": "all"}


def in_order_of_people(ratings: Ratings, seed: int = 1, **parameters: object) -> np.ndarray:
    """The published table, each person's row in their place."""
    return published_by(method("gaussian-noise", cells="all", **parameters), ratings, seed)


def published_by(noise: Method, ratings: Ratings, seed: int = 1) -> np.ndarray:
    applied = noise.apply(ratings, Randomness.from_seed(seed))
    rows = applied.release.as_ratings()
    places = applied.secret.linkage(ratings, rows).first_row(np.arange(ratings.n_users))
    return rows.values.reshape(rows.n_users, rows.n_items)[places]


def plain(ratings: Ratings, seed: int, sigma: float, clipping: str) -> np.ndarray:
    """By the words of the definition, on a full table."""
    table = np.full((ratings.n_users, ratings.n_items), ratings.scale.middle)
    table[ratings.user_codes(), ratings.items] = ratings.values
    low, high = ratings.scale.low, ratings.scale.high
    people = PeopleDraws.of(Randomness.from_seed(seed), ratings.user_labels)
    drawn = people.stream("noise").normal(np.full(len(table), table.shape[1]))
    mean, deviation = table.mean(axis=0), table.std(axis=0)
    deviation[deviation < 1e-9] = 0
    scores = (table - mean) / np.where(deviation > 0, deviation, 1)
    noisy = scores + sigma * drawn.reshape(table.shape)
    if clipping == "paper":
        noisy = np.clip(noisy, low, high)
    back = np.clip(noisy * deviation + mean, low, high)
    return np.clip(np.rint(back * 100) / 100, low, high)


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.integers(1, 20),
    st.sampled_from([0.1, 1.0, 5.0]),
    st.sampled_from(["once", "paper"]),
)
def test_equals_the_definition(seed: int, people: int, sigma: float, clipping: str) -> None:
    ratings = random_ratings(people, 9, 0.3, seed)
    found = in_order_of_people(ratings, seed, sigma=sigma, clipping=clipping)
    apart = np.abs(found - plain(ratings, seed, sigma, clipping))
    assert apart.max() < 0.011, "beyond what rounding can do"
    assert (apart > 1e-6).mean() < 0.02


class NoiseInSmallBlocks(GaussianNoise):
    cells_per_block = 20 * 10  # 20 people who could rate 10 items


def test_blocks_make_the_same_noise() -> None:
    ratings = random_ratings(50, 10)
    assert ratings.n_items == 10
    whole = in_order_of_people(ratings)
    parts = published_by(NoiseInSmallBlocks(cells="all"), ratings)
    assert parts.tolist() == whole.tolist()


def test_what_does_not_vary_stays_and_who_rated_nothing_gets_a_row() -> None:
    users, items = np.repeat(np.arange(20), 2), np.tile([1, 2], 20)
    flat = Ratings.from_columns(users, items, np.where(items == 1, 5, users % 5 + 1), scale="1..5")
    found = in_order_of_people(flat, sigma=2)
    assert set(found[:, 0].tolist()) == {5.0}
    assert len(set(found[:, 1].tolist())) > 2
    empty = replace(
        flat,
        offsets=np.append(flat.offsets, len(flat)),
        user_labels=np.append(flat.user_labels, 99),
    )
    assert in_order_of_people(empty).shape == (21, 2)


def test_everyone_alike_is_published_as_they_are() -> None:
    alike = Ratings.from_columns([1, 1, 2, 2], [1, 2, 1, 2], [4, 2, 4, 2], scale="1..5")
    assert in_order_of_people(alike).tolist() == [[4, 2], [4, 2]]


def test_a_table_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECLOAK_MEMORY_GB", "0.00001")
    with pytest.raises(MachineError, match="full table of 2,400 cells") as refusal:
        method("gaussian-noise", cells="all").apply(random_ratings())
    assert "--cells rated" in str(refusal.value.hint)


def test_the_papers_clipping_is_for_full_tables() -> None:
    for name in ("gaussian-noise", "uniform-noise"):
        with pytest.raises(ParameterError, match="needs cells = all"):
            METHODS.get(name)(clipping="paper")


def test_a_mark_in_the_digits_of_a_full_table_is_found(tmp_path: Path) -> None:
    release = method("gaussian-noise", cells="all").apply(random_ratings(200)).release
    rows = release.as_ratings()
    tenths = np.floor(10 * rows.values.astype(np.float64)) / 10
    marked = (rows.user_codes() % 2 == 0) & (rows.values < 4.9)
    values = np.where(marked, tenths + 0.01, rows.values).astype(np.float32)
    save_release(replace(release, ratings=rows.with_values(values)), tmp_path)
    broken = [one.claim for one in scan_for_leaks(tmp_path, METHODS) if not one.holds]
    assert broken == ["no trace in the digits"]


def test_an_audit_takes_it() -> None:
    ratings = random_ratings(80, 20)
    made = method("gaussian-noise", cells="all")
    applied = made.apply(ratings, Randomness.from_seed(1))
    found = audit(ratings, applied.release, secret=applied.secret)
    by_name = {finding.name: finding for finding in found.measures}
    assert by_name["distortion"].figures
    assert by_name["neighbour-prediction"].figures
    assert by_name["prediction"].figures


@pytest.mark.real
@pytest.mark.parametrize("sigma", TABLE_2)
def test_squared_error_of_table_2(real_data: Path, sigma: float) -> None:
    context = context_of(
        read(real_data / "ml-100k"), "gaussian-noise", cells="all", clipping="paper", sigma=sigma
    )
    found = measure("distortion").run(context).figure("sse")
    assert found is not None
    assert found.value / 1000 == pytest.approx(TABLE_2[sigma], rel=0.01)


@pytest.mark.real
def test_clipped_once_the_error_is_far_smaller(real_data: Path) -> None:
    context = context_of(read(real_data / "ml-100k"), "gaussian-noise", cells="all", sigma=0.25)
    found = measure("distortion").run(context).figure("sse")
    assert found is not None
    assert found.value == pytest.approx(8700, rel=0.02)
