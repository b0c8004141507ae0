"""Control groups: who is left out, who is matched, in folds and draws."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.auditing.control_rehearsal import control_group
from recloak.core.progress import SILENT
from recloak.evaluation.control_group import control_groups_of, matched_by_count
from recloak.methods import method
from recloak.testing import controlled, random_ratings


def test_few_people_are_left_out_in_folds_and_tried_on_both_sides() -> None:
    original = random_ratings(100, 20, 0.3)
    groups = control_groups_of(controlled(original), SILENT)
    assert len(groups) == 5
    outsiders = [set(group.outsiders.user_labels) for group in groups]
    assert len(set.union(*outsiders)) == 50
    for at, group in enumerate(groups):
        assert not outsiders[at] & set(group.rehearsed.original.user_labels)
        assert set(group.members.user_labels) == outsiders[(at + 1) % 5]
        assert group.rehearsed.rows.n_users == 90


def test_many_people_are_left_out_once_and_matched_by_number_of_ratings() -> None:
    original = random_ratings(4000, 20, 0.3)
    (group,) = control_groups_of(controlled(original), SILENT)
    assert group.outsiders.n_users == 400
    apart = np.abs(group.members.user_counts - group.outsiders.user_counts)
    assert apart.max() <= 1


def test_a_draw_leaves_out_the_same_people_by_other_random_numbers() -> None:
    control = control_group(random_ratings(100, 20, 0.3), method("gaussian-noise", sigma=1))
    first, fresh = (control(draw, 0, SILENT) for draw in (0, 1))
    assert first.outsiders.equals(fresh.outsiders)
    assert not np.array_equal(first.rehearsed.rows.values, fresh.rehearsed.rows.values)
    assert control(0, 0, SILENT) is first


def test_of_very_many_ratings_those_of_some_people_drawn_at_random_are_rehearsed() -> None:
    original, made = random_ratings(200, 20, 0.3), method("pseudonymize")
    taking_part = []
    for seed in (0, 1):
        control = control_group(original, made, seed, most_ratings=original.n_ratings // 4)
        group = control(0, 0, SILENT)
        assert (group.outsiders.n_users, group.rehearsed.rows.n_users) == (5, 45)
        assert "Of 200 people 50 took part" in group.note
        people = {*group.outsiders.user_labels, *group.rehearsed.original.user_labels}
        assert len(people) == 50
        taking_part.append(people)
    assert taking_part[0] != taking_part[1]
    assert "took part" not in control_group(original, made)(0, 0, SILENT).note


@pytest.mark.parametrize("seed", range(5))
def test_nobody_is_matched_twice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts, wanted = rng.integers(1, 9, 30), rng.integers(1, 9, 30)
    assert sorted(matched_by_count(counts, wanted, rng).tolist()) == list(range(30))
