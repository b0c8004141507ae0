"""Studies `goncalves-figure3`, `-figure5`, `-figure6`: what Scoreboard-RH finds and gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from recloak.attacks import attack
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Finding
from recloak.methods import Method
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves import LEVELS, GoncalvesStudy, SanitisedSets

SIZES = (2, 5, 10, 15, 20, 25, 30, 40, 50)
AS_PUBLISHED = "matching=values,identical=tie"
MAXIMA = f"scoreboard-rh:known=20,upto=25,{AS_PUBLISHED}"
# A prototype of the same rules on ml-1m, 20 items known, 800 attacks.
PROTOTYPE = {
    "success": (1.0, 0.955, 0.876, 0.746, 0.570, 0.445, 0.395, None),
    "gain": (144.5, 89.0, 60.0, 33.0, 16.0, 9.3, 5.5, None),
}
STATED = (
    "The paper gives these only as curves. In words: the original is re-identified at 100 %; "
    "success rises with the number of known items up to 20 to 25, and falls as the number of "
    "fragments grows. Inconclusive results approach 30 %, and 95 % for 2Dis, whose success is 3 "
    "to 9 % and whose gain is close to zero."
)
RULES = (
    "Attacks as the paper runs them: ratings must match exactly, two rows with the same best "
    "score are inconclusive, eccentricity above 1.5; a person with enough ratings is drawn at "
    "random for each attack, until every rate is known to ±2 %."
)

TRAININGS = (
    "Fragments are made by features that were trained as early as the paper stops, and by "
    "well-trained ones ('full training'). The latter make fragments of more even sizes, so that "
    "a row that is found reveals less."
)

Findings = dict[str, list[list[Finding]]]


def attacked(sets: SanitisedSets, specs: Sequence[str], seeds: int, progress: Progress) -> Findings:
    """For each level, for each attack, a finding for each seed."""
    data = sets.data
    found: Findings = {level: [[] for _ in specs] for level in sets.levels}
    for seed in range(seeds):
        features = sets.features(data.ratings, seed, progress)
        for level, recipe in sets.methods(features):
            context = context_of(data.ratings, recipe, seed, progress)
            for at, spec in enumerate(specs):
                found[level][at].append(attack(spec).run(context, seed, progress))
    return found


def context_of(original: Ratings, recipe: Method, seed: int, progress: Progress) -> AuditContext:
    """The release of ``recipe`` before an attacker, its answers known."""
    applied = recipe.apply(original, Randomness.from_seed(seed), progress)
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    return AuditContext(
        original, rows, linkage, match_items(original, rows), release=applied.release
    )


def over_seeds(findings: Sequence[Finding], figure: str) -> Measured | None:
    """A figure's mean over the seeds; nothing if it was not measured."""
    values = [found.value for one in findings if (found := one.figure(figure)) is not None]
    return Measured.of(values) if values else None


class GoncalvesFigure3(GoncalvesStudy):
    """Success by the number of known items."""

    name: ClassVar[str] = "goncalves-figure3"
    summary: ClassVar[str] = "Figures 3 and 4: success of Scoreboard-RH by known items."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        whole = data.in_whole_stars
        specs = [f"scoreboard-rh:known={size},{AS_PUBLISHED}" for size in SIZES]
        sets = SanitisedSets(whole, "paper", self.levels)
        found = attacked(sets, specs, self.parameters.seeds, progress)
        table = {
            level: [over_seeds(one, "success") for one in by_attack]
            for level, by_attack in found.items()
        }
        rows: list[tuple[Cell | Measured, ...]] = [
            (level, *cells) for level, cells in table.items()
        ]
        series = tuple(
            (level, tuple((float(size), one.mean) for size, one in _measured(cells)))
            for level, cells in table.items()
        )
        picture = Picture("lines", "items known", "success", series)
        columns = [Column("data set"), *(Column(f"{size} known", 3) for size in SIZES)]
        return self.result(whole, columns, rows, [picture], [RULES, STATED, _SKEW, _EARLY])


