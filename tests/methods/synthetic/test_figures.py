"""Figures on real data: what made-up people are worth to newcomers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import in_codes, match_items
from recloak.io import read
from recloak.methods import method
from recloak.recommenders.factorization import Factorization
from recloak.studies.made_up import FOLD_IN, INFERENCE, MEMBERSHIP, tried

RIDGE = 0.3  # of the residual variance of a rating


def fold_in(released: Ratings, members: Ratings, outsiders: Ratings) -> float:
    """μ for people who are not in the release: half of their ratings predict the other half."""
    rows = in_codes(released, match_items(released, members), members.item_labels)
    model = Factorization().fit(rows)
    spread = (model.user_factors.astype(float) ** 2).mean(axis=0)
    prior = np.r_[float((model.user_bias.astype(float) ** 2).mean()), spread] + 1e-9
    means = members.scale.middle + np.zeros(members.n_items)
    rated = members.item_support > 0
    sums = np.bincount(members.items, members.values, members.n_items)
    means[rated] = sums[rated] / members.item_support[rated]
    generator, ours, plain = np.random.default_rng(0), [], []
    for person in range(outsiders.n_users):
        items, values = outsiders.row(person)
        order = generator.permutation(len(items))
        known, asked = order[: len(order) // 2], order[len(order) // 2 :]
        base = model.mean + model.item_bias[items].astype(float)
        traits = np.column_stack([np.ones(len(items)), model.item_factors[items]])
        square = traits[known].T @ traits[known] + np.diag(RIDGE / prior)
        taste = np.linalg.solve(square, traits[known].T @ (values[known] - base[known]))
        ours.append(np.clip(base[asked] + traits[asked] @ taste, 1, 5) - values[asked])
        plain.append(means[items[asked]] - values[asked])
    error = [np.sqrt(np.mean(np.concatenate(part) ** 2)) for part in (ours, plain)]
    return float(1 - error[0] / error[1])


def parted(ratings: Ratings, seed: int) -> tuple[Ratings, Ratings]:
    order = np.random.default_rng(seed).permutation(ratings.n_users)
    tenth = ratings.n_users // 10
    return (
        ratings.take_users(np.sort(order[tenth:])),
        ratings.take_users(np.sort(order[:tenth])),
    )


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("given", "least"),
    [
        ({}, 0.105),
        ({"calm": 1.0}, 0.09),
        ({"epsilon": 8.0}, 0.06),
        # set after a run: the least of three splits had 0.021; the prototype's one split 0.033
        ({"epsilon": 1.0}, 0.015),
    ],
)
def test_made_up_people_of_ml_1m_serve_newcomers(
    real_data: Path, given: dict[str, float], least: float, seed: int
) -> None:
    members, outsiders = parted(read(real_data / "ml-1m"), seed)
    applied = method("synthetic", **given).apply(members, Randomness.from_seed(seed))
    assert fold_in(applied.release.as_ratings(), members, outsiders) > least


@pytest.mark.real
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_made_up_people_of_ml_100k_serve_newcomers(real_data: Path, seed: int) -> None:
    members, outsiders = parted(read(real_data / "ml-100k"), seed)
    applied = method("synthetic").apply(members, Randomness.from_seed(seed))
    kept = fold_in(applied.release.as_ratings(), members, outsiders)
    assert kept > 0.75 * fold_in(members, members, outsiders)


@pytest.mark.real
@pytest.mark.parametrize(
    ("epsilon", "prototype"),
    [(0.5, 0.005), (1.0, 0.032), (2.0, 0.052), (4.0, 0.067), (8.0, 0.075), (None, 0.097)],
)
def test_the_prototypes_figures_come_out_where_the_original_is_as_easy(
    real_data: Path, epsilon: float | None, prototype: float
) -> None:
    """The prototype had one split, where the original has 0.111; this one has 0.116."""
    members, outsiders = parted(read(real_data / "ml-100k"), 0)
    synthetic = method("synthetic", **({} if epsilon is None else {"epsilon": epsilon}))
    drawn = [synthetic.apply(members, Randomness.from_seed(seed)) for seed in range(3)]
    found = [fold_in(one.release.as_ratings(), members, outsiders) for one in drawn]
    assert np.mean(found) > prototype - 0.004


@pytest.mark.real
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("epsilon", "least"), [(1.0, -0.12), (4.0, -0.075), (8.0, -0.065)])
def test_noise_costs_newcomers_of_ml_100k_so_much(
    real_data: Path, epsilon: float, least: float, seed: int
) -> None:
    """Beside the original: which tenth is left out changes both by more than they differ."""
    members, outsiders = parted(read(real_data / "ml-100k"), seed)
    applied = method("synthetic", epsilon=epsilon).apply(members, Randomness.from_seed(seed))
    lost = fold_in(applied.release.as_ratings(), members, outsiders)
    assert lost - fold_in(members, members, outsiders) > least


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("data", ["ml-100k", "ml-1m"])
def test_hardly_more_is_told_of_members_than_of_others(
    real_data: Path, data: str, seed: int
) -> None:
    """With a floor of 100; with one of 10 whoever knows all ratings tells more than this."""
    ratings = read(real_data / data)
    specs = (FOLD_IN, INFERENCE, MEMBERSHIP)
    found = tried(ratings, method("synthetic", floor=100), specs, seed, SILENT)
    excess, told = found.value(INFERENCE, "excess"), found.value(MEMBERSHIP, "membership")
    lists = found.value(FOLD_IN, "fold_in_ndcg")
    assert excess is not None
    assert told is not None
    assert lists is not None
    assert excess < 0.08
    assert told < 0.65
    assert lists > 0.45


@pytest.mark.real
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("data", "epsilon", "least"),
    [("ml-100k", 4.0, 0.40), pytest.param("ml-1m", 1.0, 0.334, marks=pytest.mark.slow)],
)
def test_lists_for_newcomers_survive_the_noise(
    real_data: Path, data: str, epsilon: float, least: float, seed: int
) -> None:
    ratings = read(real_data / data)
    found = tried(ratings, method("synthetic", epsilon=epsilon), (FOLD_IN,), seed, SILENT)
    lists = found.value(FOLD_IN, "fold_in_ndcg")
    assert lists is not None
    assert lists > least
