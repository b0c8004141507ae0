"""Homogeneity: what a group tells of its members."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks import attack
from recloak.attacks.crowd import Tries
from recloak.attacks.homogeneity import _told
from recloak.grouped import GroupedRelease
from recloak.scene import Scene
from tests.attacks.contract import AttackContract
from tests.attacks.test_profile_inversion import by_hand
from tests.attacks.test_record_linkage import value
from tests.samples import from_rows, random_ratings
from tests.scenes import scene_of

SPEC = "homogeneity:known=4"


class TestHomogeneity(AttackContract):
    name = "homogeneity"

    def test_finds_people_where_only_names_changed(self) -> None:
        """It reads what is found: everything, where rows are as they were."""
        finding = self.make().run(scene_of(random_ratings(80, 60, 0.3)))
        assert value(finding, "exact") == 1
        assert value(finding, "identified") == value(finding, "identified_original")
        assert value(finding, "learnt") == value(finding, "learnt_original")

    def test_one_person(self) -> None:
        one = from_rows({"u": dict.fromkeys("abcde", 3.0)})
        assert value(self.make().run(scene_of(one)), "learnt") == 1


def group_of_two(profile: dict[str, float], implied: float | None = None) -> Scene:
    original = from_rows(
        {"u": {"a": 5, "b": 4, "c": 2}, "v": {"a": 1, "b": 4, "d": 3}, "w": {"a": 3, "c": 2}}
    )
    profiles = {"g": profile, "h": {"a": 3, "c": 2}}
    group_of = {"u": "g", "v": "g", "w": "h"}
    return by_hand(original, group_of, profiles, {"g": 2, "h": 1}, implied)


def one_try(scene: Scene, user: str, known: str) -> Tries:
    original = scene.original
    (code,) = original.codes_of_users([user]).tolist()
    place = original.offsets[code] + original.row(code)[0].tolist().index(
        original.item_labels.tolist().index(known)
    )
    return Tries(np.array([code]), np.array([0, 1]), np.array([place]), np.ones(1, np.float32))


def test_other_ratings_are_told_exactly_or_nearly_or_not_at_all() -> None:
    scene = group_of_two({"a": 3, "b": 4, "c": 2.25})
    told = _told(scene, one_try(scene, "u", "a"))
    assert (told.others[0], told.exact[0], told.half_step[0]) == (2, 1, 2)
    told = _told(scene, one_try(scene, "v", "b"))  # a is 3 and not 1, d is not listed
    assert (told.others[0], told.exact[0], told.half_step[0]) == (2, 0, 0)


def test_half_way_between_two_ratings_is_half_told() -> None:
    scene = group_of_two({"a": 3, "b": 3.5, "c": 2})
    assert _told(scene, one_try(scene, "u", "c")).half_step[0] == 0.5


def test_what_is_implied_is_told_as_well() -> None:
    scene = group_of_two({"a": 3, "b": 4, "c": 2}, implied=3.0)
    assert _told(scene, one_try(scene, "v", "b")).exact[0] == 1  # d is 3, as all that is missing


def rounded(apart: float) -> float:
    return 0.5 if abs(apart - 0.5) < 5e-4 else float(apart < 0.5)


def plain(scene: Scene, tries: Tries) -> list[tuple[float, ...]]:
    """The same one rating after the other."""
    release, original = scene.release, scene.original
    assert isinstance(release, GroupedRelease)
    assert release.implied is not None
    group_of_row = dict(zip(release.row_labels.tolist(), release.groups.tolist(), strict=True))
    found = []
    for at, user in enumerate(tries.users.tolist()):
        (row,) = scene.linkage.rows_of(user)
        group = group_of_row[int(scene.rows.user_labels[row])]
        items, values = release.profiles.row(group)
        profile = dict(zip(items.tolist(), values.tolist(), strict=True))
        known = tries.positions[tries.offsets[at] : tries.offsets[at + 1]].tolist()
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
    scene = scene_of(original, "microaggregation", k=3, grid=grid, clustering="mdav")
    users = np.flatnonzero(original.user_counts > 1)
    tries = Tries(users, np.arange(len(users) + 1), original.offsets[users], np.ones(len(users)))
    told = _told(scene, tries)
    assert list(zip(*told, strict=True)) == plain(scene, tries)


def test_groups_tell_less_than_single_rows_and_the_mean_is_beside_it() -> None:
    original = random_ratings(80, 40, 0.3)
    finding = attack(SPEC).run(scene_of(original, "microaggregation", k=5, clustering="mdav"))
    assert value(finding, "exact") <= value(finding, "half_step") < 1
    assert value(finding, "learnt") < value(finding, "learnt_original")
    assert value(finding, "item_mean") == pytest.approx(0.2, abs=0.1)  # five ratings at random
