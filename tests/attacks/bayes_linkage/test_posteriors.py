"""Every posterior of the Bayesian adversary agrees with its plain twin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recloak.attacks.bayes_linkage import _fragments, _holders
from recloak.attacks.bayes_linkage._adversary import weigher_of as fast_weigher_of
from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._choice import candidates_of
from recloak.attacks.bayes_linkage._clusters import ClusterCandidates
from recloak.attacks.bayes_linkage._fragments import SharedLinesCandidates
from recloak.attacks.bayes_linkage._group_kernels import mean_of_all, mean_of_raters
from recloak.attacks.bayes_linkage._groups import GroupCandidates, sums_of_ratings
from recloak.attacks.bayes_linkage._holders import HolderWeigher
from recloak.attacks.bayes_linkage._kernels import log_absent_below
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Known, Model
from recloak.attacks.bayes_linkage._noisy_rows import NoisyCandidates
from recloak.attacks.bayes_linkage._pairs import PairWeigher
from recloak.attacks.bayes_linkage._rows import EqualWithin
from recloak.attacks.bayes_linkage._weigher import Weigher
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.evaluation.context import AuditContext
from recloak.releases.disassociated import RECORD, TERM, Clusters, DisassociatedRelease
from recloak.releases.grouped import GroupedRelease
from recloak.testing.contexts import context_of
from recloak.testing.data import random_ratings
from tests.attacks.bayes_linkage import plain
from tests.attacks.plain_every_cell import every_cell

SHARES = {1.0: 0.1, 2.0: 0.2, 3.0: 0.3, 4.0: 0.25, 5.0: 0.15}


def model_of(context: AuditContext, known: int, *, values: bool = True) -> KnowledgeModel:
    return KnowledgeModel.of(context, "uniform", known, 0.0, values=values)


def weigher_of(context: AuditContext, model: KnowledgeModel) -> tuple[Candidates, Weigher]:
    values = context.original.values.astype(np.float64)
    weights = model.weights_in_release(context.rows.n_items)
    candidates = candidates_of(context, values, weights)
    return candidates, Weigher(candidates, model)


def as_row(known: Known) -> plain.Row:
    return {item: value or 0.0 for item, value in known.pairs()}


def in_proportion(weights: Floats, expected: list[float]) -> None:
    """Both are the same up to a factor; what is impossible by one is by the other."""
    plainly = np.array(expected)
    assert (plainly > 0).any()
    np.testing.assert_allclose(
        weights / weights.sum(), plainly / plainly.sum(), rtol=1e-4, atol=1e-9
    )


@pytest.mark.parametrize("values", [True, False])
def test_unchanged_rows(values: bool) -> None:
    context = context_of(random_ratings(30, 15, 0.4))
    model = model_of(context, 3, values=values)
    _, weigher = weigher_of(context, model)
    rng = np.random.default_rng(1)
    able = np.flatnonzero(context.original.user_counts >= 3)
    for user in able[:10].tolist():
        known = model.draw(context.original, user, rng)
        weights = np.exp(weigher.log_weights(known))
        in_proportion(
            weights, plain.unchanged(plain.rows_of(context.rows), as_row(known), values=values)
        )


@pytest.mark.parametrize(("name", "given"), [("identity", {}), ("gaussian-noise", {"sigma": 0.7})])
@pytest.mark.parametrize("settings", ["uniform", "popular", "rare", "items", "wrong", "all"])
def test_weighing_rows_that_hold_all_agrees_with_weighing_everyone(
    name: str, given: dict[str, Any], settings: str
) -> None:
    context = context_of(random_ratings(60, 15, 0.5), name, **given)
    kind: Model = settings if settings in ("popular", "rare") else "uniform"  # type: ignore[assignment]
    known, wrong = 0 if settings == "all" else 3, 0.2 if settings == "wrong" else 0.0
    model = KnowledgeModel.of(context, kind, known, wrong, values=settings != "items")
    candidates, plain_weigher = weigher_of(context, model)
    weigher = fast_weigher_of(candidates, model)
    assert isinstance(weigher, HolderWeigher)
    rng = np.random.default_rng(1)
    for user in np.flatnonzero(context.original.user_counts >= 3)[:15].tolist():
        about = model.draw(context.original, user, rng)
        rows, weights = weigher.normalised(about)
        expected = plain_weigher.normalised(about, plain_weigher.log_weights(about))
        found = np.zeros(candidates.count)
        found[rows] = weights
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
        likely, confidence = plain_weigher.named(about)
        if confidence > 1e-6:
            assert weigher.named(about)[0].tolist() == likely.tolist()


def test_where_a_known_item_may_be_the_wrong_one_everyone_is_weighed() -> None:
    context = context_of(random_ratings(30, 15, 0.4))
    model = KnowledgeModel.of(context, "uniform", 3, 0.2, values=False)
    assert isinstance(fast_weigher_of(weigher_of(context, model)[0], model), Weigher)


def test_how_often_a_rating_is_given_in_general_is_estimated_on_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = context_of(random_ratings(2000, 5, 0.8), "gaussian-noise", sigma=0.7)
    model = model_of(context, 2)
    candidates, everyone = weigher_of(context, model)
    monkeypatch.setattr(_holders, "MOST_HOLDERS", 400)
    weigher = fast_weigher_of(candidates, model)
    known = model.draw(context.original, 0, np.random.default_rng(1))
    assert weigher._log_elsewhere(known) == pytest.approx(everyone._log_elsewhere(known), abs=0.2)


def test_noise() -> None:
    """The chance of a true value given the published one and the habits of the row's person."""
    original = random_ratings(160, 12, 0.5)
    context = context_of(original, "gaussian-noise", sigma=0.7)
    candidates, _ = weigher_of(context, model_of(context, 2))
    assert isinstance(candidates, NoisyCandidates)
    levels, shares = [1.0, 2.0, 3.0, 4.0, 5.0], candidates.habits.shares.tolist()
    true_shares = np.bincount(original.values.astype(int), minlength=6)[1:] / original.n_ratings
    np.testing.assert_allclose(shares, true_shares, atol=0.12)
    theirs = candidates.likelihood(3, 4.0)
    for row, cells in enumerate(plain.rows_of(context.rows)):
        if 3 not in cells:
            assert theirs[row] == 0
            continue
        own = plain.habits(cells, 0.7, levels, shares)
        parts = [
            share * plain.noise_mass(cells[3], value, 0.7, 1.0, 5.0)
            for value, share in zip(levels, own, strict=True)
        ]
        assert theirs[row] == pytest.approx(parts[3] / sum(parts) / shares[3], rel=1e-4)


