"""Studies `casino-figure3` and `casino-figure4`: the two tables of Casino et al. as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from recloak.progress import SILENT, Progress
from recloak.studies.base import Cell, Column, Measured, Outcome, Picture
from recloak.studies.casino import CLIPS, DIRECTION, CasinoStudy, Table1, Table2
from recloak.studies.data import DataSet


class Figure3(CasinoStudy):
    """Loss and risk of both methods by their one parameter, on MovieLens 100k."""

    name: ClassVar[str] = "casino-figure3"
    summary: ClassVar[str] = "Figure 3: loss and risk by k and by σ."
    data_sets: ClassVar[tuple[str, ...]] = ("ml-100k",)

    def run(self, data: DataSet, progress: Progress = SILENT) -> Outcome:
        groups = Table1(seeds=self.parameters.seeds).run(data, progress)
        noise = Table2(seeds=self.parameters.seeds).run(data, progress)
        rows = [
            ("k", row[0], row[1], *_cells(groups, row, ("SSE, mdav", "risk, %, mdav")), row[-1])
            for row in groups.rows
        ]
        twice = ("SSE, clipped twice", "risk, %, clipped twice")
        rows += [("σ", row[0], row[1], *_cells(noise, row, twice), row[-1]) for row in noise.rows]
        columns = [Column("parameter"), Column("value"), Column("SSE, paper", 0)]
        columns += [Column("SSE", 1), Column("risk, %", 2), Column("risk, %, paper", 2)]
        pictures = [
            _picture(groups, "k", {"ours": "SSE, mdav", "paper": "SSE, paper"}, "SSE"),
            _picture(groups, "k", {"ours": "risk, %, mdav", "paper": "risk, %, paper"}, "risk, %"),
            _picture(noise, "σ", {"ours": twice[0], "paper": "SSE, paper"}, "SSE"),
            _picture(noise, "σ", {"ours": twice[1], "paper": "risk, %, paper"}, "risk, %"),
        ]
        return self.outcome(data, columns, rows, pictures, [DIRECTION, CLIPS])


class Figure4(Figure3):
    """The same on Jester."""

    name: ClassVar[str] = "casino-figure4"
    summary: ClassVar[str] = "Figure 4: loss and risk by k and by σ, on Jester."
    data_sets: ClassVar[tuple[str, ...]] = ("jester",)


def _cells(
    outcome: Outcome, row: Sequence[Cell | Measured], names: Sequence[str]
) -> list[Cell | Measured]:
    places = [column.name for column in outcome.columns]
    return [row[places.index(name)] for name in names]


def _picture(outcome: Outcome, parameter: str, lines: dict[str, str], height: str) -> Picture:
    series = []
    for name, column in lines.items():
        points = []
        for row in outcome.rows:
            (cell,) = _cells(outcome, row, [column])
            value = cell.mean if isinstance(cell, Measured) else cell
            if isinstance(value, int | float):
                points.append((float(str(row[0])), float(value)))
        series.append((name, tuple(points)))
    return Picture("lines", parameter, height, tuple(series))
