"""What every measure must do; a new one's test inherits this and declares its name."""

from __future__ import annotations

from math import isfinite
from typing import Any, ClassVar

import numpy as np
import pytest

from recloak.errors import Cancelled, ParameterError
from recloak.measures import MEASURES, measure
from recloak.measures.base import Measure
from recloak.ratings import Ratings
from tests.samples import Recorder, Stopper, empty_ratings, random_ratings
from tests.scenes import scene_of, with_shadow

FIVE_OF_EACH = np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30)
AT_THE_EDGE = {
    "implicit data": Ratings.from_columns(*FIVE_OF_EACH),
    "one user": Ratings.from_columns(np.zeros(30), np.arange(30), np.arange(30) % 5, scale="0..4"),
    "one item": Ratings.from_columns(np.arange(30), np.zeros(30), np.arange(30) % 5, scale="0..4"),
    "one rating each": Ratings.from_columns(np.arange(99), np.arange(99) % 7, np.arange(99) % 5),
    "one rating": Ratings.from_columns([1], [1], [3], scale="1..5"),
    "all values equal": Ratings.from_columns(*FIVE_OF_EACH, np.full(150, 3), scale="1..5"),
}


class MeasureContract:
    name: ClassVar[str]
    parameters: ClassVar[dict[str, Any]] = {}
    needs_probe: ClassVar[bool] = True
    exact: ClassVar[tuple[str, ...]] = ()
    """Figures that need no interval, for they are no estimates."""

    def make(self, **values: Any) -> Measure:
        return MEASURES.get(self.name)(**{**self.parameters, **values})

    def test_figures_have_intervals_that_hold_them(self) -> None:
        finding = self.make().run(with_shadow(scene_of(random_ratings(80))))
        assert finding.figures
        assert finding.sample > 0
        for figure in finding.figures:
            assert figure.meaning
            assert figure.name in self.make().figures
            if figure.name in self.exact:
                assert figure.low is figure.high is None
                continue
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high

    def test_the_same_seed_finds_the_same(self) -> None:
        one, two = (with_shadow(scene_of(random_ratings(80))) for _ in range(2))
        found = self.make().run(one, seed=3)
        assert found == self.make().run(two, seed=3)
        assert found == self.make().run(one, seed=3), "what was kept gives the same"

    def test_the_written_form_makes_the_same_measure(self) -> None:
        made = self.make()
        assert measure(made.spec).parameters == made.parameters

    def test_nothing_to_measure(self) -> None:
        finding = self.make().run(with_shadow(scene_of(empty_ratings())))
        assert finding.figures == ()
        assert finding.notes
        alone = self.make().run(scene_of(random_ratings()))
        assert bool(alone.figures) is not self.needs_probe

    @pytest.mark.parametrize("what", list(AT_THE_EDGE))
    def test_data_at_the_edge_are_measured_or_the_notes_say_why_not(self, what: str) -> None:
        finding = self.make().run(with_shadow(scene_of(AT_THE_EDGE[what])))
        assert finding.figures or finding.notes[0]
        for figure in finding.figures:
            assert isfinite(figure.value)

    def test_unknown_parameters_are_refused(self) -> None:
        with pytest.raises(ParameterError):
            self.make(no_such_parameter=1)

    def test_says_how_far_it_is_and_stops_when_asked(self) -> None:
        recorder = Recorder()
        self.make().run(with_shadow(scene_of(random_ratings())), progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run(with_shadow(scene_of(random_ratings())), progress=Stopper())
