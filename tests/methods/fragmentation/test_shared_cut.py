"""Method `fragmentation` beyond the paper: shared lines, and a cap on what a fragment takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recloak.attacks import attack
from recloak.auditing.rehearsal import rehearsed
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS, method
from recloak.methods.fragmentation import TARGETS, Fragmentation
from recloak.methods.fragmentation._shared_cut import SharedCut, shared_lines
from recloak.testing import MethodContract, from_rows, random_ratings, rehearsable
from recloak.testing.methods import cells
from tests.attacks.record_linkage.test_record_linkage import value
from tests.methods.fragmentation.test_fragmentation import rows_by_person

SHARED: dict[str, Any] = {"cut": "shared"}


class TestSharedCut(MethodContract):
    name = "fragmentation"
    parameters = {"cut": "shared", "p1": 3.0}


class TestCapped(MethodContract):
    name = "fragmentation"
    parameters = {"max_share": 1.25, "p1": 3.0}


def features_of(ratings: Ratings, seed: int, *, whole: bool = False) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    shape = (ratings.n_items, 3)
    return (rng.integers(0, 3, shape) if whole else rng.normal(size=shape)).astype(np.float32)


def plain_cut(codes: dict[int, str], limit: float, level: int = 0) -> list[set[int]]:
    """A person's items (with the paths to their cells), halved while there are too many."""
    deepest = len(next(iter(codes.values())))
    if len(codes) <= limit or level == deepest:
        return [set(codes)]
    halves = [{i: c for i, c in codes.items() if c[level] == side} for side in "01"]
    return [part for half in halves if half for part in plain_cut(half, limit, level + 1)]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), p1=st.sampled_from([0.1, 1.0, 5.0, 100.0]))
def test_rows_are_cut_along_the_same_lines_for_everyone(seed: int, p1: float) -> None:
    ratings = random_ratings(n_users=25, n_items=20, density=0.4, seed=seed)
    features = features_of(ratings, seed)
    made = Fragmentation(cut="shared", p1=p1).using(features).apply(ratings)
    lines = SharedCut.of(ratings, *shared_lines(ratings.item_support, features, SILENT), 50.0)
    paths = [np.binary_repr(code, lines.depth) for code in lines.code_of]
    for user, rows in rows_by_person(ratings, made).items():
        items, _ = ratings.row(user)
        limit = max(len(items) / max(p1 * math.log(1 + len(items) / 50), 1), 1)
        wanted = plain_cut({int(item): paths[item] for item in items}, limit)
        assert sorted(map(sorted, wanted)) == sorted(sorted(part) for part in rows)
    assert cells(made.release.as_ratings()) == cells(ratings)


def test_every_item_has_a_cell_of_its_own_and_halves_weigh_the_same() -> None:
    ratings = random_ratings(n_users=200, n_items=64, density=0.3)
    features = features_of(ratings, 1)
    lines = SharedCut.of(ratings, *shared_lines(ratings.item_support, features, SILENT), 50.0)
    assert len(np.unique(lines.code_of)) == ratings.n_items
    upper = lines.code_of >> (lines.depth - 1) == 1
    share = ratings.item_support[upper].sum() / ratings.n_ratings
    assert share == pytest.approx(0.5, abs=0.02)


def test_a_wish_is_met_and_one_too_many_refused() -> None:
    ratings = random_ratings(n_users=800, n_items=400, density=0.1)
    for wanted in (1.5, 3.0, 7.7, 15.0):
        release = method("fragmentation", fragments=wanted, **SHARED).apply(ratings).release
        assert release.manifest.rows / ratings.n_users == pytest.approx(wanted, rel=0.03)
    few = from_rows({"a": {"x": 1, "y": 2, "z": 3}, "b": {"x": 5}})
    with pytest.raises(InputError, match=r"these data allow 2\.00 at most") as problem:
        method("fragmentation", preset="shared-6").apply(few)
    assert "--preset shared-6" in str(problem.value)


def test_presets_with_shared_lines_make_as_many_as_the_papers() -> None:
    ratings = random_ratings(n_users=300, n_items=100, density=0.3)
    rows = method("fragmentation", preset="shared-2").apply(ratings).release.manifest.rows
    assert rows / ratings.n_users == pytest.approx(TARGETS["paper-2"], rel=0.01)


