"""Structure and label: rows that hold all that is known of a person."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks import attack
from recloak.attacks._containment import ITEMS, ContainingRows, containing_rows
from recloak.attacks._match_rules import MatchRule
from recloak.attacks._trials import TargetSampler, Trials
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.testing import AttackContract, context_of, from_rows, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.test_profile_inversion import by_hand


class TestStructure(AttackContract):
    name = "structure"
    parameters = {"known": 5}

    def test_finds_people_where_only_names_changed(self) -> None:
        """Items alone tell less than ratings: it takes a few more of them."""
        finding = self.make(known=10).run(context_of(random_ratings(80, 60, 0.3)))
        assert value(finding, "success") > 0.9
        assert value(finding, "success") == value(finding, "success_original")


class TestLabel(AttackContract):
    name = "label"
    parameters = {"known": 5}


def looked_up(context: AuditContext, trials: Trials, match_rule: MatchRule) -> ContainingRows:
    with SILENT.task("") as task:
        return containing_rows(context, trials, match_rule, task)


def plain(
    context: AuditContext, trials: Trials, at: int, match_rule: MatchRule
) -> tuple[int, int, int, int]:
    """Row after row: rows that fit, different ones, the person's own, those that look like it."""
    rows: list[dict[int, float]] = [
        dict(zip(*(part.tolist() for part in context.rows.row(row)), strict=True))
        for row in range(context.rows.n_users)
    ]
    original = context.original
    known = {
        int(context.item_in_release[original.items[place]]): float(original.values[place])
        for place in trials.positions[trials.offsets[at] : trials.offsets[at + 1]]
    }
    fits = [
        row
        for row, cells in enumerate(rows)
        if all(
            item in cells
            and (
                match_rule.tolerance is None
                or abs(cells[item] - known_value) <= match_rule.tolerance
            )
            for item, known_value in known.items()
        )
    ]
    (own,) = context.linkage.rows_of(int(trials.users[at]))
    distinct = {tuple(sorted(rows[row].items())) for row in fits}
    alike = sum(rows[row] == rows[own] for row in fits)
    return len(fits), len(distinct), int(own in fits), alike


@settings(max_examples=30)
@given(
    seed=st.integers(0, 500),
    known=st.integers(1, 4),
    method=st.sampled_from(["microaggregation", "pseudonymize"]),
    tolerance=st.sampled_from([None, 0.0, 0.25, 1.0]),
)
def test_finds_what_a_plain_search_finds(
    seed: int, known: int, method: str, tolerance: float | None
) -> None:
    original = random_ratings(18, 9, 0.5, seed)
    more: dict[str, Any] = {"k": 3, "grid": 0.5} if method == "microaggregation" else {}
    context = context_of(original, method, **more)
    sampler = TargetSampler.of(context, known)
    if len(sampler) == 0:
        return
    trials, match_rule = (
        sampler.draw(10, 0.0, np.random.default_rng(seed)),
        MatchRule("exact", tolerance),
    )
    found = looked_up(context, trials, match_rule)
    for at in range(len(trials)):
        assert tuple(column[at] for column in found) == plain(context, trials, at, match_rule)


def two_groups() -> AuditContext:
    """Two groups of two; only items c and d, or ratings, tell them apart."""
    original = from_rows(
        {
            "u": {"a": 5, "b": 1, "c": 4},
            "v": {"a": 5, "b": 1},
            "w": {"a": 1, "b": 5, "d": 2},
            "x": {"a": 1, "b": 5},
        }
    )
    profiles = {"g": {"a": 5, "b": 1, "c": 4}, "h": {"a": 1, "b": 5, "d": 2}}
    group_of = {"u": "g", "v": "g", "w": "h", "x": "h"}
    return by_hand(original, group_of, profiles, {"g": 2, "h": 2}, None)


def test_items_that_both_groups_have_leave_four_rows() -> None:
    context = two_groups()
    trials = Trials(np.array([1]), np.array([0, 2]), np.array([3, 4]), np.array([5, 1], np.float32))
    found = looked_up(context, trials, ITEMS)
    assert found.success.tolist() == [1 / 4]
    assert found.group_found.tolist() == [1 / 2]
    assert found.distinct.tolist() == [2]
    assert not found.identified.any()
    exact = looked_up(context, trials, MatchRule("exact", 0.0))
    assert exact.success.tolist() == [1 / 2]
    assert exact.identified.all()


def test_labels_find_at_least_as_much_as_items_do_and_tell_how_the_others_did() -> None:
    context = two_groups()
    label, structure = (attack(f"{name}:known=2").run(context) for name in ("label", "structure"))
    assert value(label, "success") == 1 / 2
    assert value(label, "group_found") == 1
    assert value(structure, "success") < 1 / 2
    assert "The variant that succeeds most is reported: the same rating" in label.notes[-1]
    assert "items alone: " in label.notes[-1]
    assert value(structure, "success_original") > value(structure, "success")


def test_averages_are_compared_with_room() -> None:
    original = from_rows({"u": {"a": 5, "b": 2}, "v": {"a": 4, "b": 1}, "w": {"a": 1, "b": 5}})
    profiles = {"g": {"a": 4.5, "b": 1.5}, "h": {"a": 1, "b": 5}}
    context = by_hand(original, {"u": "g", "v": "g", "w": "h"}, profiles, {"g": 2, "h": 1}, None)
    finding = attack("label:known=2").run(context)
    assert value(finding, "group_found") == 1
    assert "most is reported: ratings within a step" in finding.notes[-1]


def test_a_group_is_found_but_a_person_only_as_one_of_k() -> None:
    context = context_of(random_ratings(60, 40, 0.3), "microaggregation", k=5, clustering="mdav")
    for spec in ("structure:known=6", "label:known=6"):
        finding = attack(spec).run(context)
        assert value(finding, "success") <= value(finding, "group_found") / 5 + 1e-9
        assert value(finding, "success_original") > 0.8


def test_implicit_data_leave_the_items() -> None:
    users, items = np.nonzero(np.random.default_rng(0).random((30, 20)) < 0.4)
    finding = attack("label:known=3").run(context_of(Ratings.from_columns(users, items)))
    assert value(finding, "success") == pytest.approx(value(finding, "success_original"))
