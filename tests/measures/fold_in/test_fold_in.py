from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recloak
from recloak.auditing.control_rehearsal import control_group
from recloak.auditing.policy import Policy, Requirement
from recloak.auditing.run import audit
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import parse_requirement
from recloak.core.parameters import parse_spec
from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import ControlGroup
from recloak.measures import measure
from recloak.measures.fold_in import _factors, _item_model
from recloak.measures.fold_in._kernels import WIDTH
from recloak.measures.fold_in._training_rows import Newcomers, TrainingRows
from recloak.methods import method
from recloak.testing import MeasureContract, context_of, random_ratings, with_rehearsal
from tests.measures.test_tailoring_utility import tasteful, values_of

SIDES = ("fold_in_mu", "fold_in_rmse", "fold_in_ndcg", "fold_in_recall")


class TestFoldIn(MeasureContract):
    name = "fold-in"
    people = 120


class TestShortLists(MeasureContract):
    name = "fold-in"
    parameters = {"top": 3}
    people = 120


def picky(n_users: int = 300) -> Ratings:
    """People of two tastes, who rate what they like: lists can be made for them, too."""
    rng = np.random.default_rng(4)
    tastes, items = rng.normal(size=(n_users, 2)), rng.normal(size=(2, 80))
    liking = tastes @ items + rng.normal(0, 0.6, (n_users, 1))
    rated = rng.random(liking.shape) < 1 / (1 + np.exp(1.5 - 2 * liking))
    users, chosen = np.nonzero(rated)
    values = np.clip(3 + liking[users, chosen] + rng.normal(0, 0.3, len(users)), 1, 5)
    return Ratings.from_columns(users, chosen, values, scale="1..5 continuous")


def found_by(original: Ratings, name: str = "pseudonymize", **parameters: Any) -> dict[str, float]:
    context = replace(
        context_of(original), control=control_group(original, method(name, **parameters))
    )
    return values_of(measure("fold-in").run(context))


def with_rows(original: Ratings, change: Any) -> AuditContext:
    """A context whose rehearsed release is what ``change`` makes of the members' ratings."""
    inner = control_group(original, method("pseudonymize"))

    def control(draw: int, fold: int, progress: Any) -> ControlGroup:
        group = inner(draw, fold, progress)
        rows = change(group.rehearsed.original)
        codes = np.arange(rows.n_items)
        rehearsed = AuditContext(group.rehearsed.original, rows, group.rehearsed.linkage, codes)
        return replace(group, rehearsed=rehearsed)

    return replace(context_of(original), control=control)


# -- what it measures ------------------------------------------------------------------------


def test_unchanged_rows_are_worth_exactly_what_the_original_is() -> None:
    found = found_by(picky(), "identity")
    for name in SIDES:
        assert found[name] == found[f"{name}_original"], name
    assert found["fold_in_mu_kept"] == found["fold_in_ndcg_kept"] == 1


def test_other_names_change_nothing() -> None:
    found = found_by(picky())
    for name in SIDES:
        assert found[name] == pytest.approx(found[f"{name}_original"], abs=1e-6), name


def test_tastes_are_worth_more_than_averages_and_fame() -> None:
    found = found_by(picky())
    assert found["fold_in_mu"] > found["fold_in_mu_offset"] + 0.1 > 0.1
    assert found["fold_in_ndcg"] > found["fold_in_ndcg_popular"] + 0.1


def test_more_noise_leaves_less() -> None:
    found = [found_by(tasteful(), "gaussian-noise", sigma=sigma) for sigma in (0.3, 1, 2, 4)]
    utilities = [one["fold_in_mu"] for one in found]
    assert utilities == sorted(utilities, reverse=True)
    assert utilities[0] > utilities[-1] + 0.1
    assert len({one["fold_in_mu_original"] for one in found}) == 1


def shuffled(known: Ratings) -> Ratings:
    """The ratings of each item, given to people at random: nobody's taste is left."""
    rng = np.random.default_rng(1)
    present = np.zeros((known.n_users, known.n_items))
    present[known.user_codes(), known.items] = known.values
    for column in present.T:
        rng.shuffle(column)
    users, items = np.nonzero(present)
    values = present[users, items].astype(np.float32)
    offsets = np.searchsorted(users, np.arange(known.n_users + 1))
    return replace(known, offsets=offsets, items=items.astype(np.int32), values=values)


