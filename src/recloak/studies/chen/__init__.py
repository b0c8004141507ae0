"""Studies `chen-figure4` … `chen-figure7`: recall, suppression, breaches and time of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.simulation import DATASET_MODELS, synthesize
from recloak.studies.base import Cell, Column, Picture, Study, StudyResult
from recloak.studies.chen._runs import (
    NOISE,
    PROTECTED,
    RAW,
    HistoryRun,
    HistoryRuns,
    HistorySetting,
    settings,
)
from recloak.studies.data import SEED, SYNTHETIC, DataSet

STARTS = ("0.1", "0.8")
SHOWN = {"window": "attack window", "gap": "gap", "delta": "δ", "top": "N"}
SET_UP = (
    "Unless the table says otherwise, the window is 4, the gap 5 % of the ratings, δ = 0.1 and N "
    "= 5, as in the paper. The first release is raw and covers the share of the ratings in the "
    "column `start`. The paper starts at 10 %; it prints curves without numbers."
)


class ChenParameters(Parameters):
    """How long histories are, and how much is made up."""

    releases: int = Field(default=6, ge=1)
    """How many releases follow the first, at most; fewer if the ratings end before."""

    percent: float = Field(default=5.0, gt=0, le=100)
    """Of a made-up set: how much of its size is made, in people, items and ratings."""


class ChenFigure(Study):
    """What the four figures share: the histories, a table of all of them, a picture for each axis.

    A figure says which histories it compares and what it picks of each.
    """

    reference: ClassVar[str] = (
        "Chen, Xie, Lakshmanan: Thwarting Passive Privacy Attacks in Collaborative Filtering. "
        "DASFAA 2014."
    )
    data_sets: ClassVar[tuple[str, ...]] = ("ml-1m", "synthetic-flixster")
    Parameters: ClassVar[type[Parameters]] = ChenParameters
    parameters: ChenParameters  # type: ignore[assignment]
    compared: ClassVar[tuple[str, ...]]
    picked: ClassVar[dict[str, tuple[str, int]]]
    y_name: ClassVar[str]
    paper_note: ClassVar[str]

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        scaled = self._scaled(data, progress)
        runs = HistoryRuns(scaled, progress)
        asked = list(settings(STARTS, self.parameters.releases))
        rows: list[tuple[Cell, ...]] = []
        with progress.task("Replaying histories", len(asked) * len(self.compared)) as task:
            for name, value, setting in asked:
                found = []
                for what in self.compared:
                    found.append(runs.run(setting, what))
                    task.advance()
                rows.append(self._row(name, value, setting, found))
        columns = [Column("start"), Column("varied"), Column("value"), *self._columns()]
        pictures = [_picture(self, start, name, rows) for start in STARTS for name in SHOWN]
        return self.result(scaled, columns, rows, pictures, (self.paper_note, SET_UP))

    def _columns(self) -> list[Column]:
        return [
            Column(f"{what}{more}", digits)
            for more, digits in self.picked.values()
            for what in self.compared
        ]

    def _row(
        self, name: str, value: Any, setting: HistorySetting, found: list[HistoryRun]
    ) -> tuple[Cell, ...]:
        cells = [getattr(run, field) for field in self.picked for run in found]
        return (setting.start, SHOWN[name], str(value), *cells)

    def _scaled(self, data: DataSet, progress: Progress) -> DataSet:
        percent = self.parameters.percent
        if not data.name.startswith(SYNTHETIC) or percent == 100:
            return data
        like = data.name.removeprefix(SYNTHETIC)
        size = {
            part: max(1, round(getattr(DATASET_MODELS[like], part) * percent / 100))
            for part in ("users", "items", "ratings")
        }
        made = synthesize(like, **size, seed=SEED, progress=progress)
        note = f"{percent:g} % of its size: {made.n_ratings:,} ratings of {made.n_items:,} items "
        return DataSet(data.name, made, f"{data.note} {note}by {made.n_users:,} people.")


class ChenFigure4(ChenFigure):
    """Overall and targeted recall."""

    name: ClassVar[str] = "chen-figure4"
    summary: ClassVar[str] = "Figure 4: recall of related-item lists."
    compared: ClassVar[tuple[str, ...]] = (NOISE, *PROTECTED)
    picked: ClassVar[dict[str, tuple[str, int]]] = {
        "recall": ("", 3),
        "targeted": (", targeted", 3),
    }
    y_name: ClassVar[str] = "overall recall"
    paper_note: ClassVar[str] = (
        "The paper finds high recall for suppression and permutation in all cases, higher for "
        "permutation than for suppression, and far lower for noise. Recall is the mean over "
        "releases."
    )


class ChenFigure5(ChenFigure):
    """How many entries the algorithms took out or moved."""

    name: ClassVar[str] = "chen-figure5"
    summary: ClassVar[str] = "Figure 5: entries of lists that were suppressed."
    compared: ClassVar[tuple[str, ...]] = PROTECTED
    picked: ClassVar[dict[str, tuple[str, int]]] = {
        "suppressed": ("", 0),
        "permuted": (", moved", 0),
        "filled": (", slots filled", 3),
    }
    y_name: ClassVar[str] = "entries suppressed"
    paper_note: ClassVar[str] = (
        "The paper finds that permutation suppresses fewer entries than suppression in all "
        "cases. Sums over all protected releases. `suppression` and `permutation` count all "
        "entries that they took out, including replacements that were taken out again; "
        "`constructive` counts entries of the raw lists that it does not show."
    )


class ChenFigure6(ChenFigure):
    """The worst breach, and how often guesses are right."""

    name: ClassVar[str] = "chen-figure6"
    summary: ClassVar[str] = "Figure 6: success of passive attacks on lists."
    compared: ClassVar[tuple[str, ...]] = (RAW, NOISE, *PROTECTED)
    picked: ClassVar[dict[str, tuple[str, int]]] = {
        "worst": ("", 3),
        "right": (", guesses right", 3),
        "guesses": (", guesses", 0),
    }
    y_name: ClassVar[str] = "worst breach"
    paper_note: ClassVar[str] = (
        "The paper finds a worst breach near 100 % with noise, and at most δ with its "
        "algorithms. A guess is right if the person rated the item between two releases; the "
        "adversary knows 20 items of the person and guesses items that entered or climbed in the "
        "lists of 2 of these."
    )


class ChenFigure7(ChenFigure):
    """CPU seconds of one release."""

    name: ClassVar[str] = "chen-figure7"
    summary: ClassVar[str] = "Figure 7: time to protect one release of lists."
    compared: ClassVar[tuple[str, ...]] = PROTECTED
    picked: ClassVar[dict[str, tuple[str, int]]] = {
        "protecting": (", s", 2),
        "verifying": (", verifying, s", 2),
        "ranking": (", ranking, s", 2),
    }
    y_name: ClassVar[str] = "CPU seconds of one release"
    paper_note: ClassVar[str] = (
        "The paper finds permutation at least twice as fast as suppression in most situations. "
        "Seconds are processor time over all threads, the mean over releases; the first run of "
        "each algorithm may include the time to compile it."
    )

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        """Compile what is not compiled yet, off the clock."""
        small = DataSet(
            "small", synthesize("ml-100k", users=60, items=60, ratings=1200, seed=1), ""
        )
        for what in self.compared:
            HistoryRuns(small, SILENT).run(HistorySetting.of("0.5", 1), what)
        return super().run(data, progress)


def _picture(study: ChenFigure, start: str, name: str, rows: Sequence[tuple[Cell, ...]]) -> Picture:
    points = [row for row in rows if row[0] == start and row[1] == SHOWN[name]]
    lines = tuple(
        (what, tuple((float(str(row[2])), _number(row[3 + at])) for row in points))
        for at, what in enumerate(study.compared)
    )
    x_name = f"{SHOWN[name]}, first release at {100 * float(start):.0f} %"
    return Picture("lines", x_name, study.y_name, lines)


def _number(cell: Cell) -> float:
    return 0.0 if cell is None else float(cell)
