"""Study `chen-nights`: what nightly lists still show after weeks, and what would keep more."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.timeline import Timeline
from recloak.lists.decay import NightlySetting, NightlyShop, nightly_cuts
from recloak.studies.base import Cell, Column, Study, StudyResult
from recloak.studies.data import DataSet

_ASKED = NightlySetting()
_VARIED: tuple[tuple[str, NightlySetting], ...] = (
    ("δ = 0.1, window 4, 5 slots, every night", _ASKED),
    ("every 7 nights", _ASKED.changed(every=7)),
    ("every 11 nights", _ASKED.changed(every=11)),
    ("window 2", _ASKED.changed(window=2)),
    ("window 8", _ASKED.changed(window=8)),
    ("10 slots", _ASKED.changed(top=10)),
    ("20 slots", _ASKED.changed(top=20)),
    ("40 slots", _ASKED.changed(top=40)),
    ("δ = 0.2", _ASKED.changed(delta="0.2")),
    ("δ = 0.5", _ASKED.changed(delta="0.5")),
    ("δ = 0.2, 20 slots", _ASKED.changed(delta="0.2", top=20)),
)
NOTE = (
    "Recall is the share of the five best entries of the same night's unprotected lists that stand "
    "in the lists as shown, in whichever slot. `attainable` is the share that any lists could have "
    "shown in the last release, after what was published before it: an entry that tells more than "
    "δ by itself must have stood in every list of the window. `upper bound` is the share that any "
    "sequence of releases after the first could show on the last night, even one made in knowledge "
    "of all later ratings: an entry stood in the first release, or told no more than δ by itself "
    "in as many releases in a row as keep it in the window. So whatever tells more than δ and was "
    "not in the first release may never enter, and recall falls as fast as the ratings move on. "
    "Neither a rarer release nor a smaller window changes that; more slots and a larger δ do."
)


class NightsParameters(Parameters):
    """How many nights, and how many new ratings in each."""

    nights: int = Field(default=33, ge=3)
    """Nights after the first release; on the last one there are all ratings."""

    growth: float = Field(default=1.0, gt=0, le=100)
    """New ratings of each night, in percent of those that there are."""


class Nights(Study):
    """Each setting is changed by itself; lists are made by `constructive`."""

    name: ClassVar[str] = "chen-nights"
    summary: ClassVar[str] = "Recall of nightly lists over weeks, and what would keep more."
    reference: ClassVar[str] = (
        "Chen, Xie, Lakshmanan: Thwarting Passive Privacy Attacks in Collaborative Filtering. "
        "DASFAA 2014. The question is ours."
    )
    data_sets: ClassVar[tuple[str, ...]] = ("ml-100k",)
    Parameters: ClassVar[type[Parameters]] = NightsParameters
    parameters: NightsParameters  # type: ignore[assignment]

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        nights = self.parameters.nights
        growth = Fraction(str(self.parameters.growth)) / 100
        cuts = nightly_cuts(data.ratings.n_ratings, nights, growth)
        shop = NightlyShop(Timeline(data.ratings), cuts, _ASKED.top, progress=progress)
        shown = sorted({1, nights // 3, 2 * nights // 3, nights})
        rows: list[tuple[Cell, ...]] = []
        with progress.task("Replaying nights", len(_VARIED)) as task:
            for label, setting in _VARIED:
                course = shop.course(setting)
                recalls = [course.recalls[night] for night in shown]
                limits = (course.attainable, course.upper_bound)
                rows.append((label, *recalls, course.mean, *limits))
                task.advance()
        columns = [Column("setting"), *(Column(f"night {night}", 3) for night in shown)]
        columns += [Column(name, 3) for name in ("mean", "attainable", "upper bound")]
        return self.result(data, columns, rows, (), (NOTE,))
