"""What every measure must do; a new one's test inherits this and declares its name."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from recloak.errors import Cancelled, ParameterError
from recloak.measures import MEASURES, measure
from recloak.measures.base import Measure
from tests.samples import Recorder, Stopper, empty_ratings, random_ratings
from tests.scenes import scene_of, with_shadow


class MeasureContract:
    name: ClassVar[str]
    parameters: ClassVar[dict[str, Any]] = {}

    def make(self, **values: Any) -> Measure:
        return MEASURES.get(self.name)(**{**self.parameters, **values})

    def test_figures_have_intervals_that_hold_them(self) -> None:
        finding = self.make().run(with_shadow(scene_of(random_ratings(80))))
        assert finding.figures
        assert finding.sample > 0
        for figure in finding.figures:
            assert figure.meaning
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high

    def test_the_same_seed_finds_the_same(self) -> None:
        scene = with_shadow(scene_of(random_ratings(80)))
        assert self.make().run(scene, seed=3) == self.make().run(scene, seed=3)

    def test_the_written_form_makes_the_same_measure(self) -> None:
        made = self.make()
        assert measure(made.spec).parameters == made.parameters

    def test_nothing_to_measure(self) -> None:
        finding = self.make().run(with_shadow(scene_of(empty_ratings())))
        assert finding.figures == ()
        assert finding.notes
        assert self.make().run(scene_of(random_ratings())).figures == ()

    def test_unknown_parameters_are_refused(self) -> None:
        with pytest.raises(ParameterError):
            self.make(no_such_parameter=1)

    def test_says_how_far_it_is_and_stops_when_asked(self) -> None:
        scene = with_shadow(scene_of(random_ratings()))
        recorder = Recorder()
        self.make().run(scene, progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run(scene, progress=Stopper())