def test_a_cell_is_predicted_by_the_fragment_that_would_have_held_it() -> None:
    ratings = random_ratings(n_users=80, n_items=60, density=0.3)
    rehearsal = rehearsed(ratings, method("fragmentation", p1=5, **SHARED))
    rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
    for user, row in zip(rehearsal.users, rows, strict=True):
        assert row in rehearsal.linkage.rows_of(user)
    held = Fragmentation(p1=5, cut="shared").apply(ratings, Randomness.from_seed(2))
    released = held.release.as_ratings()
    every = np.arange(ratings.n_items)
    row_for = held.secret.row_for(held.secret.linkage(ratings, released), ratings, released, every)
    users, items = ratings.user_codes().astype(np.int64), ratings.items.astype(np.int64)
    for row, item in zip(row_for(users, items), items, strict=True):
        assert item in released.row(int(row))[0]
    assert held.secret.chooser is not None
    unknown = held.secret.chooser(np.array([3, 4]), np.array([-1, -1]))
    assert held.secret.owners[unknown].tolist() == [3, 4]


def plain_capped(
    row: list[int], centroids: list[int], features: NDArray[np.float32], share: float
) -> list[set[int]]:
    """Whoever lies nearest to a centroid chooses first, as long as there is room."""
    gaps = {
        item: [
            -1.0 if item == c else float(np.square(features[item] - features[c]).sum())
            for c in centroids
        ]
        for item in row
    }
    parts: list[set[int]] = [set() for _ in centroids]
    most = math.ceil(share * len(row) / len(centroids))
    for item in sorted(row, key=lambda one: (min(gaps[one]), one)):
        free = [at for at in range(len(centroids)) if len(parts[at]) < most]
        parts[min(free, key=lambda at: (gaps[item][at], at))].add(item)
    return parts


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), share=st.sampled_from([1.0, 1.25, 3.0, 100.0]))
def test_no_fragment_takes_more_than_its_share(seed: int, share: float) -> None:
    ratings = random_ratings(n_users=25, n_items=20, density=0.5, seed=seed)
    features = features_of(ratings, seed, whole=True)
    recipe = Fragmentation(fragments=3.0, max_share=share).using(features)
    candidates = recipe.candidates(ratings)
    counts = candidates.counts(recipe.strength(candidates), SILENT)
    made = recipe.apply(ratings)
    for user, rows in rows_by_person(ratings, made).items():
        items = ratings.row(user)[0].tolist()
        ranked = sorted(items, key=lambda item: candidates.rank[item])
        wanted = plain_capped(items, ranked[: max(counts[user], 1)], features, share)
        assert sorted(map(sorted, wanted)) == sorted(sorted(part) for part in rows)


def test_a_cap_that_never_binds_changes_nothing() -> None:
    ratings = random_ratings(n_users=60, n_items=40, density=0.4)
    one, two = (
        Fragmentation(fragments=3.0, max_share=share).apply(ratings, Randomness.from_seed(1))
        for share in (None, 1000.0)
    )
    assert one.release.as_ratings().equals(two.release.as_ratings())


@pytest.mark.parametrize(
    "bad",
    [
        {"max_share": 0.9},
        {"max_share": 2, "cut": "shared"},
        {"max_share": 2, "preset": "shared-3"},
        {"cut": "both"},
        {"preset": "shared-7"},
    ],
)
def test_bad_parameters_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        METHODS.get("fragmentation")(**bad)


def test_shared_lines_leave_the_centroids_no_rank_to_leak() -> None:
    """Centroids are at most as common as all else of the person; shared lines have none."""
    ratings = random_ratings(200, 80, 0.4)
    support = ratings.item_support

    def contradictions(**given: Any) -> int:
        made = method("fragmentation", fragments=4.0, target_support=60, **given).apply(ratings)
        broken = 0
        for rows in rows_by_person(ratings, made).values():
            rarest = [sorted(support[item] for item in row)[:2] for row in rows]
            seconds = [pair[1] for pair in rarest if len(pair) > 1]
            broken += bool(seconds) and max(pair[0] for pair in rarest) > min(seconds)
        return broken

    assert contradictions() == 0
    assert contradictions(**SHARED) > 100


def test_who_takes_one_row_gains_less_from_shared_lines() -> None:
    ratings = random_ratings(160, 70, 0.4)
    paper, shared = (
        attack("scoreboard-multi:known=12,width=0.05").run(
            rehearsable(ratings, fragments=4, target_support=30, **given)
        )
        for given in ({}, SHARED)
    )
    assert value(shared, "gain_single") < value(paper, "gain_single")
