"""Study `stronger-table`: one row, the same again, and many rows, beside a prototype's figures."""

from __future__ import annotations

from typing import ClassVar

from recloak.core.progress import SILENT, Progress
from recloak.evaluation.findings import Finding
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves._attacks import over_seeds
from recloak.studies.stronger import LEVELS, NEARLY_ALL, PROTOCOL, HalfSplit, StrongerStudy

KNOWN = ((5, 0.0), (20, 0.0), (20, 0.2), (40, 0.0))  # ratings, and the share of them wrong
FIGURES = ("gain_original", "gain_single", "gain_repeated", "gain", "item_precision")
RATES = ("success_single", "success")
# A prototype on ml-1m, one split and 800 attacks: the figures above, by fragments and known.
PROTOTYPE: dict[tuple[float, int], tuple[float, ...]] = {
    (4.74, 5): (132, 41, 42, 49, 0.89),
    (4.74, 20): (148, 54, 70, 102, 0.96),
    (4.74, 40): (152, 67, 91, 132, 0.99),
    (10.53, 5): (132, 18, 19, 22, 0.80),
    (10.53, 20): (148, 32, 40, 65, 0.94),
    (10.53, 40): (152, 41, 61, 101, 0.97),
    (18.95, 5): (132, 8.6, 8.8, 8.3, 0.78),
    (18.95, 20): (148, 16, 21, 37, 0.91),
    (18.95, 40): (152, 24, 36, 71, 0.94),
}
PROTOTYPE_RATES = {4.74: (0.875, 0.998), 10.53: (0.740, 0.989), 18.95: (0.609, 0.968)}


TableFindings = dict[tuple[float, int, float], list[Finding]]
"""What was found for each seed, by fragments, known ratings and the share of them wrong."""


class AdversaryTable(StrongerStudy):
    """Gain and success of three adversaries against the paper's fragmentation."""

    name: ClassVar[str] = "stronger-table"
    summary: ClassVar[str] = "A stronger adversary: one row, the same again, many rows."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        found: TableFindings = {}
        for seed in range(self.parameters.seeds):
            split = HalfSplit(data.ratings, seed)
            for fragments in LEVELS:
                context = split.context(progress, fragments=fragments, training="paper")
                for known, wrong in KNOWN:
                    spec = f"scoreboard-multi:known={known},wrong={wrong},{NEARLY_ALL}"
                    here = found.setdefault((fragments, known, wrong), [])
                    here.append(split.attacked(context, spec, progress))
        return self.result_of(data, found)

    def result_of(self, data: DataSet, found: TableFindings) -> StudyResult:
        """The table of what was found."""
        rows = [_row(at, findings, data) for at, findings in found.items()]
        return self.result(data, _COLUMNS, rows, [_picture(found)], [PROTOCOL, _NOTE])


_NAMES = ("unfragmented", "one row", "repeated", "many rows", "precision")
_COLUMNS = (
    Column("fragments per person", 2),
    Column("known"),
    Column("of them wrong", 1),
    *(
        Column(f"{name}{by}", 2 if name == "precision" else 1)
        for name in _NAMES
        for by in ("", ", prototype")
    ),
    *(
        Column(f"success, {name}{by}")
        for name in ("one row", "many rows")
        for by in ("", ", prototype")
    ),
)
_NOTE = (
    "Gain: true further items, on average over all attacks. One row: Scoreboard-RH, the paper's "
    "adversary. Repeated: the same attack again with the remaining known ratings. Many rows: "
    "`scoreboard-multi`. A wrong rating is off by one step, and the adversary does not know "
    "which ones are wrong. Fragments are made by features whose training stops as early as the "
    "paper's. The prototype had one split of ml-1m and 800 attacks."
)


def _row(
    at: tuple[float, int, float], findings: list[Finding], data: DataSet
) -> tuple[Cell | Measured, ...]:
    fragments, known, wrong = at
    compared = data.name == "ml-1m" and not wrong
    gains = PROTOTYPE[fragments, known] if compared else (None,) * len(FIGURES)
    rates = PROTOTYPE_RATES[fragments] if compared and known == 20 else (None, None)
    cells: list[Cell | Measured] = [*at]
    for figure, theirs in zip((*FIGURES, *RATES), (*gains, *rates), strict=True):
        cells += [over_seeds(findings, figure), theirs if theirs is None else float(theirs)]
    return tuple(cells)


def _picture(found: TableFindings) -> Picture:
    groups = tuple(f"{fragments:g} fragments" for fragments in LEVELS)
    bars = []
    for figure, name in zip(FIGURES[:4], _NAMES, strict=False):
        means = [over_seeds(found[fragments, 20, 0.0], figure) for fragments in LEVELS]
        points = tuple((float(at), one.mean) for at, one in enumerate(means) if one)
        bars.append((f"{name}, 20 known", points))
    return Picture("bars", "", "true further items", tuple(bars), groups)
