"""Studies of Casino et al.: microaggregation against noise, in loss, risk and prediction error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from pydantic import Field

from recloak.attacks import attack
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Figure, Finding
from recloak.measures import measure
from recloak.methods import Method, method
from recloak.studies.base import (
    Cell,
    Column,
    Measured,
    Picture,
    Study,
    StudyParameters,
    StudyResult,
)
from recloak.studies.data import DataSet

REFERENCE = (
    "Casino, Domingo-Ferrer, Patsakis, Puig, Solanas: A k-Anonymous Approach to Privacy "
    "Preserving Collaborative Filtering. Journal of Computer and System Sciences 81(6), 2015."
)
SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 25, 50, 75, 100, 150, 200)
SIGMAS = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 10, 20, 40)
LAST_SIGMA = {"ml-100k": 100, "jester": 50}


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


# Sums of squared errors in thousands (MovieLens 100k) and millions (Jester), and % re-identified.
PAPER_GROUPS = {
    "ml-100k": {
        "sse": _numbers("64 87 99 105 110 114 117 119 120 130 134 136 136 138 139"),
        "risk": _numbers(
            "40.82 26.51 19.93 15.90 12.19 12.19 9.65 7.95 7.21 2.33 0.63 0.21 0.21 0.10 0.10"
        ),
    },
    "jester": {
        "sse": _numbers("25 37 44 48 52 54 57 58 60 69 73 75 76 77 78"),
        "risk": _numbers(
            "47.455 30.577 22.173 17.121 13.729 11.331 9.450 8 6.8 1.570 0.513 0.303 0.242 0.147 "
            "0.128"
        ),
    },
}
PAPER_NOISE = {
    "ml-100k": {
        "sse": _numbers("246 248 257 275 302 336 376 418 509 592 663 727 830 1078 1221 1294 1339"),
        "risk": _numbers(
            "100 100 98.51 89.28 68.50 50.58 44.53 27.99 18.76 10.49 8.58 7.21 4.24 1.40 0.42 0.31 "
            "0.10"
        ),
    },
    "jester": {
        "sse": _numbers("6 25 55 93 136 181 226 268 342 404 454 495 558 698 774 813 821"),
        "risk": _numbers(
            "99.873 95.298 78.270 58.528 42.056 30.221 22.030 15.759 8.127 4.193 2.255 1.301 0.463 "
            "0.036 0.006 0.001 0"
        ),
    },
}
UNIT = {"ml-100k": 1e3, "jester": 1e6}
PARTS = (
    "The paper's Jester is all three parts (73,421 people); ours is part 1 (24,983), so sums of "
    "squared errors are about a third of the paper's; compare shares of the total instead."
)
DIRECTION = (
    "Risk is the share of people for whom the released row nearest to their original row is "
    "their own; of equally near rows the first counts. The paper's figures use this direction, "
    "though its text describes the opposite one. In the fair count a tie of k identical rows is "
    "a k-th of a success."
)
ORACLE = "record-linkage:oracle=to-release,targets=1000000"


class CasinoParameters(StudyParameters):
    """How often noise is drawn."""

    seeds: int = Field(default=3, ge=1, le=100)
    """Number of runs of everything that draws noise; the paper averages 50."""


class CasinoStudy(Study):
    """A study of this paper."""

    reference: ClassVar[str] = REFERENCE
    data_sets: ClassVar[tuple[str, ...]] = ("ml-100k", "jester")
    Parameters: ClassVar[type[Parameters]] = CasinoParameters
    parameters: CasinoParameters


def kind_of(data: DataSet) -> str:
    """Which of the paper's two data sets to hold the figures against."""
    return "jester" if "jester" in data.name else "ml-100k"


def context_of(data: DataSet, recipe: Method, seed: int, progress: Progress) -> AuditContext:
    """A release before attackers and measures, its answers known."""
    applied = recipe.apply(data.ratings, Randomness.from_seed(seed), progress)
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(data.ratings, rows)
    items = match_items(data.ratings, rows)
    return AuditContext(data.ratings, rows, linkage, items, release=applied.release)


def figures_over_seeds(
    data: DataSet, recipe: Method, specs: Sequence[str], seeds: Iterable[int], progress: Progress
) -> dict[str, Measured]:
    """Every figure of these attacks and measures on releases of ``recipe``, over the seeds."""
    return figures_of_recipes(data, [recipe], specs, seeds, progress)[0]


def figures_of_recipes(
    data: DataSet,
    recipes: Sequence[Method],
    specs: Sequence[str],
    seeds: Iterable[int],
    progress: Progress,
) -> list[dict[str, Measured]]:
    """The same for several recipes; releases that come out equal are attacked once."""
    found: list[dict[str, list[float]]] = [{} for _ in recipes]
    for seed in seeds:
        known: list[tuple[Ratings, list[Figure]]] = []
        for recipe, into in zip(recipes, found, strict=True):
            context = context_of(data, recipe, seed, progress)
            figures = next(
                (found_before for rows, found_before in known if rows.equals(context.rows)), None
            )
            if figures is None:
                figures = [one for spec in specs for one in _figures(spec, context, seed, progress)]
                known.append((context.rows, figures))
            for figure in figures:
                into.setdefault(figure.name, []).append(figure.value)
    return [{name: Measured.of(values) for name, values in one.items()} for one in found]


