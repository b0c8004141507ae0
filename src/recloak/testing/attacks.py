"""What every attack must do; its test inherits this and sets `component`."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from recloak.attacks import ATTACKS
from recloak.attacks.base import Attack
from recloak.core.errors import Cancelled
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.testing._component import ComponentContract
from recloak.testing.contexts import context_of
from recloak.testing.data import empty_ratings, random_ratings
from recloak.testing.progress import Recorder, Stopper


class AttackContract(ComponentContract[Attack]):
    """Tests of an attack."""

    registry = ATTACKS
    success: ClassVar[str] = "success"
    """The figure that is 1 where the attack always succeeds."""

    def context(self, ratings: Ratings) -> AuditContext:
        """What is attacked: by default a release in which only names changed."""
        return context_of(ratings)

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(self.context(random_ratings(80, 60, 0.3)))
        success = finding.figure(self.success)
        assert success is not None, f"there is no figure {self.success!r}: set `success`"
        assert success.value > 0.9

    def test_figures_have_intervals_that_hold_them(self, small: Ratings) -> None:
        finding = self.make().run(self.context(small))
        for figure in finding.figures:
            declared = self.make().declared(figure.name)
            assert declared is not None, f"{figure.name} is not declared"
            assert figure.unit == declared.unit
            assert figure.meaning
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high
        assert finding.sample > 0

    def test_the_same_seed_finds_the_same(self, small: Ratings) -> None:
        context = self.context(small)
        assert self.make().run(context, seed=3) == self.make().run(context, seed=3)

    def test_empty_data_are_not_measured(self) -> None:
        finding = self.make().run(self.context(empty_ratings()))
        assert finding.sample == 0
        assert finding.figures == ()
        assert finding.notes

    def test_nobody_known_is_not_measured(self, small: Ratings) -> None:
        context = self.context(small)
        nobody = replace(context.linkage, offsets=context.linkage.offsets * 0)
        assert self.make().run(replace(context, linkage=nobody)).figures == ()

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1] * 5, range(5), [3] * 5, scale="1..5")
        success = self.make().run(self.context(one)).figure(self.success)
        assert success is not None, f"there is no figure {self.success!r}: set `success`"
        assert success.value == 1

    def test_says_how_far_it_is_and_stops_when_asked(self, small: Ratings) -> None:
        recorder = Recorder()
        self.make().run(self.context(small), progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run(self.context(small), progress=Stopper())
