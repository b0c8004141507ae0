"""What every attack must do; a new one's test inherits this and declares its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from recloak.attacks import ATTACKS, attack
from recloak.attacks.base import Attack
from recloak.errors import Cancelled, ParameterError
from recloak.ratings import Ratings
from recloak.scene import Scene
from tests.samples import Recorder, Stopper, empty_ratings, random_ratings
from tests.scenes import scene_of


class AttackContract:
    name: ClassVar[str]
    parameters: ClassVar[dict[str, Any]] = {}

    def make(self, **values: Any) -> Attack:
        return ATTACKS.get(self.name)(**{**self.parameters, **values})

    def scene(self, ratings: Ratings) -> Scene:
        """What is attacked: by default a release in which only names changed."""
        return scene_of(ratings)

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(scene_of(random_ratings(80, 60, 0.3)))
        success = finding.figure("success")
        assert success is not None
        assert success.value > 0.9

    def test_figures_have_intervals_that_hold_them(self, small: Ratings) -> None:
        finding = self.make().run(self.scene(small))
        for figure in finding.figures:
            assert figure.meaning
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high
        assert finding.sample > 0

    def test_the_same_seed_finds_the_same(self, small: Ratings) -> None:
        scene = self.scene(small)
        assert self.make().run(scene, seed=3) == self.make().run(scene, seed=3)

    def test_the_written_form_makes_the_same_attack(self) -> None:
        made = self.make()
        assert attack(made.spec).parameters == made.parameters

    def test_empty_data_are_not_measured(self) -> None:
        finding = self.make().run(self.scene(empty_ratings()))
        assert finding.sample == 0
        assert finding.figures == ()
        assert finding.notes

    def test_nobody_known_is_not_measured(self, small: Ratings) -> None:
        scene = self.scene(small)
        nobody = replace(scene.linkage, offsets=scene.linkage.offsets * 0)
        assert self.make().run(replace(scene, linkage=nobody)).figures == ()

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1] * 5, range(5), [3] * 5, scale="1..5")
        success = self.make().run(scene_of(one)).figure("success")
        assert success is not None
        assert success.value == 1

    def test_unknown_parameters_are_refused(self) -> None:
        with pytest.raises(ParameterError):
            self.make(no_such_parameter=1)

    def test_says_how_far_it_is_and_stops_when_asked(self, small: Ratings) -> None:
        recorder = Recorder()
        self.make().run(self.scene(small), progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run(self.scene(small), progress=Stopper())
