from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.guarantees.delta_bound import DeltaBound
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import Lists
from recloak.releases.lists.unprotected import raw_history
from recloak.testing import GuaranteeContract, random_ratings
from tests.lists.plain import raters_of, worst_share
from tests.lists.samples import figure_1, timed_ratings


class TestDeltaBound(GuaranteeContract):
    name = "delta-bound"
    parameters = {"delta": "0.5", "window": 3}

    def keeping(self) -> Ratings:
        """Everybody rates one item alone: no item is related to another."""
        people = np.arange(40)
        return Ratings.from_columns(people, people, np.ones(40), people, scale="1..5")

    def breaking(self) -> Ratings:
        return timed_ratings(0)

    def test_rows_without_times_leave_it_undecided(self) -> None:
        assert self.make().check(random_ratings()).status == "undecided"

    @pytest.mark.parametrize("delta", ["0", "1.5", "-1", "much"])
    def test_delta_must_be_a_share(self, delta: str) -> None:
        with pytest.raises(ParameterError):
            self.make(delta=delta)


def random_history(seed: int, ratings: Ratings, top: int = 3, releases: int = 3) -> History:
    """Lists that have nothing to do with the ratings, with empty slots."""
    rng = np.random.default_rng(seed)
    n = ratings.n_items
    dated = []
    for place in range(releases):
        slots = np.array([rng.permutation(np.delete(np.arange(n), j))[:top] for j in range(n)])
        slots[rng.random(slots.shape) < 0.3] = -1
        lists = Lists(slots.astype(np.int32), ratings.item_labels)
        covered = ratings.n_ratings * (place + 1) // releases
        dated.append(DatedLists(str(place), covered, lists, place > 0))
    return History(tuple(dated), window=3)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), delta=st.sampled_from(["0.3", "0.6", "0.9", "1"]))
def test_agrees_with_looking_at_every_set(seed: int, delta: str) -> None:
    ratings = timed_ratings(seed)
    history = random_history(seed, ratings)
    timeline = Timeline(ratings)
    tables = [release.lists.slots for release in history.releases]
    checker = DeltaBound(delta=delta, window=3)
    found = checker.adversary.attack(history, 2, timeline, tables, ratings.n_items)
    rows = [table.tolist() for table in tables]
    expected = worst_share(raters_of(timeline.at(ratings.n_ratings)), rows[2], rows[:2])
    assert (found.worst.share if found.worst else Fraction(0)) == expected
    assert bool(found.breaches) == (expected > Fraction(delta))


def test_the_witness_can_be_counted_again() -> None:
    ratings = figure_1()
    history = raw_history(ratings, start="27/31", gap="4/31", window=2, top=3)
    verdict = DeltaBound(delta="0.7", window=2).check_history(history, ratings, everything=True)
    assert verdict.status == "broken"
    assert verdict.witness is not None
    raters = raters_of(Timeline(ratings).at(ratings.n_ratings))
    people = set.intersection(*(raters[int(x) - 1] for x in verdict.witness["background"]))
    target = int(verdict.witness["item"]) - 1
    assert verdict.witness["raters of the background"] == len(people)
    assert verdict.witness["of them raters of the item"] == len(people & raters[target])
    assert verdict.witness["releases"] == ["000", "001"]


def test_equality_with_delta_passes_and_no_float_decides() -> None:
    """Three of ten is not more than 0.3, whatever doubles say of 0.1 + 0.2."""
    users = [*range(10), *range(3), 0]
    items = [*[1] * 10, *[2] * 3, 3]
    times = [*[1] * 10, *[2] * 3, 2]
    ratings = Ratings.from_columns(users, items, np.ones(14), times, scale="1..5")
    empty = np.full((3, 1), -1, np.int32)
    labelled = empty.copy()
    labelled[0, 0] = 1
    labels = ratings.item_labels
    history = History(
        (
            DatedLists("a", 10, Lists(empty, labels), False),
            DatedLists("b", 14, Lists(labelled, labels), True),
        ),
        window=2,
    )
    assert DeltaBound(delta="0.3", window=2).check_history(history, ratings).holds
    below = DeltaBound(delta="0.299999", window=2).check_history(history, ratings)
    assert below.status == "broken"


def test_a_budget_that_is_too_small_is_undecided() -> None:
    ratings = timed_ratings(5)
    history = random_history(5, ratings)
    checker = DeltaBound(delta="1", window=3, budget=1)
    assert checker.check_history(history, ratings).status == "undecided"
    assert DeltaBound(delta="1", window=3).check_history(history, ratings).holds


def test_only_new_raters_count_for_the_weaker_adversary() -> None:
    ratings = timed_ratings(2)
    history = random_history(2, ratings)
    full, weaker = (
        DeltaBound(delta="1", window=3, new_raters_only=new).check_history(history, ratings).how
        for new in (False, True)
    )
    assert full != weaker


def test_items_are_matched_by_name_and_unknown_ones_have_no_raters() -> None:
    ratings = timed_ratings(4)
    history = random_history(4, ratings)
    names = np.array([*(str(label) for label in ratings.item_labels[::-1]), "new"], dtype=object)
    turned = []
    for release in history.releases:
        slots = release.lists.slots
        moved = np.where(slots >= 0, len(slots) - 1 - slots, -1)[::-1]
        moved = np.vstack([moved, np.full((1, slots.shape[1]), -1)]).astype(np.int32)
        turned.append(replace(release, lists=Lists(moved, names)))
    checker = DeltaBound(delta="0.4", window=3)
    verdicts = [
        checker.check_history(one, ratings)
        for one in (history, replace(history, releases=tuple(turned)))
    ]
    assert verdicts[0].status == verdicts[1].status == "broken"
    assert verdicts[0].how == verdicts[1].how


def test_ratings_that_are_too_few_are_refused() -> None:
    ratings = timed_ratings(0)
    history = random_history(0, ratings)
    with pytest.raises(InputError, match="covers"):
        DeltaBound(window=3).check_history(history, Timeline(ratings).at(20).ratings)
