from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from recloak.attacks import attack, record_linkage
from recloak.attacks._figures import worst_tenth
from recloak.core.ratings import Ratings
from recloak.core.scale import IMPLICIT, Scale
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Finding
from recloak.releases.linkage import Linkage
from recloak.testing import AttackContract, context_of, from_rows, random_ratings


def value(finding: Finding, name: str) -> float:
    figure = finding.figure(name)
    assert figure is not None
    return figure.value


class TestWholeRecordKnown(AttackContract):
    name = "record-linkage"


class TestFewRatingsKnown(AttackContract):
    name = "record-linkage"
    parameters = {"known": 5}


class TestFewItemsKnown(AttackContract):
    name = "record-linkage"
    parameters = {"known": 5, "values": False}

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(context_of(random_ratings(60, 200, 0.3)))
        assert value(finding, "success") > 0.8


def context_by_hand(original: Ratings, rows: Ratings, owner: dict[str, list[str]]) -> AuditContext:
    users, codes = [], []
    for user, names in owner.items():
        for name in names:
            users.append(int(np.flatnonzero(original.user_labels == user)[0]))
            codes.append(int(np.flatnonzero(rows.user_labels == name)[0]))
    linkage = Linkage.from_pairs(
        np.array(users), np.array(codes), original.n_users, "mapping", "by hand"
    )
    return AuditContext(original, rows, linkage, match_items(original, rows))


def test_k_identical_rows_are_found_one_time_in_k_but_tell_all() -> None:
    row = {"a": 5, "b": 1, "c": 3, "d": 4}
    original = from_rows(dict.fromkeys(("u", "v", "w"), row))
    rows = from_rows(dict.fromkeys(("1", "2", "3"), row))
    context = context_by_hand(original, rows, {"u": ["1"], "v": ["2"], "w": ["3"]})
    finding = attack("record-linkage:known=1").run(context)
    assert value(finding, "success") == pytest.approx(1 / 3)
    assert value(finding, "inconclusive") == pytest.approx(2 / 3)
    assert value(finding, "wrong") == 0
    assert value(finding, "gain") == 3
    assert value(finding, "gain_values") == 3
    assert value(finding, "false_items") == 0


def test_gain_counts_only_what_is_true_and_new() -> None:
    original = from_rows({"u": {"a": 5, "b": 1, "c": 3}, "v": {"z": 1, "y": 2, "x": 3}})
    changed = {"a": 5, "b": 4, "c": 3, "fake": 2}
    rows = from_rows({"1": changed, "2": {"z": 1, "y": 2, "x": 3}})
    context = context_by_hand(original, rows, {"u": ["1"], "v": ["2"]})
    finding = attack("record-linkage:known=1,repeats=30").run(context)
    assert value(finding, "success") == 1
    assert value(finding, "gain") == 2
    assert value(finding, "gain_values") == pytest.approx((4 / 3 + 2) / 2, abs=0.2)
    assert value(finding, "false_items") == 0.5


def test_any_fragment_of_the_target_is_a_success() -> None:
    original = from_rows({"u": {"a": 5, "b": 1}, "v": {"c": 2, "d": 4}})
    rows = from_rows({"1": {"a": 5}, "2": {"b": 1}, "3": {"c": 2}, "4": {"d": 4}})
    context = context_by_hand(original, rows, {"u": ["1", "2"], "v": ["3", "4"]})
    assert value(attack("record-linkage:known=1").run(context), "success") == 1


def test_noise_makes_ratings_less_telling_but_not_the_items() -> None:
    original = random_ratings(300, 80, 0.3)
    clean = attack("record-linkage:known=4").run(context_of(original))
    noisy = attack("record-linkage:known=4").run(context_of(original, "gaussian-noise", sigma=3))
    items = "record-linkage:known=4,values=no"
    assert value(noisy, "success") < value(clean, "success") - 0.2
    clean = attack(items).run(context_of(original))
    noisy = attack(items).run(context_of(original, "gaussian-noise", sigma=3))
    assert value(noisy, "success") == value(clean, "success")
    assert value(noisy, "gain") == value(clean, "gain")
    assert value(noisy, "gain_values") < value(clean, "gain_values") / 2


