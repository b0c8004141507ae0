"""Method `fragmentation`: the rules of the spec, the paper's example, bad input."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recloak.auditing.rehearsal import rehearsed
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io import read
from recloak.methods import METHODS, method
from recloak.methods.fragmentation import TARGETS, Fragmentation
from recloak.releases.secret import Secret
from recloak.testing import MethodContract, from_rows, random_ratings
from recloak.testing.methods import cells

# Figure 1 of the paper: five people, nine fragments, and whose they are.
ORIGINAL = {
    "1": {"M1": 3.0, "M3": 5.0, "M4": 4.0},
    "2": {"M2": 2.0, "M3": 5.0, "M4": 5.0, "M5": 1.0},
    "3": {"M1": 4.0, "M4": 1.0},
    "4": {"M1": 3.0, "M3": 3.0, "M4": 2.0, "M5": 4.0},
    "5": {"M1": 4.0, "M3": 5.0, "M5": 4.0},
}
FRAGMENTS = {
    "1": {"M1": 4.0, "M4": 1.0},
    "2": {"M1": 4.0, "M5": 4.0},
    "3": {"M2": 2.0, "M5": 1.0},
    "4": {"M1": 3.0},
    "5": {"M3": 5.0, "M4": 5.0},
    "6": {"M3": 5.0},
    "7": {"M3": 3.0, "M4": 2.0},
    "8": {"M1": 3.0, "M5": 4.0},
    "9": {"M3": 5.0, "M4": 4.0},
}
MAPPING = {"1": "3", "2": "5", "3": "2", "4": "1", "5": "2", "6": "5", "7": "4", "8": "4", "9": "1"}


class TestFragmentation(MethodContract):
    name = "fragmentation"
    parameters = {"p1": 3.0}


def plain_fragments(
    row: dict[int, float],
    support: NDArray[np.int64],
    features: NDArray[np.float32],
    target: float,
    safe: float,
    p1: float,
    p2: float,
) -> list[set[int]]:
    """One person's fragments, written as the rules are."""
    rare = sorted((item for item in row if support[item] < safe), key=lambda i: (support[i], i))
    aim = p1 * math.log(1 + len(row) / p2)
    centroids = rare[:1]
    for place, item in enumerate(rare[1:], 1):
        if support[item] > target * aim / place:
            break
        centroids.append(item)
    if not centroids:
        return [set(row)]
    parts: dict[int, set[int]] = {centroid: {centroid} for centroid in centroids}
    for item in set(row) - set(centroids):
        gaps = [float(np.square(features[item] - features[c]).sum()) for c in centroids]
        parts[centroids[gaps.index(min(gaps))]].add(item)
    return list(parts.values())


def rows_by_person(original: Ratings, made: Any) -> dict[int, list[dict[int, float]]]:
    rows = made.release.as_ratings()
    linkage = made.secret.linkage(original, rows)
    item_of = {str(label): code for code, label in enumerate(original.item_labels)}
    names = [item_of[str(label)] for label in rows.item_labels]
    return {
        user: [
            {names[item]: float(value) for item, value in zip(*rows.row(row), strict=True)}
            for row in linkage.rows_of(user)
        ]
        for user in range(original.n_users)
    }


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 1000),
    p1=st.sampled_from([0.1, 1.0, 5.0, 100.0]),
    p2=st.sampled_from([1.0, 50.0]),
    target=st.sampled_from([2.0, 10.0, 500.0]),
    safe=st.sampled_from([1.0, 12.0, 5000.0]),
)
def test_follows_the_rules(seed: int, p1: float, p2: float, target: float, safe: float) -> None:
    ratings = random_ratings(n_users=25, n_items=20, density=0.4, seed=seed)
    # small whole numbers: no rounding, and many centroids that are equally near
    features = np.random.default_rng(seed).integers(0, 3, (ratings.n_items, 3)).astype(np.float32)
    chosen = Fragmentation(p1=p1, p2=p2, target_support=target, safe_support=safe).using(features)
    made = chosen.apply(ratings, Randomness.from_seed(seed))
    for user, rows in rows_by_person(ratings, made).items():
        row = dict(zip(*(part.tolist() for part in ratings.row(user)), strict=True))
        wanted = plain_fragments(row, ratings.item_support, features, target, safe, p1, p2)
        assert sorted(map(sorted, wanted)) == sorted(sorted(part) for part in rows)
        assert {item: value for part in rows for item, value in part.items()} == row


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), preset=st.sampled_from([1.0, 1.5, 2.5, 4.0]))
def test_the_release_is_truthful(seed: int, preset: float) -> None:
    ratings = random_ratings(n_users=30, seed=seed)
    release = method("fragmentation", fragments=preset).apply(ratings).release.as_ratings()
    assert cells(release) == cells(ratings)
    assert release.user_counts.min() >= 1


