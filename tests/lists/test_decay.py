"""How recall goes over nights: what is told of it is true, and no algorithm could do better."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from recloak.cli.main import main
from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.list_context import context_of
from recloak.io import write
from recloak.lists.audit import audit_lists
from recloak.lists.decay import (
    NightlySetting,
    NightlyShop,
    advise_nightly,
    alternatives,
    nightly_cuts,
)
from recloak.lists.protection import ALGORITHMS, EarlierLists
from recloak.lists.replay import replay
from recloak.lists.worth import attainable_entries, worth_of
from recloak.recommenders.similarity import Cosine, rank
from recloak.releases.lists.related import EMPTY
from recloak.simulation import synthesize


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    made = synthesize("ml-100k", users=120, items=40, ratings=2000, seed=3)
    shuffled = np.random.default_rng(1).permutation(made.n_ratings).astype(np.int64)
    return replace(made, times=shuffled)


@pytest.fixture(scope="module")
def shop(ratings: Ratings) -> NightlyShop:
    cuts = nightly_cuts(ratings.n_ratings, 8, Fraction(1, 20))
    return NightlyShop(Timeline(ratings), cuts, wanted=5)


def test_recall_falls_and_never_above_what_is_attainable(shop: NightlyShop) -> None:
    course = shop.course(NightlySetting(delta="0.2"))
    assert course.recalls[0] == 1
    assert course.last <= course.attainable < 1
    assert course.last >= 0.8 * course.attainable
    assert course.nights_above(1.0) == 1
    assert course.nights_above(0.0) == len(course.recalls)


def test_what_is_attainable_is_what_the_bound_leaves(ratings: Ratings) -> None:
    """Counted in a plain way: an entry stood in all lists, or tells no more than δ by itself."""
    timeline, maker = Timeline(ratings), ALGORITHMS.get("constructive")(delta="0.2")
    then, now = timeline.at(1500), timeline.at(2000)
    earlier = EarlierLists(rank(then, Cosine(), 5).top, 1500)
    ranked = rank(now, Cosine(), 5, depth=20, delta=Fraction(1, 5))
    inputs = maker.prepare(now, ranked, (earlier,))
    found = attainable_entries(inputs)
    raters = [
        set(now.postings.users[a:b].tolist())
        for a, b in zip(now.postings.offsets, now.postings.offsets[1:], strict=False)
    ]
    for item, row in enumerate(ranked.top.tolist()):
        for slot, entry in enumerate(row):
            stood = entry in earlier.slots[item]
            shared = len(raters[item] & raters[entry]) if entry != EMPTY else 0
            quiet = 5 * shared <= len(raters[item])
            assert found[item, slot] == (entry != EMPTY and (stood or quiet))
    worth = worth_of(inputs, ranked.top)
    assert (worth.n_kept, worth.n_moved) == (worth.n_wanted, 0)


def plain_upper_bound(
    ratings: Ratings, cuts: list[int], window: int, top: int, delta: Fraction
) -> float:
    """Every way to enter is tried: with release a, and absent from all before."""
    timeline = Timeline(ratings)
    lists = [rank(timeline.at(cut), Cosine(), top).top for cut in cuts]
    rated = [np.zeros((ratings.n_users, ratings.n_items), np.int64) for _ in cuts]
    for table, cut in zip(rated, cuts, strict=True):
        known = timeline.at(cut).ratings
        users = np.repeat(np.arange(known.n_users), np.diff(known.offsets))
        table[users, known.items] = 1
    shared = [table.T @ table for table in rated]
    last, possible, wanted = len(cuts) - 1, 0, 0
    for item, row in enumerate(lists[-1].tolist()):
        for entry in row:
            if entry == EMPTY:
                continue
            quiet = [one[item, entry] <= delta * one[item, item] for one in shared]
            wanted += 1
            possible += entry in lists[0][item] or any(
                all(quiet[enters : min(last, enters + window - 2) + 1])
                for enters in range(1, len(cuts))
            )
    return possible / wanted


@pytest.mark.parametrize("window", [2, 4])
def test_no_algorithm_could_show_more_than_the_upper_bound(ratings: Ratings, window: int) -> None:
    cuts = nightly_cuts(ratings.n_ratings, 8, Fraction(1, 20))
    shop = NightlyShop(Timeline(ratings), cuts, wanted=5)
    expected = plain_upper_bound(ratings, cuts, window, 5, Fraction(1, 5))
    for algorithm in ("suppression", "permutation", "constructive"):
        setting = NightlySetting(delta="0.2", window=window, algorithm=algorithm)
        course = shop.course(setting)
        assert course.upper_bound == pytest.approx(expected)
        assert course.last <= course.attainable <= course.upper_bound < 1


def test_more_slots_keep_more(shop: NightlyShop) -> None:
    asked = NightlySetting(delta="0.1")
    few, many = shop.course(asked), shop.course(asked.changed(top=20))
    assert few.last < many.last
    assert few.attainable < many.attainable


def test_advice_names_a_setting_that_keeps_enough(ratings: Ratings) -> None:
    advice = advise_nightly(
        Timeline(ratings), NightlySetting(), nights=8, growth=Fraction(1, 20), least=0.8
    )
    assert advice.asked.setting == NightlySetting()
    assert min(advice.asked.recalls) < 0.8
    assert advice.proposed is not None
    assert min(advice.proposed.recalls) >= 0.8
    assert advice.cadence.setting.changed(every=1) == NightlySetting()
    with pytest.raises(InputError, match="too few"):
        nightly_cuts(10, 30, Fraction(1, 100))


def test_advice_tries_no_more_slots_than_a_list_may_have() -> None:
    for top in (5, 300, 1000):
        tried = list(alternatives(NightlySetting(top=top), 30))
        assert all(ALGORITHMS.get("constructive")(top=one.top) for one in tried)
        assert any(one.top == 8 * top for one in tried) == (top == 5)


def test_advice_as_a_user_asks_for_it(
    ratings: Ratings, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    write(ratings, f"{tmp_path}/ratings.csv")
    words = ["lists", "advise", f"{tmp_path}/ratings.csv", "--nights", "4", "--growth", "5%"]
    assert main([*words, "--least", "99%"]) == 0
    printed = capsys.readouterr().out
    assert "fall below 99%" in printed
    assert "How often: every" in printed
    assert "no algorithm could keep more than" in printed
    assert main([*words, "--nights", "1"]) == 2


def test_the_report_counts_what_the_algorithm_did(ratings: Ratings) -> None:
    for name in ("suppression", "permutation", "constructive"):
        history = replay(ratings, name, start="0.6", gap="0.1", releases=3, delta="0.2")
        audit = audit_lists(context_of(history, ratings), attacks=[])
        figures = {one.name: one.value for one in audit.measures[0].figures}
        done = [one.changes for one in history.releases if one.changes]
        assert figures["suppressed"] == sum(one.suppressed + one.emptied for one in done) > 0
        assert figures["permuted"] == sum(one.permuted for one in done)
        if name == "suppression":
            assert figures["permuted"] == 0
