"""Study `stronger-linking`: rows of one person found by their looks, times or item features."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.findings import Finding
from recloak.studies.base import Cell, Column, Measured, Picture, StudyParameters, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves._attacks import over_seeds
from recloak.studies.stronger import LEVELS, NEARLY_ALL, PROTOCOL, HalfSplit, StrongerStudy

MIDDLE = LEVELS[1]
SPEC = f"fragment-linking:rows=400,{NEARLY_ALL}"
_ALONE, _FACTORS, _TIMES = "the release alone", "item features known", "times to the second"
# What the prototype found on ml-1m: as they are, with known features and with times.
PROTOTYPE = {
    _ALONE: {4.74: "0.13", 10.53: "0.065", 18.95: "0.04"},
    _FACTORS: dict.fromkeys(LEVELS, "0.27–0.65"),
    _TIMES: dict.fromkeys(LEVELS, "0.85–0.95"),
}
# Features that stop as early as the paper's are of rank 1: they place items on a line, and tell
# little to who knows them. Those of our default tell more.
CUTS: dict[str, dict[str, Any]] = {
    "paper": {"training": "paper"},
    "well-trained": {"training": "full"},
    "shared cut": {"cut": "shared"},
}


class LinkingParameters(StudyParameters):
    """How often, and for how many fragments per person."""

    levels: Literal["middle", "all"] = "all"
    """All three numbers of fragments, or 10.53 alone, which takes a third of the time."""


class Linking(StrongerStudy):
    """How often the best partner of a row is of the same person, by what is published."""

    name: ClassVar[str] = "stronger-linking"
    summary: ClassVar[str] = "Linking rows without knowing anybody."
    Parameters: ClassVar[type[Parameters]] = LinkingParameters
    parameters: LinkingParameters

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        found: dict[tuple[str, float, str], list[Finding]] = {}
        for seed in range(self.parameters.seeds):
            split = HalfSplit(data.ratings, seed)
            for cut, given in CUTS.items():
                for level in LEVELS if self.parameters.levels == "all" else (MIDDLE,):
                    for what in PROTOTYPE:
                        if what != _TIMES or data.ratings.times is not None:
                            finding = finding_of(split, what, progress, fragments=level, **given)
                            found.setdefault((cut, level, what), []).append(finding)
        return self.result_of(data, found)

    def result_of(
        self, data: DataSet, found: dict[tuple[str, float, str], list[Finding]]
    ) -> StudyResult:
        """The table of what was found, for each seed, by cut and by what is published."""
        rows = [_row(*at, findings, data.name == "ml-1m") for at, findings in found.items()]
        return self.result(data, _COLUMNS, rows, [_picture(found)], [PROTOCOL, _NOTE])


_COLUMNS = (
    Column("cut"),
    Column("fragments per person", 2),
    Column("what is published"),
    Column("linked at first try"),
    Column("prototype"),
    Column("by chance", 4),
    Column("AUC"),
    Column("gain, joined", 1),
    Column("gain, one row", 1),
)
_FIGURES = ("top1_random", "auc", "gain_joined", "gain_single")
_NOTE = (
    "Linked at first try: the share of rows whose best partner is of the same person. Gain: true "
    "further items from a row that Scoreboard-RH names with 20 known ratings, alone and with the "
    "rows that probably belong to it. No release of recloak has item features or times to the "
    "second; these lines of the table show why."
)


def finding_of(split: HalfSplit, what: str, progress: Progress, **given: Any) -> Finding:
    """The attack on a release of which this is published."""
    context = split.context(progress, timed=what == _TIMES, **given)
    return split.attacked(context, f"{SPEC},factors=known" if what == _FACTORS else SPEC, progress)


def _row(
    cut: str, level: float, what: str, findings: list[Finding], real: bool
) -> tuple[Cell | Measured, ...]:
    theirs = PROTOTYPE[what][level] if real and cut != "shared cut" else None
    result_of = [over_seeds(findings, figure) for figure in _FIGURES]
    return (cut, level, what, over_seeds(findings, "top1"), theirs, *result_of)


def _picture(found: dict[tuple[str, float, str], list[Finding]]) -> Picture:
    groups = tuple(PROTOTYPE)
    series = []
    for cut in CUTS:
        means = [over_seeds(found.get((cut, MIDDLE, what), []), "top1") for what in groups]
        points = tuple((float(at), one.mean if one else 0.0) for at, one in enumerate(means))
        series.append((f"{cut}, {MIDDLE:g} fragments", points))
    return Picture("bars", "", "linked at first try", tuple(series), groups)
