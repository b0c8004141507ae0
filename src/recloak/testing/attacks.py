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
from recloak.evaluation.findings import Figure, Finding
from recloak.testing._evaluation import EvaluationContract
from recloak.testing.contexts import context_of
from recloak.testing.data import empty_ratings, random_ratings
from recloak.testing.progress import Recorder, Stopper


class AttackContract(EvaluationContract[Attack]):
    """Tests of an attack."""

    registry = ATTACKS
    success: ClassVar[str] = ""
    """The figure that is 1 where the attack always succeeds, if none has that role."""

    def context(self, ratings: Ratings) -> AuditContext:
        """What is attacked: by default a release in which only names changed."""
        return context_of(ratings)

    def _success(self, finding: Finding) -> Figure:
        declared = self.member().declared_as("success")
        name = self.success or (declared.name if declared else "")
        found = finding.figure(name)
        assert found is not None, (
            f"there is no figure {name!r}: give one the role 'success', or set `success`"
        )
        return found

    def test_finds_people_where_only_names_changed(self) -> None:
        finding = self.make().run(self.context(random_ratings(80, 60, 0.3)))
        assert self._success(finding).value > 0.9

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
        assert self._success(self.make().run(self.context(one))).value == 1

    def test_says_how_far_it_is_and_stops_when_asked(self, small: Ratings) -> None:
        recorder = Recorder()
        self.make().run(self.context(small), progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().run(self.context(small), progress=Stopper())
