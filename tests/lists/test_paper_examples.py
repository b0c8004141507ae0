"""The paper's worked examples, by name."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from recloak.core.timeline import Timeline
from recloak.lists.protection import ALGORITHMS
from recloak.lists.protection._bound_kernels import no_marks
from recloak.lists.protection._list_kernels import Bound, EarlierReleases, new_draft, places_of
from recloak.lists.protection._violating_border_kernels import border_of
from recloak.lists.replay import new_history, protect_next
from recloak.recommenders.similarity import Cosine, rank
from recloak.releases.lists.related import Lists
from recloak.releases.lists.unprotected import dated_raw
from tests.lists.plain import border, distinguished, raters_of
from tests.lists.samples import N_AFTER, N_BEFORE, figure_1

T1 = {1: [3, 5, 8], 2: [7, 8, 3], 3: [8, 2, 6], 4: [2, 5, 1]}
T1 |= {5: [8, 7, 2], 6: [3, 2, 1], 7: [8, 2, 5], 8: [7, 2, 5]}
T2 = {1: [3, 5, 8], 2: [8, 7, 6], 3: [6, 8, 2], 4: [2, 5, 1]}
T2 |= {5: [2, 7, 8], 6: [8, 7, 3], 7: [8, 6, 2], 8: [7, 6, 2]}


def lists_at(cut: int) -> Lists:
    ratings = figure_1()
    return Lists(rank(Timeline(ratings).at(cut), Cosine(), 3).top, ratings.item_labels)


def test_figure_1_lists_at_t1_and_t2() -> None:
    for cut, expected in ((N_BEFORE, T1), (N_AFTER, T2)):
        lists = lists_at(cut)
        assert {item: lists.of(item) for item in range(1, 9)} == expected


def test_example_2_the_border_of_i6() -> None:
    now, then = (lists_at(cut).slots.tolist() for cut in (N_AFTER, N_BEFORE))
    known = distinguished(now, then, 5)
    assert [item + 1 for item in known] == [2, 3, 7, 8]
    raters = raters_of(Timeline(figure_1()).at(N_AFTER))
    found = border(raters, 5, known, Fraction(7, 10))
    assert {tuple(sorted(item + 1 for item in one)) for one in found} == {(3,), (7,), (2, 8)}


def test_permutation_at_one_half_restores_the_list_of_i2() -> None:
    timeline = Timeline(figure_1())
    maker = ALGORITHMS.get("permutation")(delta="0.5", window=2, top=3)
    history = new_history(maker, dated_raw(timeline, N_BEFORE, lists_at(N_BEFORE)))
    protected = protect_next(history, timeline, N_AFTER, maker).releases[-1]
    assert protected.lists.of(2) == [7, 8, 3]
    assert protected.changes is not None
    assert protected.changes.permuted > 0


def test_the_kernel_draws_the_same_border() -> None:
    now, then = lists_at(N_AFTER), lists_at(N_BEFORE)
    draft, earlier = (
        new_draft(now.slots),
        EarlierReleases(np.array([then.slots]), np.zeros(1, np.int64)),
    )
    raters, bound = Timeline(figure_1()).at(N_AFTER).postings, Bound(7, 10, 1000)
    places = places_of(draft, 5)
    drawn = border_of(draft, earlier, raters, bound, no_marks(8), 5, places, 4)
    found = {
        tuple(int(item) + 1 for at, item in enumerate(places) if int(one[0]) >> at & 1)
        for one in drawn.sets
    }
    alone = {int(item) + 1 for item in places[drawn.alone]}
    assert (alone, found) == ({3, 7}, {(2, 8)})
    assert [bool(absent) for absent in drawn.absent] == [True, False, True, True]
