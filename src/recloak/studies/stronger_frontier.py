"""Study `stronger-frontier`: countermeasures, by what they leave of use and what they give away."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from recloak.findings import Finding
from recloak.measures import measure
from recloak.progress import SILENT, Progress
from recloak.scene import Scene
from recloak.shadows import rehearsed
from recloak.studies.base import Cell, Column, Measured, Outcome, Picture
from recloak.studies.data import DataSet
from recloak.studies.goncalves_attacks import over_seeds
from recloak.studies.stronger import LEVELS, NEARLY_ALL, PROTOCOL, Duel, StrongerStudy

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


class Frontier(StrongerStudy):
    """Use and gain of the paper's cut, of a cap on its fragments, and of a shared cut."""

    name: ClassVar[str] = "stronger-frontier"
    summary: ClassVar[str] = "Countermeasures: utility against what many rows give away."

    def run(self, data: DataSet, progress: Progress = SILENT) -> Outcome:
        found: dict[tuple[str, float], list[list[Finding]]] = {}
        for seed in range(self.parameters.seeds):
            duel, shared = Duel(data.ratings, seed), dict[tuple[str, str], Any]()
            for name, given in VARIANTS.items():
                for level in LEVELS:
                    recipe = {**given, "fragments": level}
                    linked = seed == 0 and level == LINKED_AT
                    ran = findings_of(duel, recipe, shared, linked, progress)
                    found.setdefault((name, level), []).append(ran)
        return self.told(data, found)

    def told(self, data: DataSet, found: dict[tuple[str, float], list[list[Finding]]]) -> Outcome:
        """The table of what was found, for each seed, by release."""
        rows = [_row(*at, ran) for at, ran in found.items()]
        pictures = [_picture(rows, at) for at in (_MULTI_AT, _SINGLE_AT)]
        return self.outcome(data, _COLUMNS, rows, pictures, [PROTOCOL, _NOTE])


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
    "Gain: true further items that 20 known ratings lead to. μ: Tailoring Utility of a release of "
    "the attacked half, a tenth of whose ratings was held out first. Linked at first try: how "
    "often the row that looks most like another one is of the same person, without knowing "
    "anything about them (`fragment-linking`, at one level and with the first seed; "
    "`stronger-linking` has more). In the charts, further right is more "
    "use, lower is less given away."
)


def findings_of(
    duel: Duel,
    recipe: dict[str, Any],
    shared: dict[tuple[str, str], Any],
    linked: bool,
    progress: Progress,
) -> list[Finding]:
    """What many rows give away, what is left of use, and, if asked for, how rows are linked."""
    scene = duel.scene(progress, **recipe)
    found = [duel.attacked(scene, MULTI, progress), _utility(duel, recipe, shared, progress)]
    return [*found, duel.attacked(scene, LINKING, progress)] if linked else found


def _utility(
    duel: Duel, recipe: dict[str, Any], shared: dict[tuple[str, str], Any], progress: Progress
) -> Finding:
    """μ of a rehearsal; what was trained on the original serves all releases of a split."""
    original = duel.theirs
    made = duel.recipe("rehearsal", progress, **recipe)
    shadow = rehearsed(original, made, duel.seed, progress)
    shadow.models.update(shared)
    scene = Scene(original, shadow.released, shadow.linkage, shadow.item_in_release, shadow)
    finding = measure(UTILITY).run(scene, duel.seed, progress)
    shared.update({key: model for key, model in shadow.models.items() if key[1] == "original"})
    return finding


def _row(name: str, level: float, ran: list[list[Finding]]) -> tuple[Cell | Measured, ...]:
    many, utility = ([one[at] for one in ran] for at in (0, 1))
    linking = [one[2] for one in ran if len(one) > 2]
    told = [over_seeds(many, figure) for figure in FIGURES]
    linked = [over_seeds(linking, figure) for figure in ("top1", "top1_random")]
    return (name, level, over_seeds(utility, "mu"), *told, *linked)


def _picture(rows: list[tuple[Cell | Measured, ...]], height: int) -> Picture:
    series = []
    for name in VARIANTS:
        points = [(row[_MU_AT], row[height]) for row in rows if row[0] == name]
        told = [
            (x.mean, y.mean)
            for x, y in points
            if isinstance(x, Measured) and isinstance(y, Measured)
        ]
        series.append((name, tuple(sorted(told))))
    places = [x for _, points in series for x, _ in points]
    ticks = np.arange(np.floor(min(places) / TICK), np.ceil(max(places) / TICK) + 1) * TICK
    shown = tuple(round(float(one), 4) for one in ticks)
    return Picture("lines", "μ", _COLUMNS[height].name, tuple(series), x_ticks=shown)


def _mean(cell: Cell | Measured) -> float:
    return cell.mean if isinstance(cell, Measured) else 0.0
