from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.errors import ParameterError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.guarantees import guarantee
from recloak.methods.pseudonymize import Pseudonymize
from recloak.releases.base import save_release
from recloak.releases.parts import TableParts
from recloak.releases.stored import StoredRatings
from recloak.testing import GuaranteeContract, from_rows, random_ratings


class TestKAnonymity(GuaranteeContract):
    name = "k-anonymity"
    parameters = {"k": 2}

    def keeping(self) -> Ratings:
        return from_rows(
            {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"z": 3}, "d": {"z": 3}}
        )

    def breaking(self) -> Ratings:
        return from_rows(
            {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"z": 3}, "d": {"z": 4}}
        )

    def test_values_count_only_if_asked_for(self) -> None:
        assert self.make(values=False).check(self.breaking()).holds

    def test_the_witness_is_a_row_that_stands_alone(self) -> None:
        witness = self.make().check(self.breaking()).witness
        assert witness == {
            "row": "c",
            "rows like it": 1,
            "ratings": 1,
            "first items": ["z"],
            "their values": [3.0],
        }

    @pytest.mark.parametrize("k", [1, 0, -3, "x"])
    def test_k_must_be_at_least_two(self, k: object) -> None:
        with pytest.raises(ParameterError):
            self.make(k=k)

    def test_plus_and_minus_zero_are_the_same_rating(self) -> None:
        rows = Ratings.from_columns([1, 2], [1, 1], np.array([0.0, -0.0]), scale="-1..1")
        assert self.make().check(rows).holds


def smallest_group(ratings: Ratings, values: bool) -> int:
    """The plain way: rows as tuples, counted."""
    rows = []
    for user in range(ratings.n_users):
        items, rated = ratings.row(user)
        rows.append(tuple(zip(items, rated, strict=True)) if values else tuple(items))
    return min(Counter(rows).values())


@given(seed=st.integers(0, 10**6), n_items=st.integers(1, 6), values=st.booleans())
def test_agrees_with_counting_tuples(seed: int, n_items: int, values: bool) -> None:
    ratings = random_ratings(30, n_items, 0.5, seed)
    expected = smallest_group(ratings, values)
    for k in (2, 3, 5):
        verdict = guarantee(f"k-anonymity:k={k},values={values}").check(ratings)
        assert verdict.holds == (expected >= k)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Ratings], StoredRatings]:
    """Writes rows as a release in several parts, and opens it so that it stays on disk."""

    def write(rows: Ratings) -> StoredRatings:
        monkeypatch.setattr(TableParts, "ratings_per_part", -(-rows.n_ratings // 3))
        drawn = Randomness.from_seed(5)
        applied = Pseudonymize(times="year").apply(rows, drawn)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        save_release(applied.release, folder)
        return StoredRatings.opened(folder)

    return write


@pytest.mark.parametrize("values", [True, False])
def test_parts_are_judged_as_the_whole(
    stored: Callable[[Ratings], StoredRatings], values: bool
) -> None:
    """Names of items and ratings are the same in all parts, though each has codes of its own."""
    rng, claim = np.random.default_rng(3), guarantee(f"k-anonymity:k=3,values={values}")
    kinds = [[(1, 5), (2, 3)], [(2, 3)], [(2, 4)], [(7, 1), (8, 2), (9, 3)]]
    for counts in ([3, 3, 4, 3], [5, 3, 2, 3], [3, 3, 3, 1]):
        people = rng.permutation(np.repeat(np.arange(4), counts))
        cells = [
            (who, item, value) for who, kind in enumerate(people) for item, value in kinds[kind]
        ]
        rows = Ratings.from_columns(*zip(*cells, strict=True), scale="1..5")
        release = stored(rows)
        whole, parts = claim.check(release.as_ratings()), claim.check_release(release)
        assert sum(1 for _ in release.parts()) == 3
        assert parts.status == whole.status
        assert (parts.witness or {}).get("rows like it") == (whole.witness or {}).get(
            "rows like it"
        )
        assert "128-bit fingerprints" in parts.how


def test_times_count_in_parts_too(stored: Callable[[Ratings], StoredRatings]) -> None:
    claim = guarantee("k-anonymity:k=3")
    times = np.array([0, 0, 0, 40_000_000])
    alike = Ratings.from_columns([1, 2, 3, 4], [1, 1, 1, 1], [5, 5, 5, 5], times, scale="1..5")
    assert claim.check_release(stored(alike)).status == "broken"
    assert claim.check_release(stored(alike.without_times())).holds


def test_diversity_of_parts(stored: Callable[[Ratings], StoredRatings]) -> None:
    """Rows that are the same are one group; an item must be in l of these."""
    cells = [
        (who, item) for who, items in enumerate(["ab", "ab", "ac", "bc", "b"]) for item in items
    ]
    rows = Ratings.from_columns(*zip(*cells, strict=True))
    release = stored(rows)
    for wanted, status in ((2, "holds"), (3, "broken")):
        claim = guarantee(f"diversity:b=1,l={wanted}")
        verdict = claim.check_beside(rows, release)
        whole = claim.check_beside(rows, release.as_ratings())
        assert verdict.status == whole.status == status
        assert verdict.how == whole.how
        found, known = verdict.witness or {}, whole.witness or {}
        assert found.get("items") == known.get("items")
        assert found.get("groups that hold them") == known.get("groups that hold them")
