"""Passive inference: guesses from changed lists, on the paper's example and by a plain twin."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks.passive_inference import PassiveInference, _guessed
from recloak.attacks.passive_inference._control import Pairs, next_ratings
from recloak.attacks.passive_inference._list_changes import ListChanges
from recloak.core.errors import Cancelled
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.list_context import context_of
from recloak.lists.replay import replay
from recloak.releases.lists.unprotected import raw_at
from recloak.testing import AttackContract, Recorder, Stopper
from recloak.testing import context_of as table_context
from tests.attacks.record_linkage.test_record_linkage import value
from tests.report.samples import attacked, said_by
from tests.support.list_contexts import busy_context, busy_ratings, figure_1_context, raw_context

EXACT = ("guesses", "guesses_members", "guesses_outsiders", "worst_breach")


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
            least = -1 if figure.name == "inference_excess" else 0  # a difference of shares
            assert least <= figure.low <= figure.value <= figure.high <= 1
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


def crowd(then: int) -> Ratings:
    """Forty people rate four items; twenty of them rate item 10, and the others ``then`` next."""
    users = [*np.repeat(np.arange(40), 4), *range(40)]
    items = [*np.tile(np.arange(4), 40), *[10] * 20, *[then] * 20]
    values = [1 + (user + item) % 5 for user, item in zip(users, items, strict=True)]
    return Ratings.from_columns(users, items, values, range(200), scale="1..5")


@pytest.mark.parametrize(("then", "outsiders"), [(11, 0), (10, 1)])
def test_what_those_rate_next_who_took_no_part_is_the_control(then: int, outsiders: int) -> None:
    """Item 10 enters the lists. If the others rate it next anyway, the lists gave nothing away."""
    ratings = crowd(then)
    context = context_of(raw_at(Timeline(ratings), (160, 180), 4), ratings)
    finding = PassiveInference(known=3).run_lists(context)
    assert value(finding, "inference_members") == 1
    assert value(finding, "inference_outsiders") == outsiders
    assert value(finding, "inference_rated_outsiders") == 0
    assert value(finding, "guesses_members") == value(finding, "guesses_outsiders") == 20
    excess = finding.figure("inference_excess")
    assert excess is not None
    assert excess.value == 1 - outsiders
    assert excess.low is not None
    assert excess.low > 0.7 if outsiders == 0 else excess.low < 0
    assert "20 members are compared with as many" in finding.notes[1]


def test_protected_lists_leave_nothing_to_compare() -> None:
    ratings = crowd(11)
    settings = {"delta": "0.1", "window": 2, "top": 4}
    history = replay(ratings, "constructive", start="0.8", gap="0.1", releases=1, **settings)
    finding = PassiveInference(known=3).run_lists(context_of(history, ratings))
    assert value(finding, "guesses") == 0
    assert finding.figure("inference_excess") is None
    assert "nothing was guessed" in finding.notes[1]


def test_without_ratings_after_the_last_release_there_is_no_control() -> None:
    ratings = crowd(11).take_users(np.arange(20))
    context = context_of(raw_at(Timeline(ratings), (80, 100), 4), ratings)
    finding = PassiveInference(known=3).run_lists(context)
    assert value(finding, "inference_precision") == 1
    assert finding.figure("inference_excess") is None
    assert "no control group" in finding.notes[1]


def test_pairs_and_what_comes_next_are_those_of_a_plain_reader() -> None:
    context = raw_context()
    changes = ListChanges.of(context, 1)
    tried = changes.people(2, active=False)
    pairs = Pairs.of(context, changes, tried, 2, np.random.default_rng(1))
    assert len(pairs.members) > 5
    assert len(set(pairs.outsiders.tolist())) == len(pairs.outsiders)
    ratings, rank = context.timeline.ratings, context.timeline.time_rank
    expected = set()
    for at, (member, outsider) in enumerate(zip(pairs.members, pairs.outsiders, strict=True)):
        theirs, mine = (
            sorted(
                (int(rank[cell]), int(ratings.items[cell]))
                for cell in range(ratings.offsets[person], ratings.offsets[person + 1])
            )
            for person in (tried[member], outsider)
        )
        added = [item for time, item in theirs if changes.earlier <= time < changes.later]
        assert added
        assert not [item for time, item in mine if changes.earlier <= time < changes.later]
        assert sum(time < changes.earlier for time, _ in mine) >= 2
        following = [item for time, item in mine if time >= changes.later]
        assert len(following) >= len(added) == pairs.added[at]
        expected |= {(at, item) for item in following[: len(added)]}
    found = next_ratings(context, changes, pairs.outsiders, pairs.added)
    assert {divmod(int(key), context.n_items) for key in found} == expected


def test_the_report_says_members_beside_those_who_took_no_part() -> None:
    ratings = crowd(11)
    context = context_of(raw_at(Timeline(ratings), (160, 180), 4), ratings)
    sentence = said_by("passive-inference", attacked(PassiveInference(known=3).run_lists(context)))
    assert "about people who rated between two releases, about 100" in sentence[1]
    assert "of 100 about people who rated nothing in between, about 0" in sentence[1]
