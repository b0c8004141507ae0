"""The count of what singles out a row; the kernel itself is held against all subsets elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.core.ratings import Ratings
from recloak.testing import AttackContract, context_of, from_rows, random_ratings, rehearsable
from tests.attacks.record_linkage.test_record_linkage import context_by_hand, value

SPEC = "subset-bound"


class TestSubsetBound(AttackContract):
    name = SPEC
    parameters = {"known": 4}

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(context_of(random_ratings(80, 60, 0.3)))
        assert value(finding, "singled_out") > 0.9
        assert value(finding, "singled_out_several") == 0

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1, 1, 2], [1, 2, 3], [3, 3, 3], scale="1..5")
        finding = attack(f"{SPEC}:known=1").run(context_of(one))
        assert value(finding, "singled_out") == 1
        assert value(finding, "items_singled_out") == pytest.approx(0.5)


def test_by_hand() -> None:
    """Of u's three ratings a and b stand elsewhere too, but not together; c does not."""
    people = {"u": {"a": 1, "b": 2, "c": 3}, "v": {"a": 1, "x": 1}, "w": {"b": 2, "x": 1}}
    parts = {"p": {"a": 1, "b": 2}, "q": {"c": 3}, "r": people["v"], "s": people["w"]}
    whose = {"u": ["p", "q"], "v": ["r"], "w": ["s"]}
    context = context_by_hand(from_rows(people), from_rows(parts), whose)
    only_u = replace(context, linkage=of_one(context.linkage, 0))
    one = attack(f"{SPEC}:known=1").run(only_u)
    two = attack(f"{SPEC}:known=2").run(only_u)
    assert one.sample == two.sample == 1
    assert value(one, "singled_out") == pytest.approx(1 / 3)
    assert value(two, "singled_out") == 1


def of_one(linkage, user):
    counts = np.diff(linkage.offsets) * (np.arange(len(linkage.offsets) - 1) == user)
    return replace(
        linkage, offsets=np.concatenate([[0], np.cumsum(counts)]), rows=linkage.rows_of(user)
    )


def test_more_fragments_single_out_less_and_more_knowledge_more() -> None:
    ratings = random_ratings(200, 60, 0.4)
    found = {
        (parts, known): value(
            attack(f"{SPEC}:known={known}").run(rehearsable(ratings, fragments=parts)),
            "singled_out",
        )
        for parts in (2, 6)
        for known in (2, 5)
    }
    assert found[2, 2] > found[6, 2]
    assert found[2, 5] > found[6, 5]
    assert found[6, 5] > found[6, 2]


def test_rows_that_do_not_hold_the_truth_are_not_counted() -> None:
    finding = attack(f"{SPEC}:known=3").run(context_of(random_ratings(), "gaussian-noise", sigma=2))
    assert finding.figures == ()
    assert "nothing to count" in finding.notes[0]
