"""What every measure must do; its test inherits this and sets `component`."""

from __future__ import annotations

from math import isfinite
from typing import ClassVar

import numpy as np
import pytest

from recloak.core.errors import Cancelled
from recloak.core.ratings import Ratings
from recloak.measures import MEASURES
from recloak.measures.base import Measure
from recloak.testing._evaluation import EvaluationContract
from recloak.testing.contexts import context_of, with_rehearsal
from recloak.testing.data import empty_ratings, random_ratings
from recloak.testing.progress import Recorder, Stopper

FIVE_OF_EACH = np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30)
AT_THE_EDGE = {
    "implicit data": Ratings.from_columns(*FIVE_OF_EACH),
    "one user": Ratings.from_columns(np.zeros(30), np.arange(30), np.arange(30) % 5, scale="0..4"),
    "one item": Ratings.from_columns(np.arange(30), np.zeros(30), np.arange(30) % 5, scale="0..4"),
    "one rating each": Ratings.from_columns(np.arange(99), np.arange(99) % 7, np.arange(99) % 5),
    "one rating": Ratings.from_columns([1], [1], [3], scale="1..5"),
    "all values equal": Ratings.from_columns(*FIVE_OF_EACH, np.full(150, 3), scale="1..5"),
}


class MeasureContract(EvaluationContract[Measure]):
    """Tests of a measure."""

    registry = MEASURES
    needs_rehearsal: ClassVar[bool] = True
    """Is nothing measured without a rehearsal?"""
    people: ClassVar[int] = 80
    """How many people there must be for something to be measured."""
    exact: ClassVar[tuple[str, ...]] = ()
    """Figures that need no interval, for they are no estimates."""

    def test_figures_have_intervals_that_hold_them(self) -> None:
        finding = self.make().run(with_rehearsal(context_of(random_ratings(self.people))))
        assert finding.figures
        assert finding.sample > 0
        for figure in finding.figures:
            assert figure.meaning
            declared = self.make().declared(figure.name)
            assert declared is not None, f"{figure.name} is not declared"
            assert figure.unit == declared.unit
            if figure.name in self.exact:
                assert figure.low is figure.high is None
                continue
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high

    def test_the_same_seed_finds_the_same(self) -> None:
        one, two = (with_rehearsal(context_of(random_ratings(self.people))) for _ in range(2))
        found = self.make().run(one, seed=3)
        assert found == self.make().run(two, seed=3)
        assert found == self.make().run(one, seed=3), "what was kept gives the same"

    def test_nothing_to_measure(self) -> None:
        finding = self.make().run(with_rehearsal(context_of(empty_ratings())))
        assert finding.figures == ()
        assert finding.notes
        alone = self.make().run(context_of(random_ratings()))
        assert bool(alone.figures) is not self.needs_rehearsal

    @pytest.mark.parametrize("what", list(AT_THE_EDGE))
    def test_data_at_the_edge_are_measured_or_the_notes_say_why_not(self, what: str) -> None:
        finding = self.make().run(with_rehearsal(context_of(AT_THE_EDGE[what])))
        assert finding.figures or finding.notes[0]
        for figure in finding.figures:
            assert isfinite(figure.value)

    def test_says_how_far_it_is_and_stops_when_asked(self) -> None:
        recorder, context = Recorder(), with_rehearsal(context_of(random_ratings(self.people)))
        self.make().run(context, progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run(with_rehearsal(context_of(random_ratings(self.people))), 0, Stopper())
