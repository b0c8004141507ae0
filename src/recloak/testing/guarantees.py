"""What every guarantee must do; its test inherits this and gives data that keep and break it."""

from __future__ import annotations

from abc import abstractmethod

import pytest

from recloak.core.errors import Cancelled
from recloak.core.ratings import Ratings
from recloak.guarantees import GUARANTEES, guarantee
from recloak.guarantees.base import Guarantee
from recloak.testing._component import ComponentContract
from recloak.testing.data import empty_ratings
from recloak.testing.progress import Recorder, Stopper


class GuaranteeContract(ComponentContract[Guarantee]):
    """Tests of a guarantee."""

    registry = GUARANTEES

    @abstractmethod
    def keeping(self) -> Ratings:
        """Data for which the claim holds."""

    @abstractmethod
    def breaking(self) -> Ratings:
        """Data for which it is broken."""

    def original(self) -> Ratings | None:
        """What the data were made from, if nothing can be broken without it."""
        return None

    def test_holds_and_says_how(self) -> None:
        verdict = self.make().check(self.keeping())
        assert verdict.status == "holds"
        assert verdict.how
        assert verdict.witness is None

    def test_broken_names_a_witness(self) -> None:
        original, rows = self.original(), self.breaking()
        checker = self.make()
        verdict = checker.check(rows) if original is None else checker.check_beside(original, rows)
        assert verdict.status == "broken"
        assert verdict.witness

    def test_the_written_claim_makes_the_same_checker(self) -> None:
        checker = self.make()
        assert guarantee(checker.spec).parameters == checker.parameters
        assert checker.check(self.keeping()).claim == checker.spec

    def test_does_not_change_its_input(self) -> None:
        rows = self.breaking()
        self.make().check(rows)
        assert rows.equals(self.breaking())

    def test_empty_data(self) -> None:
        assert self.make().check(empty_ratings()).status == "holds"

    def test_says_how_far_it_is_and_stops_when_asked(self) -> None:
        recorder = Recorder()
        self.make().check(self.keeping(), recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().check(self.keeping(), Stopper())
