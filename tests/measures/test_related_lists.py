"""Recall of lists: by set, over raw slots that are not empty; what moved and what is gone."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.errors import Cancelled
from recloak.measures.related_lists import ListComparison, RelatedLists
from recloak.testing import MeasureContract, Recorder, Stopper
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.list_contexts import busy_context, raw_context


class TestRelatedLists(MeasureContract):
    """The contract, on lists; a table has none, which is said."""

    name = "related-lists"
    needs_rehearsal = True
    exact = RelatedLists.figure_names()

    def test_figures_have_intervals_that_hold_them(self) -> None:
        finding = RelatedLists().run_lists(busy_context())
        assert {figure.name for figure in finding.figures} == set(RelatedLists.figure_names())
        assert all(figure.meaning and figure.low is None for figure in finding.figures)
        assert finding.sample > 0

    def test_the_same_seed_finds_the_same(self) -> None:
        assert RelatedLists().run_lists(busy_context()) == RelatedLists().run_lists(busy_context())

    def test_says_how_far_it_is_and_stops_when_asked(self) -> None:
        recorder = Recorder()
        RelatedLists().run_lists(busy_context(), progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            RelatedLists().run_lists(busy_context(), progress=Stopper())


def slots(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


def test_entries_count_by_set_and_raw_empties_do_not() -> None:
    raw = slots([1, 2, 3], [0, 2, -1], [-1, -1, -1], [0, 1, 2])
    shown = slots([2, 1, -1], [0, 2, -1], [-1, -1, -1], [0, 1, 4])
    figures = ListComparison(raw, shown).figures()
    assert figures["list_recall"] == 6 / 8
    assert figures["targeted_recall"] == 4 / 6, "the second list is unchanged"
    assert figures["lists_changed"] == 2 / 3, "an item without a list does not count"
    assert figures["list_filled"] == 7 / 8
    assert figures["suppressed"] == 2
    assert figures["permuted"] == 2


def test_unchanged_lists_have_no_targeted_recall() -> None:
    same = slots([1, -1], [0, -1])
    figures = ListComparison(same, same).figures()
    assert figures["list_recall"] == 1
    assert "targeted_recall" not in figures


def test_all_releases_are_the_mean_of_each() -> None:
    context = busy_context()
    whole = RelatedLists().run_lists(context)
    each = [RelatedLists(release=place).run_lists(context) for place in context.places]
    assert len(each) == 3
    for name in ("list_recall", "list_filled"):
        assert value(whole, name) == pytest.approx(np.mean([value(one, name) for one in each]))
    assert value(whole, "suppressed") == sum(value(one, "suppressed") for one in each)
    assert value(whole, "worst_breach") == max(value(one, "worst_breach") for one in each)


def test_unprotected_lists_keep_everything() -> None:
    found = RelatedLists().run_lists(raw_context())
    assert value(found, "list_recall") == value(found, "list_filled") == 1
    assert value(found, "worst_breach") > 0.4


def test_a_release_that_is_not_there_is_not_measured() -> None:
    assert RelatedLists(release=99).run_lists(busy_context()).figures == ()