def test_a_wish_for_fragments_is_met_within_a_hundredth() -> None:
    ratings = random_ratings(n_users=800, n_items=400, density=0.1)
    for wanted in (1.5, 3.0, 7.7, 15.0):
        release = method("fragmentation", fragments=wanted).apply(ratings).release
        assert release.manifest.rows / ratings.n_users == pytest.approx(wanted, rel=0.01)


def test_more_p1_more_fragments() -> None:
    ratings = random_ratings(n_users=100, n_items=200)
    rows = [
        method("fragmentation", p1=p1).apply(ratings).release.manifest.rows
        for p1 in (0.01, 2, 4, 10)
    ]
    assert rows[0] == ratings.n_users
    assert rows == sorted(set(rows))


def test_what_cannot_be_reached_is_refused_with_the_most() -> None:
    ratings = from_rows({"a": {"x": 1, "y": 2, "z": 3}, "b": {"x": 5}})
    with pytest.raises(InputError, match=r"these data allow 2\.00 at most") as problem:
        method("fragmentation", preset="paper-6").apply(ratings)
    assert "--preset paper-6" in str(problem.value)
    assert method("fragmentation", fragments=2.0).apply(ratings).release.manifest.rows == 4


def test_presets_name_the_papers_rows() -> None:
    assert [TARGETS[f"paper-{at}"] for at in (1, 6)] == [2.25, 38.3]
    assert [TARGETS[f"netflix-{at}"] for at in (1, 6)] == [1.55, 18.98]


def test_the_example_of_the_paper_is_restored_by_its_mapping() -> None:
    original, published = from_rows(ORIGINAL), from_rows(FRAGMENTS)
    assert cells(original) == cells(published)
    people = np.array(list(ORIGINAL), dtype=object)
    secret = Secret(
        release_id="0" * 32,
        root=b"",
        user_labels=people,
        owners=np.array([list(ORIGINAL).index(MAPPING[name]) for name in FRAGMENTS]),
        pseudonyms=np.array(list(FRAGMENTS), dtype=object),
    )
    linkage = secret.linkage(original, published)
    for user, name in enumerate(original.user_labels):
        restored: Counter[tuple[str, float]] = Counter()
        for row in linkage.rows_of(user):
            restored += cells(published.take_users(np.array([row])))
        assert restored == Counter(ORIGINAL[str(name)].items())


def test_a_person_without_rare_items_stays_whole() -> None:
    ratings = random_ratings(n_users=50, n_items=5, density=0.9)
    made = method("fragmentation", p1=100, safe_support=2).apply(ratings)
    assert made.release.manifest.rows == ratings.n_users


def test_a_cell_is_predicted_by_the_fragment_that_would_have_held_it() -> None:
    ratings = random_ratings(n_users=80, n_items=60, density=0.3)
    rehearsal = rehearsed(ratings, method("fragmentation", p1=5))
    rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
    for user, row in zip(rehearsal.users, rows, strict=True):
        assert row in rehearsal.linkage.rows_of(user)
    held = Fragmentation(p1=5).apply(ratings, Randomness.from_seed(2))
    released = held.release.as_ratings()
    every = np.arange(ratings.n_items)
    row_for = held.secret.row_for(held.secret.linkage(ratings, released), ratings, released, every)
    users, items = ratings.user_codes().astype(np.int64), ratings.items.astype(np.int64)
    for row, item in zip(row_for(users, items), items, strict=True):
        assert item in released.row(int(row))[0]