def test_ratings_of_nobody_are_worth_what_averages_are() -> None:
    found = values_of(measure("fold-in").run(with_rows(picky(), shuffled)))
    assert abs(found["fold_in_mu_above_offset"]) < 0.02
    assert found["fold_in_mu_above_offset_original"] > 0.1
    assert found["fold_in_ndcg"] == pytest.approx(found["fold_in_ndcg_popular"], abs=0.05)


def test_the_scale_of_the_release_does_not_matter() -> None:
    def tenfold(known: Ratings) -> Ratings:
        return known.with_values(10 * known.values, Scale.parse("10..50 continuous"))

    found = values_of(measure("fold-in").run(with_rows(tasteful(), tenfold)))
    assert found["fold_in_mu"] == pytest.approx(found["fold_in_mu_original"], abs=1e-4)
    assert found["fold_in_rmse"] == pytest.approx(found["fold_in_rmse_original"], abs=1e-4)


def test_items_that_the_release_lacks_are_predicted_by_the_person_alone() -> None:
    def without_half(known: Ratings) -> Ratings:
        return known.keep(known.items % 2 == 0)

    found = values_of(measure("fold-in").run(with_rows(picky(), without_half)))
    assert 0 < found["fold_in_mu_kept"] < 0.8
    assert found["fold_in_recall"] < found["fold_in_recall_original"]


# -- equal to a plain computation --------------------------------------------------------------


def plain_vectors(rows: Any, weights: Any, other: Any, pull: float) -> Any:
    """Ridge regressions on 1 and the other side's factors; ``rows`` has NaN where nothing is."""
    found = np.zeros((len(rows), WIDTH))
    penalty = np.diag([_factors.OFFSET_PULL, *[pull] * (WIDTH - 1)])
    for row, values in enumerate(rows):
        known = ~np.isnan(values)
        regressors = np.column_stack([np.ones(known.sum()), other[known, 1:]])
        weighted = regressors.T * weights[known]
        rest = values[known] - other[known, 0]
        found[row] = np.linalg.solve(weighted @ regressors + penalty, weighted @ rest)
    return found


def table(ratings: Ratings) -> Any:
    cells = np.full((ratings.n_users, ratings.n_items), np.nan)
    cells[ratings.user_codes(), ratings.items] = ratings.values
    return cells


def plain_predictions(newcomers: Newcomers, known: Ratings) -> Any:
    mean, deviation = known.values.mean(dtype=float), known.values.std(dtype=float)
    cells, given = ((table(one) - mean) / deviation for one in (known, newcomers.given))
    rng = Randomness.from_seed(0).generator("initial factors of fold-in")
    items = _factors.INITIAL_SPREAD * rng.standard_normal((known.n_items, WIDTH))
    items[:, 0] = 0
    ones = np.ones(max(cells.shape))
    for _ in range(_factors.ROUNDS):
        users = plain_vectors(cells, ones[: known.n_items], items, _factors.FACTOR_PULL)
        items = plain_vectors(cells.T, ones[: known.n_users], users, _factors.FACTOR_PULL)
    errors = {}
    for pull in _factors.PULLS_OF_NEWCOMERS:
        errors[pull] = 0.0
        for cell in zip(*np.nonzero(~np.isnan(given)), strict=True):
            others = given.copy()
            others[cell] = np.nan
            own = plain_vectors(others[cell[0]][None], ones[: known.n_items], items, pull)[0]
            item = items[cell[1]]
            errors[pull] += (given[cell] - own[0] - item[0] - own[1:] @ item[1:]) ** 2
    pull = min(errors, key=lambda one: errors[one])
    people = plain_vectors(given, ones[: known.n_items], items, pull)
    scores = people[:, :1] + items[:, 0] + people[:, 1:] @ items[:, 1:].T
    return np.clip(mean + deviation * scores, 1, 5)


def plain_lists(newcomers: Newcomers, known: Ratings, top: int) -> list[list[int]]:
    present, given = (~np.isnan(table(one)) * 1.0 for one in (known, newcomers.given))
    inverse = np.linalg.inv(present.T @ present + _item_model.RIDGE * np.eye(known.n_items))
    weights = np.eye(known.n_items) - inverse / np.diag(inverse)
    scores = np.round(given @ weights, _item_model.DECIMALS)
    support = known.item_support
    lists = []
    for own, known_cells in zip(scores, given, strict=True):
        free = np.flatnonzero(known_cells == 0)
        lists.append(sorted(free, key=lambda item: (-own[item], -support[item], item))[:top])
    return lists


