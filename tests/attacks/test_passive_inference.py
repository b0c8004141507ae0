"""Passive inference: guesses from changed lists, on the paper's example and by a plain twin."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks.passive_inference import PassiveInference, _guessed
from recloak.attacks.passive_inference._list_changes import ListChanges
from recloak.core.errors import Cancelled
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.list_context import context_of
from recloak.releases.lists.unprotected import raw_at
from recloak.testing import AttackContract, Recorder, Stopper
from recloak.testing import context_of as table_context
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.list_contexts import busy_context, busy_ratings, figure_1_context, raw_context

EXACT = ("guesses", "worst_breach")


class TestPassiveInference(AttackContract):
    """The contract, on lists; a table has none, which is said."""

    name = "passive-inference"
    parameters = {"known": 2}

    def make(self, **values: object) -> PassiveInference:
        made = super().make(**values)
        assert isinstance(made, PassiveInference)
        return made

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make(known=5, at_least=4).run_lists(figure_1_context())
        assert value(finding, "inference_precision") == 1

    def test_figures_have_intervals_that_hold_them(self, small: Ratings) -> None:
        finding = self.make().run_lists(raw_context())
        assert {figure.name for figure in finding.figures} == set(self.make().figure_names())
        for figure in finding.figures:
            assert figure.meaning
            if figure.name in EXACT:
                continue
            assert figure.low is not None
            assert figure.high is not None
            assert 0 <= figure.low <= figure.value <= figure.high <= 1
        assert finding.sample > 0

    def test_the_same_seed_finds_the_same(self, small: Ratings) -> None:
        one, two = (self.make(tries=5).run_lists(raw_context(), seed=3) for _ in range(2))
        assert one == two
        assert one != self.make(tries=5).run_lists(raw_context(), seed=4)

    def test_nobody_known_is_not_measured(self, small: Ratings) -> None:
        finding = self.make(known=1000).run_lists(raw_context())
        assert finding.figures == ()
        assert "Nobody with 1000 known items" in finding.notes[0]

    def test_one_person(self) -> None:
        alone = Ratings.from_columns([1] * 4, range(4), [3] * 4, range(4), scale="1..5")
        context = context_of(raw_at(Timeline(alone), (2, 4), 3), alone)
        finding = self.make().run_lists(context)
        assert value(finding, "inference_precision") == 1
        assert value(finding, "inference_recall") == 1
        assert value(finding, "inference_prior") == 0

    def test_says_how_far_it_is_and_stops_when_asked(self, small: Ratings) -> None:
        recorder = Recorder()
        self.make().run_lists(raw_context(), progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run_lists(raw_context(), progress=Stopper())


def test_a_table_has_no_lists() -> None:
    finding = attack("passive-inference").run(table_context(busy_ratings()))
    assert finding.figures == ()
    assert "no lists" in finding.notes[0]


def test_alice_is_found_out_in_example_1() -> None:
    """Who knows all that user 5 rated sees i6 move in four lists, and guesses it."""
    finding = PassiveInference(known=5, at_least=4).run_lists(figure_1_context())
    assert finding.sample == 1
    assert value(finding, "guesses") == 1
    assert value(finding, "inference_recall") == 1
    assert value(finding, "worst_breach") == 1


def test_five_lists_are_more_than_move() -> None:
    finding = PassiveInference(known=5, at_least=5).run_lists(figure_1_context())
    assert value(finding, "guesses") == 0
    assert value(finding, "inference_recall") == 0
    assert finding.figure("inference_precision") is None, "who does not guess is never right"


@pytest.mark.parametrize("at_least", [1, 2])
def test_guesses_are_those_of_a_plain_adversary(at_least: int) -> None:
    context, place = raw_context(), 2
    list_changes = ListChanges.of(context, place)
    people = list_changes.people(3, active=True)
    known = list_changes.draw(people, 3, np.random.default_rng(1))
    expected = set()
    now, then = (context.tables[at].tolist() for at in (place, place - 1))
    for person in range(len(people)):
        mine = {int(item) for item in known.items[known.trials == person]}
        assert len(mine) == 3
        votes = Counter(
            entry
            for item in mine
            for slot, entry in enumerate(now[item])
            if entry >= 0 and (entry not in then[item] or then[item].index(entry) > slot)
        )
        expected |= {(person, i) for i, n in votes.items() if n >= at_least and i not in mine}
    found = _guessed(context, place, known, at_least)
    assert {divmod(int(key), context.n_items) for key in found} == expected
    assert expected


def test_known_items_were_rated_before_and_new_ones_since() -> None:
    context = raw_context()
    list_changes = ListChanges.of(context, 1)
    cuts = [release.n_ratings for release in context.history.releases]
    people = list_changes.people(2, active=True)
    time_rank = context.timeline.time_rank
    ratings = context.timeline.ratings
    for person in people:
        mine = time_rank[ratings.offsets[person] : ratings.offsets[person + 1]]
        assert (mine < cuts[0]).sum() >= 2
        assert ((mine >= cuts[0]) & (mine < cuts[1])).any()
    new = list_changes.keys(people, new=True)
    assert len(new) == sum(
        int(((mine >= cuts[0]) & (mine < cuts[1])).sum())
        for person in people
        for mine in [time_rank[ratings.offsets[person] : ratings.offsets[person + 1]]]
    )


def test_protected_lists_tell_no_more_than_the_bound() -> None:
    finding = PassiveInference(known=2).run_lists(busy_context())
    assert 0 < value(finding, "worst_breach") <= 0.4
    assert value(PassiveInference(known=2).run_lists(raw_context()), "worst_breach") > 0.4


def test_people_who_did_not_rate_since_make_guesses_worse() -> None:
    active, anyone = (
        PassiveInference(known=2, active=active).run_lists(raw_context())
        for active in (True, False)
    )
    assert anyone.sample >= active.sample
    assert value(anyone, "inference_precision") <= value(active, "inference_precision")
