"""Studies `casino-figure3` and `casino-figure4`: the two tables of Casino et al. as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from recloak.core.progress import SILENT, Progress
from recloak.methods import Method
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.casino import (
    CLIPS,
    DIRECTION,
    ORACLE,
    PARTS,
    CasinoStudy,
    CasinoTable1,
    CasinoTable2,
    figures_over_seeds,
    groups,
    in_units,
    kind_of,
    noise,
    percent,
)
from recloak.studies.data import DataSet


class CasinoFigure3(CasinoStudy):
    """Loss and risk of both methods by their one parameter, on MovieLens 100k."""

    name: ClassVar[str] = "casino-figure3"
    summary: ClassVar[str] = "Figure 3: loss and risk by k and by σ."
    data_sets: ClassVar[tuple[str, ...]] = ("ml-100k",)

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        groups = CasinoTable1(seeds=self.parameters.seeds).run(data, progress)
        noise = CasinoTable2(seeds=self.parameters.seeds).run(data, progress)
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
        return self.result(data, columns, rows, pictures, [DIRECTION, CLIPS])


class CasinoFigure4(CasinoFigure3):
    """The same on Jester."""

    name: ClassVar[str] = "casino-figure4"
    summary: ClassVar[str] = "Figure 4: loss and risk by k and by σ, on Jester."
    data_sets: ClassVar[tuple[str, ...]] = ("jester",)


def _cells(
    result: StudyResult, row: Sequence[Cell | Measured], names: Sequence[str]
) -> list[Cell | Measured]:
    places = [column.name for column in result.columns]
    return [row[places.index(name)] for name in names]


def _picture(result: StudyResult, parameter: str, lines: dict[str, str], height: str) -> Picture:
    series = []
    for name, column in lines.items():
        points = []
        for row in result.rows:
            (cell,) = _cells(result, row, [column])
            value = cell.mean if isinstance(cell, Measured) else cell
            if isinstance(value, int | float):
                points.append((float(str(row[0])), float(value)))
        series.append((name, tuple(points)))
    return Picture("lines", parameter, height, tuple(series))


# What Table 3 compares: at about the same risk, k and σ, MAE and its share of the scale.
EQUAL = {"ml-100k": (10, 4.0), "jester": (9, 2.5)}
PAPER = {"ml-100k": ((0.89, 22.25), (1.08, 27.0)), "jester": ((2.91, 14.55), (6.50, 32.5))}
SOME_SIZES = (2, 3, 5, 10, 25, 50, 100, 200)
SOME_SIGMAS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 20.0)
SPECS = ["distortion", "neighbour-prediction", ORACLE]
SPLIT = (
    "A random fifth of the items is predicted: the prediction is the value of the released row "
    "that is nearest to the person's original row on the other items. The paper does not give "
    "its split, so only the order of magnitude can be compared. The row may be the person's own "
    "or their group's: this is no test on unseen ratings. For comparison: always the middle of "
    "the scale, and the item's mean."
)


class CasinoTable3(CasinoStudy):
    """Prediction error at about equal risk."""

    name: ClassVar[str] = "casino-table3"
    summary: ClassVar[str] = "Table 3: prediction error of groups and of noise at equal risk."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        kind, seeds = kind_of(data), range(self.parameters.seeds)
        k, sigma = EQUAL[kind]
        compared: list[tuple[str, Method, tuple[float, float] | tuple[None, None]]] = [
            (f"mdav, k = {k}", groups(k), PAPER[kind][0]),
            (f"refined, k = {k}", groups(k, "refined"), (None, None)),
            (f"noise as the paper, σ = {sigma:g}", noise(sigma, "paper"), PAPER[kind][1]),
            (f"noise, σ = {sigma:g}", noise(sigma, "once"), (None, None)),
        ]
        rows: list[tuple[Cell | Measured, ...]] = []
        for name, recipe, paper in compared:
            found = figures_over_seeds(data, recipe, SPECS, seeds, progress)
            cells = [found["mae"], percent(found["mae_share"]), percent(found["success_first"])]
            rows.append((name, *cells, *paper))
        rows += [
            (label, found[figure], None, None, None, None)
            for label, figure in (
                ("always the middle", "mae_midpoint"),
                ("item mean", "mae_item_mean"),
            )
        ]
        columns = [Column("method"), Column("MAE"), Column("MAE, % of the range", 2)]
        columns += [Column("risk, %", 2), Column("MAE, paper", 2), Column("% of range, paper", 2)]
        bars = tuple(
            (float(at), cell.mean)
            for at, (_, cell, *_) in enumerate(rows)
            if isinstance(cell, Measured)
        )
        names = tuple(str(row[0]) for row in rows)
        picture = Picture("bars", "", "MAE", (("MAE", bars),), names)
        notes = [SPLIT, CLIPS, *([PARTS] if kind == "jester" else [])]
        return self.result(data, columns, rows, [picture], notes)


class CasinoFigure6(CasinoStudy):
    """Loss by risk, of groups and of noise."""

    name: ClassVar[str] = "casino-figure6"
    summary: ClassVar[str] = "Figure 6: squared error by risk, groups against noise."
    figure: ClassVar[str] = "sse"
    shown: ClassVar[str] = "squared error"

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        seeds = range(self.parameters.seeds)
        rows: list[tuple[Cell | Measured, ...]] = []
        lines: dict[str, list[tuple[float, float]]] = {}
        for family, setting, recipe in _settings(data):
            drawn = seeds if "noise" in family else [0]
            found = figures_over_seeds(data, recipe, SPECS, drawn, progress)
            risk, height = percent(found["success_first"]), found[self.figure]
            if self.figure == "sse":
                height = in_units(height, data)
            rows.append((family, setting, risk, height))
            lines.setdefault(family, []).append((risk.mean, height.mean))
        columns = [Column("method"), Column("setting"), Column("risk, %", 2), Column(self.shown)]
        series = tuple((name, tuple(sorted(points))) for name, points in lines.items())
        picture = Picture("lines", "re-identified, %", self.shown, series)
        notes = [DIRECTION, SPLIT if self.figure == "mae" else CLIPS]
        return self.result(data, columns, rows, [picture], notes)


class CasinoFigure5(CasinoFigure6):
    """Prediction error by risk, of groups and of noise."""

    name: ClassVar[str] = "casino-figure5"
    summary: ClassVar[str] = "Figure 5: prediction error by risk, groups against noise."
    figure: ClassVar[str] = "mae"
    shown: ClassVar[str] = "MAE"


def _settings(data: DataSet) -> list[tuple[str, str, Method]]:
    sizes = [k for k in SOME_SIZES if k <= data.ratings.n_users]
    return [
        *((name, f"k = {k}", groups(k, name)) for name in ("mdav", "refined") for k in sizes),
        *(("noise as the paper", f"σ = {s:g}", noise(s, "paper")) for s in SOME_SIGMAS),
        *(("noise", f"σ = {s:g}", noise(s, "once")) for s in SOME_SIGMAS),
    ]