_SKEW = (
    "People with fewer ratings than are known cannot be drawn: towards the right the figures are "
    "about people with longer and longer rows, which are split into more fragments. A dash: "
    "nobody has so many ratings."
)
_EARLY = "Fragments are made by features that were trained as early as the paper stops."


def _measured(table: Sequence[Measured | None]) -> list[tuple[int, Measured]]:
    return [(size, one) for size, one in zip(SIZES, table, strict=True) if one is not None]


class GoncalvesFigure5(GoncalvesStudy):
    """Success, inconclusive and wrong at 20 to 25 known items."""

    name: ClassVar[str] = "goncalves-figure5"
    summary: ClassVar[str] = "Figure 5: results of Scoreboard-RH at 20 to 25 known items."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        whole = data.in_whole_stars
        early, full = self.both(whole, progress)
        rows: list[tuple[Cell | Measured, ...]] = []
        for level in self.levels:
            prototype = PROTOTYPE["success"][LEVELS.index(level)]
            results = [over_seeds(early[level][0], kind) for kind in _KINDS]
            well = [over_seeds(full[level][0], kind) for kind in _KINDS]
            rows.append((level, *results, *well, prototype if whole.name == "ml-1m" else None))
        series = tuple((kind, _bars(early, kind)) for kind in _KINDS)
        columns = [Column("data set"), *map(Column, _KINDS)]
        columns += [Column(f"{kind}, full training") for kind in _KINDS]
        columns += [Column("success, prototype, 20 known")]
        picture = Picture("bars", "", "share of attacks", series, self.levels)
        return self.result(whole, columns, rows, [picture], [RULES, STATED, TRAININGS])

    def both(self, data: DataSet, progress: Progress) -> tuple[Findings, Findings]:
        """Attacks on fragments by the paper's features, and by well-trained ones."""
        seeds = self.parameters.seeds
        early = attacked(SanitisedSets(data, "paper", self.levels), [MAXIMA], seeds, progress)
        torn = tuple(level for level in self.levels if level.startswith("Frag"))
        full = attacked(SanitisedSets(data, "full", torn), [MAXIMA], seeds, progress)
        return early, {level: full.get(level, early[level]) for level in self.levels}


_KINDS = ("success", "inconclusive", "wrong")


class GoncalvesFigure6(GoncalvesFigure5):
    """Adversary Gain at 20 to 25 known items."""

    name: ClassVar[str] = "goncalves-figure6"
    summary: ClassVar[str] = "Figure 6: Adversary Gain at 20 to 25 known items."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        whole = data.in_whole_stars
        early, full = self.both(whole, progress)
        rows: list[tuple[Cell | Measured, ...]] = []
        for level in self.levels:
            prototype = PROTOTYPE["gain"][LEVELS.index(level)]
            cells = [part for found in (early, full) for part in _gain(found, level)]
            rows.append((level, *cells, prototype if whole.name == "ml-1m" else None))
        columns = [Column("data set"), Column("gain", 2), Column("of the original's, %", 1)]
        columns += [Column("gain, full training", 2), Column("of the original's, full, %", 1)]
        columns += [Column("gain, prototype, 20 known", 1)]
        bars = (
            ("gain", _bars(early, "gain")),
            ("gain, full training", _bars(full, "gain")),
        )
        picture = Picture("bars", "", "items gained", bars, self.levels)
        return self.result(whole, columns, rows, [picture], [RULES, STATED, TRAININGS])


def _gain(found: Findings, level: str) -> tuple[Measured | None, float | None]:
    """The gain, and its share of what the unprotected data give."""
    gain, first = (over_seeds(found[one][0], "gain") for one in (level, "Original"))
    share = 100 * gain.mean / first.mean if gain and first and first.mean else None
    return gain, share


def _bars(found: Findings, figure: str) -> tuple[tuple[float, float], ...]:
    measured = [over_seeds(one[0], figure) for one in found.values()]
    return tuple((float(at), one.mean) for at, one in enumerate(measured) if one is not None)