def _figures(spec: str, context: AuditContext, seed: int, progress: Progress) -> tuple[Figure, ...]:
    make: Any = attack if spec.startswith("record-linkage") else measure
    finding: Finding = make(spec).run(context, seed, progress)
    return finding.figures


def groups(k: int, clustering: str = "mdav") -> Method:
    """The paper's method, or our own groups."""
    return method("microaggregation", k=k, clustering=clustering)


def noise(sigma: float, clipping: str) -> Method:
    """Noise on every cell in standard deviations of its item; the paper clips twice."""
    return method("gaussian-noise", sigma=sigma, cells="all", clipping=clipping)


def in_units(one: Measured, data: DataSet) -> Measured:
    """Thousands for MovieLens, millions for Jester, as in the paper's tables."""
    unit = UNIT[kind_of(data)]
    return Measured(one.mean / unit, one.deviation / unit, one.runs)


def percent(one: Measured) -> Measured:
    """A share as a percentage."""
    return Measured(100 * one.mean, 100 * one.deviation, one.runs)


class CasinoTable1(CasinoStudy):
    """Loss and risk of microaggregation by k, the paper's and ours, and our refined groups."""

    name: ClassVar[str] = "casino-table1"
    summary: ClassVar[str] = "Table 1 and Figures 3, 4: loss and risk of microaggregation by k."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        kind = kind_of(data)
        paper = PAPER_GROUPS[kind]
        rows: list[tuple[Cell | Measured, ...]] = []
        lines: dict[str, list[tuple[float, float]]] = {"mdav": [], "refined": [], "paper": []}
        for at, k in enumerate(size for size in SIZES if size <= data.ratings.n_users):
            cells: list[Cell | Measured] = [str(k), float(paper["sse"][at])]
            for clustering in ("mdav", "refined"):
                found = figures_over_seeds(
                    data, groups(k, clustering), ["distortion", ORACLE], [0], progress
                )
                sse, risk = in_units(found["sse"], data), percent(found["success_first"])
                cells += [sse, percent(found["sse_share"]), risk, percent(found["success"])]
                lines[clustering].append((risk.mean, sse.mean))
            cells.append(float(paper["risk"][at]))
            lines["paper"].append((paper["risk"][at], float(paper["sse"][at])))
            rows.append(tuple(cells))
        columns = [Column("k"), Column("SSE, paper", 0)]
        for name in ("mdav", "refined"):
            columns += [Column(f"SSE, {name}", 1), Column(f"of total, %, {name}", 1)]
            columns += [Column(f"risk, %, {name}", 2), Column(f"risk, fair, %, {name}", 2)]
        columns += [Column("risk, %, paper", 2)]
        notes = [DIRECTION, *([PARTS] if kind == "jester" else [])]
        return self.result(data, columns, rows, [_frontier(lines, kind)], notes)


class CasinoTable2(CasinoStudy):
    """Loss and risk of noise by σ, clipped twice as in the paper and once as it should be."""

    name: ClassVar[str] = "casino-table2"
    summary: ClassVar[str] = "Table 2 and Figures 3, 4: loss and risk of noise by σ."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        kind, seeds = kind_of(data), range(self.parameters.seeds)
        paper = PAPER_NOISE[kind]
        rows: list[tuple[Cell | Measured, ...]] = []
        lines: dict[str, list[tuple[float, float]]] = {"as the paper": [], "correct": []}
        for at, sigma in enumerate((*SIGMAS, LAST_SIGMA[kind])):
            cells: list[Cell | Measured] = [f"{sigma:g}", float(paper["sse"][at])]
            recipes = [noise(sigma, clipping) for clipping in ("paper", "once")]
            both = figures_of_recipes(data, recipes, ["distortion", ORACLE], seeds, progress)
            for name, found in zip(lines, both, strict=True):
                sse, risk = in_units(found["sse"], data), percent(found["success_first"])
                cells += [sse, risk]
                lines[name].append((risk.mean, sse.mean))
            rows.append((*cells, float(paper["risk"][at])))
        columns = [Column("σ"), Column("SSE, paper", 0)]
        columns += [Column("SSE, clipped twice", 1), Column("risk, %, clipped twice", 2)]
        columns += [Column("SSE, clipped once", 1), Column("risk, %, clipped once", 2)]
        columns += [Column("risk, %, paper", 2)]
        notes = [CLIPS, DIRECTION, *([PARTS] if kind == "jester" else [])]
        return self.result(data, columns, rows, [_frontier(lines, kind)], notes)


CLIPS = (
    "We get the paper's figures for MovieLens only if noisy values are clipped to 1..5 while "
    "they are still in standard deviations, and once more after that. Clipping once, at the end, "
    "is right: a little noise then costs little."
)


def _frontier(lines: dict[str, list[tuple[float, float]]], kind: str) -> Picture:
    unit = "thousands" if kind == "ml-100k" else "millions"
    series = tuple((name, tuple(sorted(points))) for name, points in lines.items())
    return Picture("lines", "re-identified, %", f"squared error, {unit}", series)