@pytest.mark.parametrize("known", [None, 4.0])
def test_noise_on_every_cell(known: float | None) -> None:
    """A cell speaks for a rating, or for the middle of the scale that stands for none."""
    original = random_ratings(60, 24, 0.3)
    context = context_of(original, "gaussian-noise", sigma=0.5, cells="all")
    model = model_of(context, 2, values=known is not None)
    candidates, weigher = weigher_of(context, model)
    cells = every_cell(context, 0.5)
    expected = cells.rated[:, 3] * (cells.given_if_rated(3, known) if known else 1.0)
    assert candidates.likelihood(3, known) == pytest.approx(expected, rel=1e-3)
    assert weigher.masses == pytest.approx(cells.rated.sum(axis=1), rel=1e-3)
    assert candidates.cells().chances == pytest.approx(cells.rated.ravel(), rel=1e-3)
    assert isinstance(fast_weigher_of(candidates, model), Weigher), "an item is in every row"


def over_all(
    listed: float | None, size: int, value: float, half_grid: float = 1e-6, floor: int = 0
) -> float:
    """The chance that a member rated and gave ``value``, the base of all members being 3."""
    sums = sums_of_ratings(Scale(1, 5), np.array(list(SHARES.values())), size)
    means = np.array([3.0 if listed is None else listed])
    sizes, chances, bases = np.array([size]), np.array([0.3]), np.array([3.0])
    more = value, bases, half_grid, sums, floor, listed is not None
    return float(mean_of_all(means, sizes, chances, *more)[0])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("mean", [3.0, 3.25, 3.5, 2.0, 11 / 3])
