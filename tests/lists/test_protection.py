"""Every algorithm keeps its bound, by brute force; kernels do what their plain twins do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.lists.protection import ALGORITHMS
from recloak.lists.replay import replay
from recloak.releases.lists.history import DatedLists, History
from recloak.testing import Recorder, random_ratings
from tests.lists.plain import PlainReplay, raters_of, worst_share
from tests.lists.samples import timed_ratings

SET_UP = {"start": "0.4", "gap": "0.15", "window": 3, "top": 3, "depth": 20}


def window_before(history: History, place: int) -> tuple[DatedLists, ...]:
    return history.releases[max(0, place - history.window + 1) : place]


def worst_of(history: History, ratings: Ratings) -> Fraction:
    """The worst breach of all protected releases, by looking at every set."""
    timeline = Timeline(ratings)
    shares = [
        worst_share(
            raters_of(timeline.at(history.releases[place].n_ratings)),
            history.releases[place].lists.slots.tolist(),
            [one.lists.slots.tolist() for one in window_before(history, place)],
        )
        for place in history.claimed()
    ]
    return max(shares, default=Fraction(0))


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), delta=st.sampled_from(["0.2", "1/3", "0.5", "0.8"]))
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_no_set_tells_more_than_delta(name: str, seed: int, delta: str) -> None:
    ratings = timed_ratings(seed)
    history = replay(ratings, name, delta=delta, **SET_UP)
    assert len(history) == 5
    assert worst_of(history, ratings) <= Fraction(delta)
    for release in history.releases[1:]:
        assert release.changes is not None
        assert release.changes.emptied == 0, "the verifier had to repair what an algorithm made"


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), delta=st.sampled_from(["0.2", "0.5"]))
@pytest.mark.parametrize("permuting", [False, True])
def test_the_kernel_and_the_plain_way_publish_the_same(
    permuting: bool, seed: int, delta: str
) -> None:
    ratings = timed_ratings(seed)
    name = "permutation" if permuting else "suppression"
    ours = replay(ratings, name, delta=delta, **SET_UP)
    plain = PlainReplay(ratings, [one.n_ratings for one in ours.releases], delta, 3, 3)
    plain.permuting = permuting
    for mine, theirs in zip(ours.releases, plain.history().releases, strict=True):
        assert mine.lists.slots.tolist() == theirs.lists.slots.tolist()


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_a_tiny_budget_costs_slots_but_never_the_bound(name: str) -> None:
    ratings = timed_ratings(7, n_users=60, density=0.6)
    free = replay(ratings, name, delta="0.8", **SET_UP)
    tight = replay(ratings, name, delta="0.8", budget=1, **SET_UP)
    assert worst_of(tight, ratings) <= Fraction(4, 5)
    shown = [sum(one.lists.n_filled for one in made.releases) for made in (tight, free)]
    assert shown[0] <= shown[1]


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_the_weaker_adversary_counts_new_raters_only(name: str) -> None:
    ratings = timed_ratings(3, n_users=60)
    weaker = replay(ratings, name, delta="0.3", new_raters_only=True, **SET_UP)
    full = replay(ratings, name, delta="0.3", **SET_UP)
    lost = [sum(one.changes.suppressed for one in made.releases[1:]) for made in (weaker, full)]
    assert lost[0] < lost[1]
    assert worst_of(weaker, ratings) > Fraction(3, 10), "then the option would change nothing"


def test_nothing_can_be_shown_where_everybody_gives_everybody_away() -> None:
    """Two people who rate the same new items: no changed list is safe, so slots stay empty."""
    users, items = np.repeat([1, 2], 8), np.tile(np.arange(8), 2)
    ratings = Ratings.from_columns(users, items, np.full(16, 3), items, scale="1..5")
    history = replay(ratings, "constructive", start="0.5", gap="0.5", delta="0.1", top=3)
    first, last = (release.lists for release in history.releases)
    assert last.slots[4:].max() == -1
    assert np.array_equal(last.slots[:4], first.slots[:4])


def test_what_stays_is_not_hidden_and_items_may_appear_later() -> None:
    ratings = timed_ratings(1)
    history = replay(ratings, "constructive", delta="1", **SET_UP)
    for release in history.releases:
        assert release.raw is not None
        assert set(map(frozenset, release.raw.slots.tolist())) == set(
            map(frozenset, release.lists.slots.tolist())
        ), "with a bound of 1 nothing has to go"


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        *(("delta", delta) for delta in (0, "1.01", "-0.1", "x", "0.0000001")),
        ("window", 1),
        ("top", 0),
        ("budget", 0),
        ("no_such", 1),
    ],
)
def test_parameters_out_of_range_are_refused(wrong: str, value: object) -> None:
    with pytest.raises(ParameterError):
        replay(timed_ratings(0), "suppression", **{wrong: value})


def test_delta_is_exact_however_it_is_written() -> None:
    made = [ALGORITHMS.get("suppression")(delta=d).delta for d in (0.1, "0.1", "1/10", "0.100")]
    assert made == [Fraction(1, 10)] * 4


def test_ratings_without_times_are_refused() -> None:
    with pytest.raises(InputError, match="no times"):
        replay(random_ratings(), "suppression")


@pytest.mark.parametrize(
    ("start", "gap", "releases", "where"),
    [("0", "0.1", None, "start"), ("0.5", "2", None, "gap"), ("0.9", "0.2", 1, "releases")],
)
def test_cuts_that_do_not_fit_are_refused(
    start: str, gap: str, releases: int | None, where: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        replay(timed_ratings(0), start=start, gap=gap, releases=releases)
    assert refused.value.where == where
    assert refused.value.hint


def test_progress_is_told() -> None:
    recorder = Recorder()
    replay(timed_ratings(0), "constructive", progress=recorder, **SET_UP)
    assert "Replaying releases" in recorder.labels
    assert "Ranking related items" in recorder.labels
