"""Link existence: who rated what is listed, and who did not rate what is missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks import attack
from recloak.attacks.link_existence import BANDS
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.releases.grouped import GroupedRelease
from recloak.testing import AttackContract, context_of, from_rows, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.test_profile_inversion import K, by_hand

SPEC = "link-existence"


class TestLinkExistence(AttackContract):
    name = SPEC

    def context(self, ratings: Ratings) -> AuditContext:
        if ratings.n_users < K:
            return context_of(ratings)
        return context_of(ratings, "microaggregation", k=K, clustering="mdav")

    def test_finds_people_where_only_names_changed(self) -> None:
        """It reads profiles of groups; single rows are their people's own."""
        finding = self.make().run(context_of(random_ratings()))
        assert finding.figures == ()
        assert "no profiles of groups" in finding.notes[0]

    def test_one_person(self) -> None:
        one = from_rows({"u": {"a": 5, "b": 2}})
        finding = self.make().run(by_hand(one, {"u": "g"}, {"g": {"a": 5, "b": 2}}, {"g": 1}, None))
        assert value(finding, "rated_given_edge") == 1
        assert value(finding, "promise") == 1


def plain(context: AuditContext) -> dict[str, float]:
    """The same cell after cell."""
    release, original = context.release, context.original
    assert isinstance(release, GroupedRelease)
    k, people = int(release.sizes.min()), original.n_users
    group_of_row = dict(zip(release.row_labels.tolist(), release.groups.tolist(), strict=True))
    lower = list(BANDS.values())
    sums: dict[str, list[float]] = {}
    absent, true = [], []
    for user in range(people):
        (row,) = context.linkage.rows_of(user)
        listed = release.profiles.row(group_of_row[int(context.rows.user_labels[row])])[0].tolist()
        own = original.row(user)[0].tolist()
        for item in listed:
            p = original.item_support[item] / people
            band = list(BANDS)[max(at for at, edge in enumerate(lower) if p >= edge)]
            bound = 1 / k + p / (2 - k * p) if p <= 1 / k else np.inf
            for name in ("rated_given_edge", f"rated_{band}"):
                sums.setdefault(name, []).append(item in own)
            for name in ("prior", f"prior_{band}"):
                sums.setdefault(name, []).append(p)
            sums.setdefault(f"bound_{band}", []).append(bound)
        missing = set(range(original.n_items)) - set(listed)
        absent.append(len(missing))
        true.append(len(missing - set(own)))
    found = {name: float(np.mean(shares)) for name, shares in sums.items()}
    counts = {"absent": np.mean(absent), "absent_true": np.mean(true), "promise": 1 / k}
    return {name: one for name, one in found.items() if np.isfinite(one)} | counts


@settings(max_examples=20)
@given(
    seed=st.integers(0, 500),
    k=st.integers(2, 5),
    density=st.sampled_from([0.02, 0.2]),
    floor=st.integers(0, 2),
    publish=st.sampled_from(["sizes", "members"]),
)
def test_counts_what_a_plain_reader_counts(
    seed: int, k: int, density: float, floor: int, publish: str
) -> None:
    original = random_ratings(40, 15, density, seed)
    more = {"k": k, "floor": floor, "publish": publish, "clustering": "mdav"}
    context = context_of(original, "microaggregation", **more)
    finding, expected = attack(SPEC).run(context), plain(context)
    if context.rows.n_ratings:
        found = {one.name: one.value for one in finding.figures if one.name != "absent_original"}
        assert found == pytest.approx(expected)


def one_group(floor: bool = False) -> AuditContext:
    original = from_rows({"u": {"a": 5, "b": 2}, "v": {"a": 5}, "w": {"c": 1}, "x": {"c": 2}})
    profiles = {"g": {"a": 5} if floor else {"a": 5, "b": 2}, "h": {"c": 1.5}}
    group_of = {"u": "g", "v": "g", "w": "h", "x": "h"}
    return by_hand(original, group_of, profiles, {"g": 2, "h": 2}, None)


def test_people_who_rate_alike_break_the_promise() -> None:
    finding = attack(SPEC).run(one_group())
    assert value(finding, "rated_given_edge") == pytest.approx(5 / 6)
    assert value(finding, "promise") == 1 / 2
    # half of all people rated a and c, a quarter b: 1/2 + p / (2 − 2p)
    assert value(finding, "bound_common") == pytest.approx((4 * 1.0 + 2 * (1 / 2 + 1 / 6)) / 6)
    assert value(finding, "prior") == pytest.approx((4 * 0.5 + 2 * 0.25) / 6)


def test_what_is_missing_was_not_rated_unless_a_floor_hides_it() -> None:
    finding = attack(SPEC).run(one_group())
    assert value(finding, "absent") == value(finding, "absent_true") == 1.5
    assert value(finding, "absent_original") == 7 / 4
    hidden = attack(SPEC).run(one_group(floor=True))
    assert value(hidden, "absent") == 2
    assert value(hidden, "absent_true") == 7 / 4


def test_where_the_theorem_says_nothing_no_bound_is_given() -> None:
    original = from_rows({"u": {"a": 5}, "v": {"a": 5}, "w": {"a": 1}, "x": {"c": 2}})
    group_of = dict.fromkeys("uvw", "g") | {"x": "h"}
    context = by_hand(original, group_of, {"g": {"a": 4}, "h": {"c": 2}}, {"g": 3, "h": 2}, None)
    finding = attack(SPEC).run(context)
    assert finding.figure("bound_common") is None
    assert "says nothing" in finding.notes[-1]
