"""Homogeneity: what a group tells of its members."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks import attack
from recloak.attacks._trials import Trials
from recloak.attacks.homogeneity import _read_ratings
from recloak.evaluation.context import AuditContext
from recloak.releases.grouped import GroupedRelease
from recloak.testing import AttackContract, context_of, from_rows, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.test_profile_inversion import by_hand

SPEC = "homogeneity:known=4"


class TestHomogeneity(AttackContract):
    name = "homogeneity"

    def test_finds_people_where_only_names_changed(self) -> None:
        """It reads what is found: everything, where rows are as they were."""
        finding = self.make().run(context_of(random_ratings(80, 60, 0.3)))
        assert value(finding, "exact") == 1
        assert value(finding, "identified") == value(finding, "identified_original")
        assert value(finding, "learnt") == value(finding, "learnt_original")

    def test_one_person(self) -> None:
        one = from_rows({"u": dict.fromkeys("abcde", 3.0)})
        assert value(self.make().run(context_of(one)), "learnt") == 1


def group_of_two(profile: dict[str, float], implied: float | None = None) -> AuditContext:
    original = from_rows(
        {"u": {"a": 5, "b": 4, "c": 2}, "v": {"a": 1, "b": 4, "d": 3}, "w": {"a": 3, "c": 2}}
    )
    profiles = {"g": profile, "h": {"a": 3, "c": 2}}
    group_of = {"u": "g", "v": "g", "w": "h"}
    return by_hand(original, group_of, profiles, {"g": 2, "h": 1}, implied)


def one_try(context: AuditContext, user: str, known: str) -> Trials:
    original = context.original
    (code,) = original.codes_of_users([user]).tolist()
    place = original.offsets[code] + original.row(code)[0].tolist().index(
        original.item_labels.tolist().index(known)
    )
    return Trials(np.array([code]), np.array([0, 1]), np.array([place]), np.ones(1, np.float32))


def test_other_ratings_are_told_exactly_or_nearly_or_not_at_all() -> None:
    context = group_of_two({"a": 3, "b": 4, "c": 2.25})
    read = _read_ratings(context, one_try(context, "u", "a"))
    assert (read.others[0], read.exact[0], read.half_step[0]) == (2, 1, 2)
    read = _read_ratings(context, one_try(context, "v", "b"))  # a is 3 and not 1, d is not listed
    assert (read.others[0], read.exact[0], read.half_step[0]) == (2, 0, 0)


def test_half_way_between_two_ratings_is_half_told() -> None:
    context = group_of_two({"a": 3, "b": 3.5, "c": 2})
    assert _read_ratings(context, one_try(context, "u", "c")).half_step[0] == 0.5


def test_what_is_implied_is_told_as_well() -> None:
    context = group_of_two({"a": 3, "b": 4, "c": 2}, implied=3.0)
    assert (
        _read_ratings(context, one_try(context, "v", "b")).exact[0] == 1
    )  # d is 3, as all that is missing


def rounded(apart: float) -> float:
    return 0.5 if abs(apart - 0.5) < 5e-4 else float(apart < 0.5)


def plain(context: AuditContext, trials: Trials) -> list[tuple[float, ...]]:
    """The same one rating after the other."""
    release, original = context.release, context.original
    assert isinstance(release, GroupedRelease)
    assert release.implied is not None
    group_of_row = dict(zip(release.row_labels.tolist(), release.groups.tolist(), strict=True))
    found = []
    for at, user in enumerate(trials.users.tolist()):
        (row,) = context.linkage.rows_of(user)
        group = group_of_row[int(context.rows.user_labels[row])]
        items, values = release.profiles.row(group)
        profile = dict(zip(items.tolist(), values.tolist(), strict=True))
        known = trials.positions[trials.offsets[at] : trials.offsets[at + 1]].tolist()
        counts = [0.0, 0.0, 0.0, 0.0]
        for place in range(original.offsets[user], original.offsets[user + 1]):
            if place in known:
                continue
            item, truth = int(original.items[place]), float(original.values[place])
            shown = profile.get(item, float(release.implied[item]))
            same = np.flatnonzero(original.items == item)
            others = [float(original.values[one]) for one in same if one != place]
            mean = np.mean(others) if others else original.scale.middle
            counts[0] += 1
            counts[1] += abs(shown - truth) < 1e-5
            counts[2] += rounded(abs(shown - truth))
            counts[3] += rounded(abs(mean - truth))
        found.append(tuple(counts))
    return found


@settings(max_examples=20)
@given(seed=st.integers(0, 500), grid=st.sampled_from([0.0, 0.5]))
def test_reads_what_a_plain_reader_reads(seed: int, grid: float) -> None:
    original = random_ratings(15, 8, 0.5, seed)
    context = context_of(original, "microaggregation", k=3, grid=grid, clustering="mdav")
    users = np.flatnonzero(original.user_counts > 1)
    trials = Trials(users, np.arange(len(users) + 1), original.offsets[users], np.ones(len(users)))
    read = _read_ratings(context, trials)
    assert list(zip(*read, strict=True)) == plain(context, trials)


def test_groups_tell_less_than_single_rows_and_the_mean_is_beside_it() -> None:
    original = random_ratings(80, 40, 0.3)
    finding = attack(SPEC).run(context_of(original, "microaggregation", k=5, clustering="mdav"))
    assert value(finding, "exact") <= value(finding, "half_step") < 1
    assert value(finding, "learnt") < value(finding, "learnt_original")
    assert value(finding, "item_mean") == pytest.approx(0.2, abs=0.1)  # five ratings at random