def test_equals_a_plain_computation() -> None:
    original = picky(110)
    found = found_by(original, "identity")
    group = control_group(original, method("identity"))(0, 0, SILENT)
    newcomers, known = Newcomers.split(group.outsiders, 0), group.rehearsed.original
    asked = table(newcomers.asked)
    errors = (plain_predictions(newcomers, known) - asked)[~np.isnan(asked)]
    assert found["fold_in_rmse"] == pytest.approx(np.sqrt(np.square(errors).mean()), abs=1e-4)
    gains, recalls = [], []
    for wanted, listed in zip(asked, plain_lists(newcomers, known, 10), strict=True):
        right = ~np.isnan(wanted[listed])
        discounts = 1 / np.log2(np.arange(len(right)) + 2)
        reachable = min(10, int((~np.isnan(wanted)).sum()))
        gains.append(right @ discounts / discounts[:reachable].sum())
        recalls.append(right.sum() / reachable)
    assert found["fold_in_ndcg"] == pytest.approx(np.mean(gains), abs=1e-6)
    assert found["fold_in_recall"] == pytest.approx(np.mean(recalls), abs=1e-6)


def test_half_of_what_newcomers_rated_is_given() -> None:
    newcomers = Newcomers.split(random_ratings(40, density=0.1), 0)
    given, asked = newcomers.given, newcomers.asked
    assert (given.user_counts == (given.user_counts + asked.user_counts) // 2).all()
    assert given.user_counts.min() >= 1
    assert np.isnan(table(given)[~np.isnan(table(asked))]).all()


# -- groups ----------------------------------------------------------------------------------


def test_a_profile_counts_as_often_as_its_group_has_members() -> None:
    profiles, sizes = picky(60), np.random.default_rng(3).integers(1, 9, 60)
    codes = np.arange(profiles.n_items)
    weighted = TrainingRows(profiles, sizes.astype(float), codes)
    copies = TrainingRows.unweighted(profiles.take_users(np.repeat(np.arange(60), sizes)), codes)
    newcomers = Newcomers.split(picky().take_users(np.arange(60)), 0)
    one, two = (
        _factors.predicted(newcomers, rows, _factors.learnt(rows, 0, SILENT), SILENT)
        for rows in (weighted, copies)
    )
    assert one == pytest.approx(two, abs=1e-4)
    lists = [_item_model.recommended(newcomers, rows, 10, SILENT) for rows in (weighted, copies)]
    assert np.array_equal(lists[0], lists[1])


def test_dense_rows_are_counted_as_others_are() -> None:
    newcomers = Newcomers.split(picky().take_users(np.arange(60)), 0)
    rows = TrainingRows.of_original(picky(60))
    lists = [
        _item_model.recommended(newcomers, rows, 10, SILENT, dense_share)
        for dense_share in (0.0, 0.2, 1.0)
    ]
    assert np.array_equal(lists[0], lists[1])
    assert np.array_equal(lists[1], lists[2])


def test_groups_are_measured_as_if_everyone_had_a_row() -> None:
    original = tasteful()
    inner = control_group(original, method("microaggregation", k=5))

    def rows_alone(draw: int, fold: int, progress: Any) -> ControlGroup:
        group = inner(draw, fold, progress)
        return replace(group, rehearsed=replace(group.rehearsed, release=None))

    grouped, copied = (
        values_of(measure("fold-in").run(replace(context_of(original), control=control)))
        for control in (inner, rows_alone)
    )
    assert grouped["fold_in_mu"] < grouped["fold_in_mu_original"]
    for name in SIDES:
        assert grouped[name] == pytest.approx(copied[name], abs=1e-4), name


# -- what cannot be measured ---------------------------------------------------------------------


def test_data_without_values_have_lists_alone() -> None:
    rated = picky()
    implicit = Ratings.from_columns(rated.user_codes(), rated.items)
    finding = measure("fold-in").run(with_rehearsal(context_of(implicit)))
    names = {figure.name for figure in finding.figures}
    assert {"fold_in_ndcg", "fold_in_recall"} <= names
    assert not any("mu" in name or "rmse" in name for name in names)
    assert any("no values" in note for note in finding.notes)


def notes_of(original: Ratings) -> str:
    finding = measure("fold-in").run(with_rehearsal(context_of(original)))
    assert finding.figures == ()
    return " ".join(finding.notes)


def test_people_with_one_rating_tell_nothing() -> None:
    one_each = Ratings.from_columns(np.arange(300), np.arange(300) % 7, np.arange(300) % 5)
    assert "have two ratings" in notes_of(one_each)


def test_few_items_make_no_lists() -> None:
    context = with_rehearsal(context_of(random_ratings(200, 8, 0.6)))
    finding = measure("fold-in").run(context)
    assert finding.figure("fold_in_mu") is not None
    assert finding.figure("fold_in_ndcg") is None
    assert any("fit on one list" in note for note in finding.notes)
    assert measure("fold-in:top=3").run(context).figure("fold_in_ndcg") is not None


def test_few_people_are_not_measured() -> None:
    assert "fewer than 10 people" in notes_of(random_ratings(15))


def test_a_release_of_unknown_method_is_not_measured() -> None:
    finding = measure("fold-in").run(context_of(picky()))
    assert finding.figures == ()
    assert "The method is not known" in finding.notes[0]


# -- around it ----------------------------------------------------------------------------------


def test_the_original_is_learnt_once_for_all_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    original, learnt = picky(), []
    made = TrainingRows.of_original
    monkeypatch.setattr(
        TrainingRows, "of_original", lambda known: learnt.append(known) or made(known)
    )
    first = found_by(original)
    assert (
        found_by(original, "gaussian-noise")["fold_in_mu_original"] == first["fold_in_mu_original"]
    )
    assert len(learnt) == 1


def test_policies_and_requirements_know_its_figures() -> None:
    assert parse_requirement("fold_in_mu>=0.05", Protocol.usual()).figure == "fold_in_mu"
    lines = tuple(
        Requirement(measure="fold-in", figure="fold_in_mu", at_least=limit) for limit in (0.05, 0.9)
    )
    release = method("pseudonymize").apply(picky(), Randomness.from_seed(1))
    found = audit(
        picky(),
        release.release,
        secret=release.secret,
        policy=Policy("ours", lines),
        attacks=[],
        measures=[],
    )
    assert [result.status for result in found.policy_results] == ["pass", "fail"]


# -- real data ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ml_100k(real_data: Path) -> Ratings:
    return recloak.read(real_data / "ml-100k")


@pytest.fixture(scope="module")
def ml_1m(real_data: Path) -> Ratings:
    return recloak.read(real_data / "ml-1m")


YARDSTICK = {
    "pseudonymize": (0.127, 0.601),
    "gaussian-noise:sigma=1": (0.101, 0.601),
    "fragmentation:fragments=16": (0.066, 0.520),
    "predictive:k=5": (0.124, 0.454),
    "microaggregation:k=5": (0.101, 0.488),
    "microaggregation:k=20": (0.091, 0.320),
}


@pytest.mark.real
@pytest.mark.parametrize("spec", YARDSTICK)
def test_ml_1m_is_as_an_independent_program_found_it(ml_1m: Ratings, spec: str) -> None:
    name, values = parse_spec(spec)
    found = found_by(ml_1m, name, **values)
    utility, ndcg = YARDSTICK[spec]
    assert found["fold_in_mu"] == pytest.approx(utility, abs=0.02)
    assert found["fold_in_ndcg"] == pytest.approx(ndcg, abs=0.03)
    assert found["fold_in_mu_original"] == pytest.approx(0.127, abs=0.02)
    assert found["fold_in_mu_offset"] == pytest.approx(0.067, abs=0.02)
    assert found["fold_in_ndcg_popular"] == pytest.approx(0.340, abs=0.02)


@pytest.mark.real
def test_ml_100k_is_as_an_independent_program_found_it(ml_100k: Ratings) -> None:
    found = []
    for seed in range(3):
        control = control_group(ml_100k, method("gaussian-noise", sigma=1), seed)
        context = replace(context_of(ml_100k), control=control)
        found.append(values_of(measure("fold-in").run(context, seed)))
    mean = {name: np.mean([one[name] for one in found]) for name in found[0]}
    assert mean["fold_in_mu_original"] == pytest.approx(0.111, abs=0.02)
    assert mean["fold_in_mu_offset"] == pytest.approx(0.083, abs=0.02)
    assert mean["fold_in_mu_offset"] < mean["fold_in_mu"] < mean["fold_in_mu_original"]