def test_means_over_all_members(size: int, mean: float) -> None:
    if abs(size * mean - round(size * mean)) > 1e-6:
        assert over_all(mean, size, 4.0) == 0
        return
    expected = plain.member_gave(mean, size, 0.3, SHARES, base=3.0)
    for value, share in SHARES.items():
        assert over_all(mean, size, value) * share == pytest.approx(expected[value])
    assert over_all(mean, size, np.nan) == pytest.approx(1 - expected[None])


@pytest.mark.parametrize("size", [3, 5])
@pytest.mark.parametrize("listed", [None, 3.5, 4.5])
@pytest.mark.parametrize("floor", [0, 2, 3])
def test_rounded_means_of_enough_members(size: int, listed: float | None, floor: int) -> None:
    expected = plain.member_gave_rounded(listed, size, 0.3, SHARES, 3.0, 0.5, floor)
    for value, share in SHARES.items():
        found = over_all(listed, size, value, 0.25, floor)
        assert found * share == pytest.approx(expected[value])
    anything = over_all(listed, size, np.nan, 0.25, floor)
    assert anything == pytest.approx(1 - expected[None])


def test_what_too_few_rated_is_not_taken_for_unrated() -> None:
    original = random_ratings(60, 40, 0.3)
    context = context_of(original, "microaggregation", k=4, floor=3, grid=0.5)
    candidates, _ = weigher_of(context, model_of(context, 4))
    assert isinstance(candidates, GroupCandidates)
    ratings = float(candidates.mass(np.ones(40)) @ candidates.people)
    assert ratings == pytest.approx(original.n_ratings, rel=0.25)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("mean", [3.0, 3.5, 1.0, 11 / 3])
def test_means_of_those_who_rated(size: int, mean: float) -> None:
    sums = sums_of_ratings(Scale(1, 5), np.array(list(SHARES.values())), size)
    arguments = np.array([mean]), np.array([size]), np.array([0.3])
    at_large, near = np.array([0.1]), np.array([7.0])  # nobody is below a floor of 1
    if (size < 3 and mean == 11 / 3) or (size < 2 and mean == 3.5):
        assert mean_of_raters(*arguments, 4.0, 1, 1e-6, sums, at_large, near)[0] == 0
        return
    expected = plain.rater_gave(mean, size, 0.3, SHARES)
    for value, share in SHARES.items():
        found = mean_of_raters(*arguments, value, 1, 1e-6, sums, at_large, near)[0]
        assert found * share == pytest.approx(expected[value])


def test_a_prediction_tells_what_members_would_give() -> None:
    """Where too few rated, the profile lists a prediction: what is near it is the likelier."""
    context = context_of(random_ratings(60, 15, 0.2), "predictive", k=4)
    candidates, _ = weigher_of(context, model_of(context, 3))
    assert isinstance(candidates, GroupCandidates)
    release = context.release
    assert isinstance(release, GroupedRelease)
    values, counts = np.unique(context.original.values, return_counts=True)
    shares = {
        float(value): (count + 0.5) / (counts.sum() + 2.5)
        for value, count in zip(values, counts, strict=True)
    }
    listed, times = np.unique(release.profiles.values, return_counts=True)
    for item in (0, 6, 11):
        held, means = candidates.holders(item)
        chance = float(candidates._chance_of_items()[item])
        for value in (2.0, 5.0):
            found = candidates.likelihood(item, value)
            for group, mean in zip(held.tolist(), means.tolist(), strict=True):
                at_large = times[listed == mean][0] / times.sum()
                expected = plain.rater_gave_above_floor(
                    mean, int(release.sizes[group]), chance, shares, value, 3, 0.5, at_large
                )
                assert found[group] - 1e-4 == pytest.approx(expected, rel=1e-4)


