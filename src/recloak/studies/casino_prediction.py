"""Studies `casino-table3`, `-figure5`, `-figure6`: prediction error and loss at equal risk."""

from __future__ import annotations

from typing import ClassVar

from recloak.methods import Method
from recloak.progress import SILENT, Progress
from recloak.studies.base import Cell, Column, Measured, Outcome, Picture
from recloak.studies.casino import (
    CLIPS,
    DIRECTION,
    ORACLE,
    PARTS,
    CasinoStudy,
    groups,
    in_units,
    kind_of,
    noise,
    percent,
    ran,
)
from recloak.studies.data import DataSet

# What Table 3 compares: at about the same risk, k and σ, MAE and its share of the scale.
EQUAL = {"ml-100k": (10, 4.0), "jester": (9, 2.5)}
PAPER = {"ml-100k": ((0.89, 22.25), (1.08, 27.0)), "jester": ((2.91, 14.55), (6.50, 32.5))}
SOME_SIZES = (2, 3, 5, 10, 25, 50, 100, 200)
SOME_SIGMAS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 20.0)
SPECS = ["distortion", "neighbour-prediction", ORACLE]
SPLIT = (
    "A random fifth of the items is predicted: the released row nearest to a person's original one "
    "on the other items says what it has on these. The paper does not give its split, so only the "
    "region can be compared. The row may be the person's own or their group's: this is no test on "
    "unseen ratings. Beside it: always the middle of the scale, and the item's mean."
)


class Table3(CasinoStudy):
    """Prediction error at about equal risk."""

    name: ClassVar[str] = "casino-table3"
    summary: ClassVar[str] = "Table 3: prediction error of groups and of noise at equal risk."

    def run(self, data: DataSet, progress: Progress = SILENT) -> Outcome:
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
            found = ran(data, recipe, SPECS, seeds, progress)
            told = [found["mae"], percent(found["mae_share"]), percent(found["success_first"])]
            rows.append((name, *told, *paper))
        rows += [
            (said, found[figure], None, None, None, None)
            for said, figure in (
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
        return self.outcome(data, columns, rows, [picture], notes)


class Figure6(CasinoStudy):
    """Loss by risk, of groups and of noise."""

    name: ClassVar[str] = "casino-figure6"
    summary: ClassVar[str] = "Figure 6: squared error by risk, groups against noise."
    figure: ClassVar[str] = "sse"
    shown: ClassVar[str] = "squared error"

    def run(self, data: DataSet, progress: Progress = SILENT) -> Outcome:
        seeds = range(self.parameters.seeds)
        rows: list[tuple[Cell | Measured, ...]] = []
        lines: dict[str, list[tuple[float, float]]] = {}
        for family, setting, recipe in _settings(data):
            drawn = seeds if "noise" in family else [0]
            found = ran(data, recipe, SPECS, drawn, progress)
            risk, height = percent(found["success_first"]), found[self.figure]
            if self.figure == "sse":
                height = in_units(height, data)
            rows.append((family, setting, risk, height))
            lines.setdefault(family, []).append((risk.mean, height.mean))
        columns = [Column("method"), Column("setting"), Column("risk, %", 2), Column(self.shown)]
        series = tuple((name, tuple(sorted(points))) for name, points in lines.items())
        picture = Picture("lines", "re-identified, %", self.shown, series)
        notes = [DIRECTION, SPLIT if self.figure == "mae" else CLIPS]
        return self.outcome(data, columns, rows, [picture], notes)


class Figure5(Figure6):
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
