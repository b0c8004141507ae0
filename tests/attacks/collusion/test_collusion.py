"""Collusion: all members of a group but one derive the ratings of the last."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks.collusion._derivation import Pooled, Profile, derived, feasible
from recloak.core.errors import ParameterError
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.published_cells import PublishedCells
from recloak.testing import AttackContract, context_of, from_rows, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.test_profile_inversion import by_hand
from tests.support.control_groups import people_like_movielens

LEVELS = np.arange(1.0, 6.0)


class TestCollusion(AttackContract):
    name = "collusion"
    success = "collusion"

    def context(self, ratings: Ratings) -> AuditContext:
        if len(ratings) == 0:
            return context_of(ratings)
        return context_of(ratings, "microaggregation", k=3, imputation="item-mean")

    def test_finds_people_where_only_names_changed(self) -> None:
        """There are no groups; where there are, plain means give all away."""
        assert self.make().run(context_of(random_ratings(80, 60, 0.3))).figures == ()
        finding = self.make().run(self.context(random_ratings(80, 60, 0.3)))
        assert value(finding, "collusion") > 0.95
        assert value(finding, "collusion_outsiders") < 0.3

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1] * 5, range(5), [3] * 5, scale="1..5")
        finding = self.make().run(context_of(one))
        assert finding.figures == ()
        assert "no profiles of groups" in finding.notes[0]


def written_out(profile: dict[str, float], implied: float | None, **public: int) -> AuditContext:
    original = from_rows(
        {"u": {"a": 5, "b": 4}, "v": {"a": 1, "c": 2}, "w": {"a": 3}, "x": {"d": 1}}
    )
    members = {"u": "g", "v": "g", "w": "h", "x": "h"}
    profiles = {"g": profile, "h": {"a": 3, "d": 1} if implied is None else {"d": 2}}
    return by_hand(original, members, profiles, {"g": 2, "h": 2}, implied, **public)


def test_means_with_the_middle_for_what_is_missing_are_subtracted() -> None:
    finding = attack("collusion").run(written_out({"a": 3, "b": 3.5, "c": 2.5}, 3.0))
    # a of w is the middle: it is not listed, so that nothing follows; all others do
    assert value(finding, "collusion") == pytest.approx(5 / 6)


def test_means_of_raters_are_subtracted() -> None:
    finding = attack("collusion").run(written_out({"a": 3, "b": 4, "c": 2}, None))
    assert value(finding, "collusion") == 1


def test_a_floor_leaves_only_the_item() -> None:
    """What one or two rated shows another value, yet nobody else can have rated it."""
    context = written_out({"a": 3.3, "b": 3.1, "c": 3.2}, None, floor=3)
    finding = attack("collusion").run(context)
    assert value(finding, "collusion") == 0
    assert value(finding, "collusion_items") == pytest.approx(4 / 6)


def test_nothing_follows_from_a_profile_that_lists_nothing() -> None:
    """Means that are what a missing rating counts as are not listed: here, all of one group."""
    alike = {f"middle {at}": {"a": 3} for at in range(3)}
    apart = {f"top {at}": {"b": 5, "c": 1} for at in range(3)}
    context = context_of(from_rows({**alike, **apart}), "microaggregation", k=3)
    assert 0 in np.diff(PublishedCells.of(context).rows.offsets)
    assert value(attack("collusion").run(context), "collusion") == pytest.approx(6 / 9)


def test_profiles_by_another_rule_give_nothing_away_by_subtraction() -> None:
    finding = attack("collusion").run(written_out({"a": 4.9, "b": 1.1, "c": 4.7}, None))
    assert value(finding, "collusion") == 0
    assert "not plain means" in finding.notes[-1]


def test_rounding_leaves_more_open() -> None:
    people = people_like_movielens(200)
    found = [
        value(
            attack("collusion").run(context_of(people, "microaggregation", grid=grid)), "collusion"
        )
        for grid in (0, 0.25, 1)
    ]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.5 > found[2]


@pytest.mark.parametrize("rule", ["filled", "raters"])
@pytest.mark.parametrize("rounding", [0.0, 0.25])
def test_hypotheses_are_those_whose_profile_is_the_published_one(
    rule: str, rounding: float
) -> None:
    """Each hypothesis written out: the profile that would follow, beside the published one."""
    rng = np.random.default_rng(3)
    items, size = np.arange(30, dtype=np.int32), 4
    given = [
        {int(j): float(rng.integers(1, 6)) for j in items if rng.random() < 0.5} for _ in range(3)
    ]
    last = {int(j): float(rng.integers(1, 6)) for j in items if rng.random() < 0.5}

    def shown(item: int, value: float | None) -> float:
        rated = [one[item] for one in given if item in one] + ([] if value is None else [value])
        if rule == "filled":
            return (sum(rated) + 3 * (size - len(rated))) / size
        return sum(rated) / len(rated) if rated else np.nan

    published = np.array([shown(int(j), last.get(int(j))) for j in items])
    kept = ~np.isnan(published)
    items, published = items[kept], published[kept]
    if rounding:
        published = np.rint(published / (2 * rounding)) * 2 * rounding
    profile = Profile(items, published, np.full(len(items), 3.0), size, 0, rounding)
    others = Pooled(
        np.array([sum(one.get(int(j), 0) for one in given) for j in items]),
        np.array([sum(int(j) in one for one in given) for j in items]),
    )
    possible = feasible(profile, others, LEVELS, rule)  # type: ignore[arg-type]
    for place, item in enumerate(items):
        for column, hypothesis in enumerate([None, *LEVELS]):
            fits = abs(shown(int(item), hypothesis) - published[place]) <= rounding + 1e-5
            assert possible[place, column] == fits
    values_found, rated = derived(possible, LEVELS)
    exact = ~np.isnan(values_found)
    assert all(values_found[at] == last[int(items[at])] for at in np.flatnonzero(exact))
    assert all(int(items[at]) in last for at in np.flatnonzero(rated))


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ParameterError):
        attack("collusion:people=0")
