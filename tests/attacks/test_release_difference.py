"""What two releases of the same people give away together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks.release_difference._changed_rows import RowChanges
from recloak.attacks.release_difference._groups import _moved_alone
from recloak.auditing.matching import earlier_release_of
from recloak.auditing.policy import Policy
from recloak.auditing.rehearsal import rehearser
from recloak.auditing.run import audit
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, keeps_ids, match_items
from recloak.methods import method
from recloak.releases.linkage import Linkage
from recloak.testing import AttackContract, context_of, empty_ratings, from_rows, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value

SPEC = "release-difference"


def twice(original: Ratings, name: str = "pseudonymize", **parameters: Any) -> AuditContext:
    """A release, and another one of the same data, made before."""
    context = context_of(original, name, **parameters)
    before = method(name, **parameters).apply(original, Randomness.from_seed(77))
    return replace(context, previous=earlier_release_of(context, before.release, before.secret))


class TestReleaseDifference(AttackContract):
    name = SPEC
    parameters = {"tries": 100, "known": 4, "recent": 1}

    def context(self, ratings: Ratings) -> AuditContext:
        return twice(ratings)

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(twice(random_ratings(80, 60, 0.3)))
        assert value(finding, "linked") > 0.95
        assert value(finding, "linked_random") == pytest.approx(1 / 80)

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1] * 5, range(5), [3] * 5, scale="1..5")
        assert value(self.make().run(twice(one)), "linked") == 1

    def test_without_an_earlier_release_nothing_is_measured(self, small: Ratings) -> None:
        finding = self.make().run(context_of(small))
        assert finding.figures == ()
        assert "no earlier release" in finding.notes[-1]


def grown(people: int, active: int, rows_of_active: int, seed: int = 0) -> AuditContext:
    """Everyone has five rows; so many rows of each of the active ones get a further rating."""
    rng = np.random.default_rng(seed)
    users, items, rows, added = [], [], [], []
    for person in range(people):
        rated = rng.permutation(200)[:30]
        users += [person] * 30
        items += rated.tolist()
        rows += (person * 5 + np.arange(30) % 5).tolist()
        changing = rng.permutation(5)[: rows_of_active if person < active else 0]
        added += [at < 5 and at in changing for at in range(30)]
    values = rng.integers(1, 6, len(users))
    original = Ratings.from_columns(users, items, values, scale="1..5")
    labels = rng.permutation(10**6)[: 5 * people].astype(np.int64)
    later = Ratings.from_columns(labels[rows], items, values, scale="1..5")
    held = ~np.array(added)
    earlier = Ratings.from_columns(
        labels[rows][held], np.array(items)[held], values[held], scale="1..5"
    )
    place = np.searchsorted(later.user_labels, labels)
    owners = np.repeat(np.arange(people), 5)
    linkage = Linkage.from_pairs(owners, place, people, "mapping", "by hand")
    context = AuditContext(original, later, linkage, match_items(original, later))
    return replace(context, previous=earlier_release_of(context, earlier))


def test_rows_that_change_together_are_linked_even_at_random() -> None:
    """Of the ten rows of two people, four of nine others are right; of one person, all."""
    two, one = (attack(f"{SPEC}:recent=2").run(grown(40, active, 5)) for active in (2, 1))
    assert value(two, "linked") == pytest.approx(4 / 9)
    assert value(one, "linked") == 1
    assert value(two, "linked_random") == pytest.approx(4 / 199)
    assert value(two, "changed_rows") == pytest.approx(10 / 200)
    assert "10 rows grew and 0 are new" in two.notes[-1]


def test_one_row_of_each_person_links_nothing() -> None:
    finding = attack(f"{SPEC}:recent=1").run(grown(40, 20, 1))
    assert value(finding, "linked") == 0
    assert finding.sample == 20


def test_what_is_new_is_searched_faster_than_all() -> None:
    finding = attack(f"{SPEC}:recent=1").run(grown(60, 6, 5))
    assert value(finding, "found_recent") > 0.3 + value(finding, "found_recent_newer")


def test_nothing_new_is_not_measured() -> None:
    context = grown(10, 0, 0)
    finding = attack(SPEC).run(context)
    assert finding.figures == ()
    assert "No row changed" in finding.notes[-1]


def test_looks_and_the_difference_together_link_more() -> None:
    """The learnt scorer is used where the method is known; it never does worse than chance."""
    context = grown(60, 12, 5)
    made = method("fragmentation", fragments=4, target_support=8)
    finding = attack(f"{SPEC}:known=8").run(
        replace(context, rehearse=rehearser(context.original, made))
    )
    assert value(finding, "linked") >= value(finding, "linked_newer")
    assert value(finding, "gain_joined") >= value(finding, "gain_single")


def test_changes_are_found_by_name_and_cell() -> None:
    earlier = from_rows({"p": {"a": 1, "b": 2}, "q": {"a": 3}, "gone": {"a": 1}})
    later = from_rows({"p": {"a": 1, "b": 2}, "q": {"a": 3, "c": 4}, "r": {"b": 5}})
    changes = RowChanges.between(earlier, later)
    assert later.user_labels[changes.rows].tolist() == ["q", "r"]
    assert changes.grown == 1
    assert later.item_labels[later.items[changes.cells]].tolist() == ["c", "b"]
    assert keeps_ids(earlier, later)
    assert not keeps_ids(earlier, from_rows({"x": {"a": 1}}))
    assert not keeps_ids(empty_ratings(), later)


def test_cutting_people_anew_links_their_rows() -> None:
    """Why rows are extended and not cut again: overlaps of two cuts give the person away."""
    rng = np.random.default_rng(1)
    original = random_ratings(60, 300, 0.1, seed=2)
    contexts = []
    for seed in (1, 2):
        piece = rng.integers(0, 4, len(original))
        name = original.user_codes().astype(np.int64) * 4 + piece
        labels = rng.permutation(10**6)[:240].astype(np.int64)
        rows = Ratings.from_columns(
            labels[name], original.item_labels[original.items], original.values, scale="1..5"
        )
        pairs = np.unique(name)
        linkage = Linkage.from_pairs(
            pairs // 4, np.searchsorted(rows.user_labels, labels[pairs]), 60, "mapping", f"{seed}"
        )
        contexts.append(AuditContext(original, rows, linkage, match_items(original, rows)))
    first, second = contexts
    previous = replace(
        earlier_release_of(second, second.rows), linkage=first.linkage, rows=first.rows
    )
    finding = attack(f"{SPEC}:tries=60").run(replace(second, previous=previous))
    assert value(finding, "linked") > 0.9
    assert value(finding, "linked_random") < 0.05


def test_groups_of_two_releases_intersect() -> None:
    original = random_ratings(60, 30, 0.4)
    context = twice(original, "microaggregation", k=5)
    same = attack(SPEC).run(context)
    assert value(same, "candidates") == value(same, "candidates_newer")
    other = method("microaggregation", k=4).apply(
        original.keep(np.random.default_rng(3).random(len(original)) < 0.6).compact()
    )
    moved = replace(context, previous=earlier_release_of(context, other.release, other.secret))
    finding = attack(SPEC).run(moved)
    assert value(finding, "candidates") < 0.8 * value(finding, "candidates_newer")
    assert value(finding, "linked") > value(same, "linked") == 0
    assert 0 < value(finding, "rated_given_newer") <= 1


def test_who_alone_joins_or_leaves_a_group_is_told() -> None:
    now, before = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, -1])
    assert _moved_alone(now, before).tolist() == [0, 0, 1, 0, 0, 0]
    assert _moved_alone(np.array([0, 0, 0]), np.array([0, 0, -1])).tolist() == [0, 0, 1]
    assert _moved_alone(np.array([0, 0]), np.array([0, 0])).tolist() == [0, 0]


def test_two_draws_of_noise_average_out() -> None:
    original = random_ratings(60, 60, 0.4)
    finding = attack(SPEC).run(twice(original, "gaussian-noise", sigma=1.0))
    assert value(finding, "linked") > 0.95
    assert value(finding, "half_step_both") > 0.04 + value(finding, "half_step_newer")


def test_other_kinds_are_honestly_not_attacked(small: Ratings) -> None:
    context = twice(small, "disassociation", k=2, m=1)
    finding = attack(SPEC).run(context)
    assert finding.figures == ()
    assert "not attacked" in finding.notes[-1]


def test_an_audit_judges_the_difference_only_where_there_is_one(small: Ratings) -> None:
    made, before = (method("pseudonymize").apply(small) for _ in range(2))
    given: dict[str, Any] = {"secret": made.secret, "measures": ()}
    alone = audit(small, made.release, **given)
    assert SPEC not in {finding.name for finding in alone.attacks}
    assert len(alone.policy_results) == len(Policy.default().requirements)
    both = audit(small, made.release, previous=before.release, **given)
    result = next(result for result in both.policy_results if result.line.startswith(SPEC))
    assert result.status == "fail"
    assert SPEC in {finding.name for finding in both.attacks}
    assert any("Of the earlier release: No secret" in note for note in both.notes)


def test_people_who_left_since_are_no_obstacle(small: Ratings) -> None:
    before = method("pseudonymize").apply(small)
    fewer = small.without_users(small.user_labels[:10])
    context = context_of(fewer)
    context = replace(context, previous=earlier_release_of(context, before.release, before.secret))
    finding = attack(SPEC).run(context)
    assert finding.sample == fewer.n_users
