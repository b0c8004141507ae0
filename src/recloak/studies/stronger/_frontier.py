"""Study `stronger-frontier`: countermeasures, by what they leave of use and what they give away."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from recloak.auditing.rehearsal import rehearsed
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves._attacks import over_seeds
from recloak.studies.stronger import LEVELS, NEARLY_ALL, PROTOCOL, HalfSplit, StrongerStudy

KNOWN = 20
MULTI = f"scoreboard-multi:known={KNOWN},{NEARLY_ALL},at-least=1000"
LINKING = f"fragment-linking:rows=400,{NEARLY_ALL}"
UTILITY = "tailoring-utility:recombine=no"
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "cap 1.25": {"max_share": 1.25},
    "shared cut": {"cut": "shared"},
}
FIGURES = ("gain", "gain_single", "item_precision", "success", "success_single")
LINKED_AT = LEVELS[1]
TICK = 0.01  # of μ


class StrongerFrontier(StrongerStudy):
    """Use and gain of the paper's cut, of a cap on its fragments, and of a shared cut."""

    name: ClassVar[str] = "stronger-frontier"
    summary: ClassVar[str] = "Countermeasures: utility against what many rows give away."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        found: dict[tuple[str, float], list[list[Finding]]] = {}
        for seed in range(self.parameters.seeds):
            split, shared = HalfSplit(data.ratings, seed), dict[tuple[str, str], Any]()
            for name, given in VARIANTS.items():
                for level in LEVELS:
                    recipe = {**given, "fragments": level}
                    linked = seed == 0 and level == LINKED_AT
                    findings = findings_of(split, recipe, shared, linked, progress)
                    found.setdefault((name, level), []).append(findings)
        return self.result_of(data, found)

    def result_of(
        self, data: DataSet, found: dict[tuple[str, float], list[list[Finding]]]
    ) -> StudyResult:
        """The table of what was found, for each seed, by release."""
        rows = [_row(*at, findings) for at, findings in found.items()]
        pictures = [_picture(rows, at) for at in (_MULTI_AT, _SINGLE_AT)]
        return self.result(data, _COLUMNS, rows, pictures, [PROTOCOL, _NOTE])


_COLUMNS = (
    Column("release"),
    Column("fragments per person", 2),
    Column("μ", 4),
    Column("gain, many rows", 1),
    Column("gain, one row", 1),
    Column("precision, many rows", 2),
    Column("success, many rows"),
    Column("success, one row"),
    Column("linked at first try"),
    Column("by chance", 4),
)
_MU_AT, _MULTI_AT, _SINGLE_AT = 2, 3, 4
_NOTE = (
    "Gain: true further items that 20 known ratings lead to. μ: Tailoring Utility of a release "
    "of the attacked half, a tenth of whose ratings was held out first. Linked at first try: how "
    "often the row most similar to another one belongs to the same person, without knowing "
    "anything about them (`fragment-linking`, at one level and with the first seed; "
    "`stronger-linking` has more). In the charts, points further right keep more utility, and "
    "lower points reveal less."
)


def findings_of(
    split: HalfSplit,
    recipe: dict[str, Any],
    shared: dict[tuple[str, str], Any],
    linked: bool,
    progress: Progress,
) -> list[Finding]:
    """What many rows give away, what is left of use, and, if asked for, how rows are linked."""
    context = split.context(progress, **recipe)
    found = [split.attacked(context, MULTI, progress), _utility(split, recipe, shared, progress)]
    return [*found, split.attacked(context, LINKING, progress)] if linked else found


def _utility(
    split: HalfSplit, recipe: dict[str, Any], shared: dict[tuple[str, str], Any], progress: Progress
) -> Finding:
    """μ of a rehearsal; what was trained on the original serves all releases of a split."""
    original = split.theirs
    made = split.recipe("rehearsal", progress, **recipe)
    rehearsal = rehearsed(original, made, split.seed, progress)
    rehearsal.models.update(shared)
    context = AuditContext(
        original, rehearsal.released, rehearsal.linkage, rehearsal.item_in_release, rehearsal
    )
    finding = measure(UTILITY).run(context, split.seed, progress)
    shared.update({key: model for key, model in rehearsal.models.items() if key[1] == "original"})
    return finding


def _row(name: str, level: float, findings: list[list[Finding]]) -> tuple[Cell | Measured, ...]:
    many, utility = ([one[at] for one in findings] for at in (0, 1))
    linking = [one[2] for one in findings if len(one) > 2]
    result_of = [over_seeds(many, figure) for figure in FIGURES]
    linked = [over_seeds(linking, figure) for figure in ("top1", "top1_random")]
    return (name, level, over_seeds(utility, "mu"), *result_of, *linked)


def _picture(rows: list[tuple[Cell | Measured, ...]], height: int) -> Picture:
    series = []
    for name in VARIANTS:
        points = [(row[_MU_AT], row[height]) for row in rows if row[0] == name]
        result_of = [
            (x.mean, y.mean)
            for x, y in points
            if isinstance(x, Measured) and isinstance(y, Measured)
        ]
        series.append((name, tuple(sorted(result_of))))
    places = [x for _, points in series for x, _ in points]
    ticks = np.arange(np.floor(min(places) / TICK), np.ceil(max(places) / TICK) + 1) * TICK
    shown = tuple(round(float(one), 4) for one in ticks)
    return Picture("lines", "μ", _COLUMNS[height].name, tuple(series), x_ticks=shown)