def test_groups_are_found_by_what_their_members_have_in_common() -> None:
    """Two far groups: what is known of a member points to theirs."""
    users = np.repeat(np.arange(6), 4)
    items = np.concatenate([np.arange(4)] * 3 + [np.arange(4, 8)] * 3)
    original = Ratings.from_columns(users, items, [5, 1, 4, 2] * 6, scale="1..5")
    context = context_of(original, "microaggregation", k=3)
    model = model_of(context, 2)
    candidates, weigher = weigher_of(context, model)
    assert isinstance(candidates, GroupCandidates)
    known = model.draw(original, 0, np.random.default_rng(0))
    weights = weigher.normalised(known, weigher.log_weights(known))
    rows, confidence = candidates.rows_named(weights, known)
    assert context.linkage.rows_of(0)[0] in rows
    assert len(rows) == 3
    assert confidence <= 1 / 3 + 1e-9


def test_clusters() -> None:
    context = context_of(random_ratings(80, 12, 0.5), "disassociation", k=2, max_cluster=20)
    assert isinstance(context.release, DisassociatedRelease)
    candidates, _ = weigher_of(context, model_of(context, 3))
    people = candidates.people
    for item, value in ((0, 3.0), (5, 1.0), (7, 5.0)):
        counts = np.array(plain.cluster_counts(context.release, item, value))
        general = 0.02 * counts.sum() / people.sum()
        expected = (counts + general) / (people + 0.02)
        np.testing.assert_allclose(candidates.likelihood(item, value), expected)


@pytest.mark.parametrize("values", [True, False])
@pytest.mark.parametrize("rare", ["suppressed", "listed"])
def test_subrecords(rare: str, values: bool) -> None:
    original = random_ratings(36, 8, 0.5)
    context = context_of(original, "disassociation", k=2, max_cluster=12, rare=rare)
    release = context.release
    assert isinstance(release, DisassociatedRelease)
    model = model_of(context, 4, values=values)
    candidates, weigher = weigher_of(context, model)
    assert isinstance(candidates, ClusterCandidates)
    rng = np.random.default_rng(2)
    for user in np.flatnonzero(original.user_counts >= 4)[:8].tolist():
        known = model.draw(original, user, rng)
        weights = weigher.normalised(known, weigher.log_weights(known))
        rows, chances = candidates.row_chances(weights, known)
        inside = (weights * candidates.people).tolist()
        about = {item: value for item, value in known.pairs() if item >= 0}
        expected = plain.subrecord_chances(release, about, inside)
        assert rows.tolist() == sorted(expected)
        np.testing.assert_allclose(chances, [expected[row] for row in rows], rtol=1e-3)
        assert candidates.rows_named(weights, known)[1] == chances.max()


def test_a_subrecord_with_another_value_of_a_known_item_is_not_theirs() -> None:
    """Also where the known value stands in another chunk, here among the listed terms."""
    users, items = [0, 0, 1, 2, 2, 3, 4], [0, 1, 0, 0, 1, 1, 1]
    table = Ratings.from_columns(users, items, [3, 5, 3, 3, 5, 5, 2], scale="1..5")
    none = np.zeros(5, np.int64)
    kinds = np.array([RECORD] * 4 + [TERM], np.uint8)
    of_one = np.zeros(1, np.int64)
    placed = Clusters(kinds, none, none.astype(np.int32), np.array([5]), of_one, of_one, of_one)
    some = context_of(random_ratings(20, 8, 0.5), "disassociation", k=2).release
    assert isinstance(some, DisassociatedRelease)
    candidates = ClusterCandidates(replace(some, ratings=table, clusters=placed), EqualWithin(1e-6))
    known = Known(np.array([0, 1], np.int32), np.array([3, 2], np.float32))
    rows, chances = candidates.row_chances(np.array([0.2]), known)
    assert rows.tolist() == [1, 4]
    np.testing.assert_allclose(chances, [1.0, 1.0])