def test_an_item_that_the_release_lacks_is_a_miss_and_no_error() -> None:
    original = from_rows({"u": {"a": 5, "b": 1}, "v": {"b": 5, "c": 4}})
    rows = from_rows({"1": {"a": 5}, "2": {"c": 4}})
    context = context_by_hand(original, rows, {"u": ["1"], "v": ["2"]})
    assert value(attack("record-linkage").run(context), "success") == 1


def test_success_on_everyone_is_the_share_of_nearest_rows_that_are_right() -> None:
    """The plain way, on dense vectors with a mark for what is missing."""
    original = random_ratings(60, 25, 0.3, seed=5)
    context = context_of(original, "gaussian-noise", sigma=2)
    finding = attack("record-linkage").run(context)
    own = context.linkage.first_row(np.arange(original.n_users))
    hits = 0
    for user in range(original.n_users):
        mine = dict(zip(*(part.tolist() for part in original.row(user)), strict=True))
        costs = []
        for row in range(context.rows.n_users):
            theirs = dict(zip(*(part.tolist() for part in context.rows.row(row)), strict=True))
            both = set(mine) & set(theirs)
            cost = sum((mine[item] - theirs[item]) ** 2 for item in both)
            costs.append(cost + 16 * len(set(mine) ^ set(theirs)))
        hits += int(np.argmin(costs)) == own[user]
    assert value(finding, "success") == pytest.approx(hits / original.n_users)


def test_the_three_outcomes_add_up(small: Ratings) -> None:
    finding = attack("record-linkage:known=2,values=no").run(context_of(small))
    total = sum(value(finding, name) for name in ("success", "inconclusive", "wrong"))
    assert total == pytest.approx(1)


def test_a_wrong_row_tells_false_things() -> None:
    original = from_rows({"u": {"a": 5, "b": 1}, "v": {"a": 5, "y": 2, "x": 3}})
    rows = from_rows({"1": {"a": 1, "b": 1}, "2": {"a": 5, "y": 2, "x": 3}})
    context = context_by_hand(original, rows, {"u": ["1"]})
    finding = attack("record-linkage:known=1,repeats=60,targets=1").run(context)
    figures = {figure.name for figure in finding.figures}
    assert "gain" not in figures  # one person is too few for an interval
    both = context_by_hand(original, rows, {"u": ["1"], "v": ["2"]})
    found = attack("record-linkage:known=1,repeats=60").run(both)
    assert value(found, "wrong") == pytest.approx(0.25, abs=0.1)
    assert value(found, "false_items") == pytest.approx(0.5, abs=0.2)


@pytest.mark.parametrize("change", [lambda v: v * 20, lambda v: (v - 1) / 4, lambda v: v - 3])
def test_another_scale_is_no_obstacle(change: Callable[[np.ndarray], np.ndarray]) -> None:
    original = random_ratings(300, 80, 0.3)
    plain = context_of(original)
    moved = change(plain.rows.values).astype(np.float32)
    rescaled = replace(plain, rows=plain.rows.with_values(moved, Scale.infer(moved)))
    spec = "record-linkage:known=4"
    assert attack(spec).run(rescaled).figures == attack(spec).run(plain).figures


def test_a_release_without_values_is_linked_by_items() -> None:
    original = random_ratings(300, 80, 0.3)
    plain = context_of(original)
    bare = replace(plain, rows=plain.rows.with_values(np.ones(len(original)), IMPLICIT))
    by_items = value(attack("record-linkage:known=4,values=no").run(bare), "success")
    assert value(attack("record-linkage:known=4").run(bare), "success") == by_items


@pytest.mark.parametrize(
    ("a", "b", "truth"), [(1, 1, 0.95), (1, 9, 0.315), (40, 40, 0.597), (0.2, 0.2, 1.0)]
)
def test_the_worst_tenth_is_that_of_the_chances_not_of_luck(
    a: float, b: float, truth: float
) -> None:
    rng = np.random.default_rng(0)
    chances = rng.beta(a, b, 2000)
    trials = (rng.random((4, 2000)) < chances).astype(float)
    figure = worst_tenth(trials)
    assert figure.value == pytest.approx(truth, abs=0.04)
    assert figure.low is not None
    assert figure.low <= figure.value <= (figure.high or 0)