def test_an_unknown_item_is_predicted_by_a_fragment_of_the_person() -> None:
    ratings = random_ratings()
    secret = method("fragmentation").apply(ratings).secret
    assert secret.chooser is not None
    places = secret.chooser(np.array([3, 4]), np.array([-1, -1]))
    assert secret.owners[places].tolist() == [3, 4]


def test_cosine_looks_at_directions_only() -> None:
    ratings = random_ratings(n_users=40, n_items=30, density=0.5)
    features = np.random.default_rng(0).normal(size=(ratings.n_items, 4)).astype(np.float32)
    longer = features * np.random.default_rng(1).integers(1, 9, (ratings.n_items, 1))
    chosen = Fragmentation(p1=5, distance="cosine")
    one, two = (
        chosen.using(found.astype(np.float32)).apply(ratings, Randomness.from_seed(1))
        for found in (features, longer)
    )
    assert one.release.as_ratings().equals(two.release.as_ratings())


def test_people_without_ratings_get_no_row() -> None:
    ratings = random_ratings(n_users=10).keep(np.arange(random_ratings(n_users=10).n_ratings) > 20)
    assert (ratings.user_counts == 0).any()
    made = method("fragmentation").apply(ratings)
    assert len(made.secret.linkage(ratings, made.release.as_ratings()).linked) < 10


@pytest.mark.parametrize(
    "ratings",
    [
        Ratings.from_columns([1, 1, 2, 2, 3], [1, 2, 1, 2, 1], [3, 3, 3, 3, 3], scale="1..5"),
        Ratings.from_columns([1, 1, 2, 2, 3], [1, 2, 1, 2, 1], None),
        Ratings.from_columns([7], [7], [3], scale="1..5"),
        Ratings.from_columns([1, 1, 1], [1, 2, 3], [1, 5, 3], scale="1..5"),
        Ratings.from_columns([1, 2, 3], [1, 1, 1], [1, 5, 3], scale="1..5"),
    ],
    ids=["all values equal", "no values", "one cell", "one person", "one item"],
)
def test_little_data_still_make_a_truthful_release(ratings: Ratings) -> None:
    made = method("fragmentation", p1=10).apply(ratings)
    assert cells(made.release.as_ratings()) == cells(ratings)


def test_without_values_items_that_occur_together_are_near() -> None:
    """Two groups of people with items of their own."""
    lines = [
        (100 * group + user, 50 * group + item)
        for group in (0, 1)
        for user in range(40)
        for item in range(10)
        if (user + item) % 7
    ]
    bought = Ratings.from_columns(*zip(*lines, strict=True), None)
    found = Fragmentation(factors=4).features(bought, Randomness.from_seed(1))
    gaps = np.linalg.norm(found[:, None] - found[None], axis=2)
    assert gaps[:10, :10].max() < gaps[:10, 10:].min()


@pytest.mark.parametrize(
    "bad",
    [
        {"p1": 0},
        {"p1": -1},
        {"p2": 0},
        {"factors": 0},
        {"preset": "paper-7"},
        {"fragments": -1},
        {"fragments": 0.5},
    ],
)
def test_bad_parameters_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        METHODS.get("fragmentation")(**bad)


def test_two_wishes_are_refused() -> None:
    with pytest.raises(ParameterError, match="give one of them"):
        method("fragmentation", preset="paper-1", fragments=3)


@pytest.mark.real
def test_the_prototypes_p1_come_out(real_data: Path) -> None:
    """The values of p1 that the spec gives for tc = 500 and p2 = 50."""
    wanted = {
        "ml-1m": [0.132, 0.525, 2.12, 5.90, 12.3, 20.7],
        "ml-100k": [0.044, 0.181, 0.760, 2.19, 4.73, 8.21],
    }
    for name, values in wanted.items():
        ratings = read(real_data / name)
        for at, value in enumerate(values, 1):
            chosen = Fragmentation(preset=f"paper-{at}")
            candidates = chosen.candidates(ratings)
            strength = chosen.strength(candidates)
            assert strength / 500 == pytest.approx(value, rel=0.01)
            rows = np.maximum(candidates.counts(strength, progress=SILENT), 1).sum()
            assert rows / ratings.n_users == pytest.approx(TARGETS[f"paper-{at}"], rel=0.01)
