"""Guarantee `diversity`: against counting all sets, and what it says without the original."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.verification import check_claims
from recloak.core.ratings import Ratings
from recloak.guarantees import guarantee
from recloak.testing import GuaranteeContract, from_rows, random_ratings


class TestDiversity(GuaranteeContract):
    name = "diversity"
    parameters = {"b": 1, "l": 2}

    def keeping(self) -> Ratings:
        return from_rows({"a": {"x": 1, "y": 2}, "b": {"x": 2, "y": 2}, "c": {"x": 1, "y": 2}})

    def breaking(self) -> Ratings:
        return from_rows({"a": {"x": 1, "y": 2}, "b": {"x": 2}, "c": {"x": 3}})

    def original(self) -> Ratings:
        return from_rows({"p": {"x": 1, "y": 2}})

    def test_the_witness_names_the_items_and_their_groups(self) -> None:
        verdict = self.make().check_beside(self.original(), self.breaking())
        assert verdict.witness == {
            "items": ["y"],
            "groups that hold them": 1,
            "first groups": ["a"],
        }

    def test_rows_that_are_alike_are_one_group(self) -> None:
        alike = from_rows({"a": {"x": 1}, "b": {"x": 1}})
        assert self.make().check_beside(alike, alike).status == "broken"
        assert self.make(l=1).check_beside(alike, alike).holds

    def test_an_item_that_was_left_out_breaks_it(self) -> None:
        original = from_rows({"p": {"x": 1, "z": 2}})
        for b in (1, 2, 3):
            verdict = self.make(b=b).check_beside(original, self.keeping())
            assert (verdict.status == "broken") == (b < 3)  # nobody rated three

    def test_what_it_takes_for_granted_without_the_original_is_said(self) -> None:
        """Profiles that leave an item out look as if nobody had rated it."""
        alone, original = self.make().check(self.keeping()), from_rows({"p": {"x": 1, "z": 2}})
        assert alone.holds
        assert "list everything that their members rated; with --original" in alone.how
        assert self.make().check_beside(original, self.keeping()).status == "broken"
        assert "--original" not in self.make().check_beside(self.original(), self.keeping()).how

    def test_undecided_without_the_original(self) -> None:
        verdict = self.make().check(self.breaking())
        assert verdict.status == "undecided"
        assert "--original" in verdict.how


def holds_plainly(profiles: Ratings, original: Ratings, b: int, wanted: int) -> bool:
    """The definition, word for word."""
    groups = [set(profiles.item_labels[profiles.row(row)[0]]) for row in range(profiles.n_users)]
    for user in range(original.n_users):
        names = original.item_labels[original.row(user)[0]]
        for items in combinations(names, b):
            if sum(group.issuperset(items) for group in groups) < wanted:
                return False
    return True


def distinct_rows(n_users: int, n_items: int, density: float, seed: int) -> Ratings:
    """Rows that differ in their values, so that each counts as a group."""
    rows = random_ratings(n_users, n_items, density, seed)
    values = (1 + rows.user_codes() / n_users).astype(np.float32)
    return replace(rows, values=values)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    b=st.integers(1, 2),
    wanted=st.integers(1, 8),
    density=st.sampled_from([0.3, 0.6, 0.9]),
)
def test_agrees_with_counting_all_sets(seed: int, b: int, wanted: int, density: float) -> None:
    profiles = distinct_rows(20, 8, density, seed)
    original = random_ratings(10, 9, 0.2, seed + 1)
    checker = guarantee(f"diversity:b={b},l={wanted}")
    found = checker.check_beside(original, profiles)
    expected = holds_plainly(profiles, original, b, wanted)
    assert found.status == ("holds" if expected else "broken")
    stricter = holds_plainly(profiles, profiles, b, wanted)
    assert checker.check(profiles).status == ("holds" if stricter else "undecided")


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), wanted=st.integers(1, 6))
def test_larger_sets_are_never_proven_by_a_sample(seed: int, wanted: int) -> None:
    profiles, original = distinct_rows(20, 8, 0.8, seed), random_ratings(10, 8, 0.5, seed + 1)
    found = guarantee(f"diversity:b=3,l={wanted}").check_beside(original, profiles)
    expected = holds_plainly(profiles, original, 3, wanted)
    assert found.status in (("holds", "undecided") if expected else ("broken", "undecided"))


def test_common_items_prove_it_for_every_b() -> None:
    rows = {
        f"{block}{at}": {f"{block}{item}": 1 + at for item in range(5)}
        for block in "xy"
        for at in range(3)
    }
    profiles = from_rows(rows)
    for b in range(1, 6):
        assert guarantee(f"diversity:b={b},l=3").check(profiles).holds
        assert guarantee(f"diversity:b={b},l=4").check_beside(profiles, profiles).status == "broken"


def test_what_a_sample_did_not_find_is_undecided() -> None:
    """Whole rows are in one profile each, yet any three items are in two."""
    names = "abcdef"
    lacking = {
        f"g{at}": {name: 1 + at / 10 for name in names if name != lost}
        for at, lost in enumerate(names)
    }
    everyone = from_rows({"p": dict.fromkeys(names, 1)}, scale="1..5")
    profiles = from_rows(lacking, scale="1..5 continuous")
    verdict = guarantee("diversity:b=3,l=3").check_beside(everyone, profiles)
    assert verdict.status == "undecided"
    assert "1 whole rows do" in verdict.how


def test_claims_are_checked_beside_the_original() -> None:
    rows = TestDiversity().breaking()
    narrow = from_rows({"p": {"x": 1}})
    claims = ["diversity:b=1,l=2", "k-anonymity:k=2"]
    assert [verdict.status for verdict in check_claims(rows, claims)] == ["undecided", "broken"]
    beside = check_claims(rows, claims, original=narrow)
    assert [verdict.status for verdict in beside] == ["holds", "broken"]