def test_nobody_among_k_alike_is_worse_off_than_one_in_k() -> None:
    """Four tries each that find the group of five or do not, some people's more readily."""
    rng = np.random.default_rng(0)
    trials = 0.2 * (rng.random((4, 2000)) < rng.beta(2, 0.3, 2000))
    figure = worst_tenth(trials)
    assert 0.19 < figure.value <= 0.2
    context = context_of(random_ratings(60, 30, 0.3), "microaggregation", k=3)
    for known in (2, 4, 8):
        finding = attack(f"record-linkage:known={known}").run(context)
        assert value(finding, "worst_tenth") <= 1 / 3 + 1e-9


def test_equal_chances_have_no_worse_tenth() -> None:
    luck = (np.random.default_rng(0).random((4, 2000)) < 0.3).astype(float)
    assert worst_tenth(luck).value == pytest.approx(0.3, abs=0.06)
    at_risk = np.tile(np.arange(1000) < 100, (4, 1)).astype(float)
    assert worst_tenth(at_risk).value == pytest.approx(1, abs=0.02)
    nobody = worst_tenth(np.zeros((4, 50)))
    assert nobody.value == 0
    assert nobody.high is not None
    assert nobody.high > 0.05
    assert worst_tenth(np.linspace(0, 1, 100)[None, :]).value == pytest.approx(0.955, abs=0.01)


def test_a_group_is_found_one_time_in_its_size_and_tells_what_it_lists() -> None:
    original = from_rows(
        {"u": {"a": 5, "b": 1}, "v": {"a": 5, "c": 5}, "w": {"d": 1, "e": 1}, "x": {"d": 1, "f": 5}}
    )
    context = context_of(original, "microaggregation", k=2)
    for spec in ("record-linkage:known=1", "record-linkage:known=1,values=no", "record-linkage"):
        finding = attack(spec).run(context)
        assert value(finding, "success") == pytest.approx(1 / 2)
        assert value(finding, "wrong") == 0
    finding = attack("record-linkage:known=1").run(context)
    assert value(finding, "gain") == 1
    assert value(finding, "false_items") == 1


def test_a_rating_equal_to_what_is_implied_need_not_show() -> None:
    """u's 3s are not listed; who holds that against u's own group finds another one."""
    original = from_rows(
        {
            "u": {"a": 3, "b": 3, "c": 5, "z": 5},
            "v": {"c": 5, "z": 5},
            "w": {"a": 1, "b": 1, "c": 5},
            "x": {"a": 1, "b": 1, "c": 5},
        }
    )
    context = context_of(original, "microaggregation", k=2)
    assert value(attack("record-linkage:known=2,repeats=20").run(context), "wrong") < 0.15
    assert value(attack("record-linkage").run(context), "success") == pytest.approx(1 / 2)


def test_groups_that_hide_cells_are_still_found_by_what_they_imply() -> None:
    original = random_ratings(150, 60, 0.15)
    bare = context_of(original, "microaggregation", k=3)
    hidden = context_of(original, "microaggregation", k=3, floor=2, grid=0.5)
    for known, least in ((8, 0.05), (0, 0.1)):
        spec = f"record-linkage:known={known}"
        found = value(attack(spec).run(hidden), "success")
        assert least < found < value(attack(spec).run(bare), "success")


@pytest.mark.parametrize("values", ["yes", "no"])
@pytest.mark.parametrize("k", [3, 8])
def test_who_knows_more_finds_more_groups(values: str, k: int) -> None:
    context = context_of(random_ratings(200, 80, 0.15), "microaggregation", k=k)
    found = [
        value(attack(f"record-linkage:known={known},values={values}").run(context), "success")
        for known in (2, 6, 0)
    ]
    assert found == sorted(found)
    assert found[0] < found[-1] <= 1 / k


def test_no_targets_named_means_everyone() -> None:
    finding = attack("record-linkage:targets=0").run(context_of(random_ratings(70)))
    assert finding.sample == 70


def test_of_many_rows_each_person_is_tried_less_often(
    small: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, tries = context_of(small), small.n_users
    often = attack("record-linkage:known=2,repeats=4").run(context, 0)
    monkeypatch.setattr(record_linkage, "MOST_COMPARED", 2 * small.n_users * tries)
    seldom = attack("record-linkage:known=2,repeats=4").run(context, 0)
    assert (often.sample, seldom.sample) == (4 * tries, 2 * tries)
    assert not any("many rows" in note for note in often.notes)
    assert any("2 instead of 4 tries" in note for note in seldom.notes)