@pytest.mark.parametrize("given", [{}, {"cut": "shared", "fragments": 3}, {"preset": "shared-1"}])
def test_fragments(given: dict[str, Any]) -> None:
    context = context_of(random_ratings(60, 40, 0.5), "fragmentation", **given)
    model = model_of(context, 4)
    _, weigher = weigher_of(context, model)
    rows = plain.rows_of(context.rows)
    per_person = len(rows) / len(context.linkage.linked)
    for user in range(10):
        known = model.draw(context.original, user, np.random.default_rng(3))
        expected = [
            plain.fragment_weight(row, as_row(known), rows, per_person, shared_lines=bool(given))
            for row in rows
        ]
        in_proportion(np.exp(weigher.log_weights(known)), expected)


@pytest.mark.parametrize("given", [{"fragments": 3}, {"cut": "shared", "fragments": 3}])
def test_pairs_of_fragments(given: dict[str, Any]) -> None:
    context = context_of(random_ratings(16, 40, 0.4), "fragmentation", **given)
    model = model_of(context, 5)
    weigher = fast_weigher_of(weigher_of(context, model)[0], model)
    assert isinstance(weigher, PairWeigher)
    rows, shared = plain.rows_of(context.rows), "cut" in given
    per_person, told = len(rows) / len(context.linkage.linked), 0
    for user in range(10):
        known = model.draw(context.original, user, np.random.default_rng(3))
        alone = weigher.log_weights(known)
        joined, pairs = weigher.with_pairs(known, alone)
        expected = [
            plain.fragment_and_pairs_weight(
                row, as_row(known), rows, per_person, shared_lines=shared
            )
            for row in rows
        ]
        in_proportion(np.exp(joined), expected)
        both = np.exp(joined) - np.exp(alone)
        assert np.exp(pairs) == pytest.approx(both.sum() / 2), "a pair counts once"
        told += int(both.max() > np.exp(alone).max())
    assert told > 0, "pairs tell nothing here"


def test_somebody_is_sure_of_two_rows_that_hold_all_that_is_known() -> None:
    context = context_of(random_ratings(60, 80, 0.3), "fragmentation", fragments=3)
    model = model_of(context, 12)
    plain_weigher = weigher_of(context, model)[1]
    weigher = fast_weigher_of(plain_weigher.candidates, model)
    sure = np.zeros(2)
    for user in np.flatnonzero(context.original.user_counts >= 12)[:30].tolist():
        known = model.draw(context.original, user, np.random.default_rng(user))
        sure += [one.named(known)[1] >= 0.9 for one in (plain_weigher, weigher)]
    assert sure[1] > sure[0] + 5


def test_nobody_is_weighed_where_no_row_holds_what_is_known() -> None:
    context = context_of(random_ratings(20, 30, 0.4), "fragmentation", fragments=3)
    model = replace(model_of(context, 3), model="rare")
    weigher = fast_weigher_of(weigher_of(context, model)[0], model)
    nothing = Known(np.full(3, -1, np.int32), np.full(3, 3, np.float32))
    assert np.isfinite(weigher.named(nothing)[1])


def test_too_many_fragments_are_not_compared_in_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(random_ratings(60, 40, 0.5), "fragmentation", cut="shared", fragments=3)
    assert isinstance(weigher_of(context, model_of(context, 4))[0], SharedLinesCandidates)
    monkeypatch.setattr(_fragments, "MOST_PAIRS", context.rows.n_users**2 - 1)
    assert not isinstance(weigher_of(context, model_of(context, 4))[0], SharedLinesCandidates)


def test_the_rarest_are_known_only_of_rows_without_rarer_ones() -> None:
    offsets = np.array([0, 3, 5])
    ranks = np.array([1, 4, 9, 2, 9], np.int32)
    sums = np.concatenate([[0.0], np.cumsum([-1.0, -2.0, -4.0, -8.0, -16.0])])
    assert log_absent_below(offsets, ranks, sums, 5).tolist() == [-3.0, -8.0]
    assert log_absent_below(offsets, ranks, sums, 1).tolist() == [0.0, 0.0]
