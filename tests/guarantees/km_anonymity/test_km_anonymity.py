from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.errors import ParameterError
from recloak.core.ratings import Ratings
from recloak.guarantees import guarantee
from recloak.guarantees.km_anonymity import _terms as km_terms
from recloak.guarantees.km_anonymity._rows import WITNESS_ROWS
from recloak.io import read
from recloak.releases.ratings import RatingsRelease
from recloak.testing import GuaranteeContract, from_rows, random_ratings
from tests.support.disassociations import manifest_of


class TestKmAnonymity(GuaranteeContract):
    name = "km-anonymity"
    parameters = {"k": 2, "m": 2}

    def keeping(self) -> Ratings:
        """No row is like another, but each pair of ratings occurs twice."""
        rows = {
            "one": {"x": 1, "y": 2, "z": 3},
            "two": {"x": 1, "y": 2, "w": 4},
            "three": {"x": 1, "z": 3, "w": 4},
            "four": {"y": 2, "z": 3, "w": 4},
        }
        return from_rows(rows)

    def breaking(self) -> Ratings:
        return from_rows(
            {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}, "c": {"y": 2}, "d": {"y": 3}}
        )

    def test_a_third_rating_known_breaks_it(self) -> None:
        verdict = self.make(m=3).check(self.keeping())
        assert verdict.status == "broken"
        assert verdict.witness is not None
        assert len(verdict.witness["items"]) == 3

    def test_the_witness_is_a_set_with_its_rows(self) -> None:
        witness = self.make().check(self.breaking()).witness
        assert witness is not None
        assert witness["items"] == ["x", "y"]
        assert (witness["values"], witness["rows"]) in (([1.0, 2.0], ["a"]), ([1.0, 3.0], ["b"]))
        assert witness["rows that hold all of it"] == 1

    def test_values_count_only_if_asked_for(self) -> None:
        assert self.make(values=False).check(self.breaking()).holds

    @pytest.mark.parametrize("bad", [{"k": 1}, {"k": 0}, {"m": 0}, {"m": -1}, {"k": "x"}])
    def test_meaningless_parameters_are_refused(self, bad: dict) -> None:
        with pytest.raises(ParameterError):
            self.make(**bad)

    def test_more_known_than_anyone_rated_is_fine(self) -> None:
        rows = from_rows({"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}})
        assert self.make(m=50).check(rows).holds

    def test_one_person_is_never_hidden(self) -> None:
        verdict = self.make(m=1).check(from_rows({"a": {"x": 1}}))
        assert verdict.status == "broken"

    def test_plus_and_minus_zero_are_the_same_rating(self) -> None:
        rows = Ratings.from_columns([1, 2], [1, 1], np.array([0.0, -0.0]), scale="-1..1")
        assert self.make().check(rows).holds

    def test_a_release_of_another_kind_is_checked_by_its_rows(self) -> None:
        for rows in (self.keeping(), self.breaking()):
            release = RatingsRelease(manifest_of(rows, "ratings"), rows)
            assert self.make().check_release(release) == self.make().check(rows)

    def test_absurd_sizes_are_undecided_with_an_estimate(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(km_terms, "BUDGET", 10)
        verdict = self.make().check(self.keeping())
        assert verdict.status == "undecided"
        assert "2e+01 steps" in verdict.how  # four rows of three terms and three pairs
        assert self.make().check(self.breaking()).status == "broken"


def rarest_set(ratings: Ratings, m: int, values: bool) -> int:
    """The plain way: all sets of each row, counted."""
    counts: Counter[tuple] = Counter()
    for user in range(ratings.n_users):
        items, rated = (part.tolist() for part in ratings.row(user))
        terms = list(zip(items, rated, strict=True)) if values else items
        for size in range(1, m + 1):
            counts.update(combinations(terms, size))
    return min(counts.values())


def repeated(ratings: Ratings, rng: np.random.Generator) -> Ratings:
    """Some rows several times over, so that few sets are rare."""
    codes = np.repeat(np.arange(ratings.n_users), rng.integers(1, 5, ratings.n_users))
    return ratings.take_users(codes).relabel_users(np.arange(len(codes)))


@given(
    seed=st.integers(0, 10**6),
    n_items=st.integers(1, 5),
    m=st.integers(1, 4),
    values=st.booleans(),
    sampling=st.booleans(),
)
def test_agrees_with_counting_all_sets(
    seed: int, n_items: int, m: int, values: bool, sampling: bool
) -> None:
    rng = np.random.default_rng(seed)
    plain = random_ratings(12, n_items, 0.6, seed)
    liked = plain.with_values(np.where(plain.values > 3, 2, 1).astype(np.float32))
    ratings = repeated(liked, rng)
    expected = rarest_set(ratings, m, values)
    with pytest.MonkeyPatch.context() as patch:
        if not sampling:
            patch.setattr("recloak.guarantees.km_anonymity._rows.SAMPLED_ROWS", 0)
        for k in {2, 3, max(expected, 2), expected + 1}:
            verdict = guarantee(f"km-anonymity:k={k},m={m},values={values}").check(ratings)
            assert verdict.holds == (expected >= k)
            if verdict.witness:
                count = verdict.witness["rows that hold all of it"]
                assert 0 < count < k
                assert len(verdict.witness["rows"]) == min(count, WITNESS_ROWS)


@pytest.mark.real
def test_real_ratings_are_broken_at_once(real_data: Path) -> None:
    ratings = read(real_data / "ml-100k" / "u.data")
    assert guarantee("km-anonymity:k=2,m=3").check(ratings).status == "broken"
