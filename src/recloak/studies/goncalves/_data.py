"""Studies `goncalves-figure2` and `goncalves-table3`: long tails, and rows of the releases."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.studies.base import Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves import LEVELS, GoncalvesStudy, SanitisedSets, is_netflix, targets_of

PAPER_ROWS = {
    "netflix": (480189, 746153, 1441715, 3057962, 5039491, 7292946, 9111456, 82685159),
    "movielens": (69878, 157421, 330961, 735668, 1324378, 2008289, 2676293, 8437233),
}
PAPER_PEAKS = {"netflix": (18, 119), "movielens": (20, 1)}


class GoncalvesFigure2(GoncalvesStudy):
    """How many people, and how many items, have how many ratings."""

    name: ClassVar[str] = "goncalves-figure2"
    summary: ClassVar[str] = "Figure 2: support of people and items."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        peaks = PAPER_PEAKS["netflix" if is_netflix(data) else "movielens"]
        sides = {"people": data.ratings.user_counts, "items": data.ratings.item_support}
        with progress.task("Counting", 1) as task:
            rows = [
                (name, *_tail(counts), peak)
                for (name, counts), peak in zip(sides.items(), peaks, strict=True)
            ]
            task.advance()
        series = tuple((name, _frequencies(counts)) for name, counts in sides.items())
        columns = [Column("of"), Column("how many"), Column("least"), Column("median", 0)]
        columns += [
            Column("most"),
            Column("below 500 ratings, %", 1),
            Column("most frequent count"),
        ]
        columns += [Column("most frequent count, paper")]
        picture = Picture("lines", "ratings", "how many have so many", series, logarithmic=True)
        return self.result(data, columns, rows, [picture], [_PEAKS])


_PEAKS = (
    "The paper's data are Netflix and MovieLens 10M; the count that most people or items have "
    "depends on the set. About 48 % of its Netflix items have fewer than 500 ratings."
)


class GoncalvesTable3(GoncalvesStudy):
    """How many rows each release has."""

    name: ClassVar[str] = "goncalves-table3"
    summary: ClassVar[str] = "Table 3: rows of the original and of the releases."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        whole = data.in_whole_stars
        sets, targets = SanitisedSets(whole, levels=self.levels), targets_of(whole)
        found: dict[str, list[float]] = {level: [] for level in self.levels}
        took: dict[str, list[float]] = {level: [] for level in self.levels}
        for seed in range(self.parameters.seeds):
            features = sets.features(whole.ratings, seed, progress)
            for level, recipe in sets.methods(features):
                started = time.perf_counter()
                applied = recipe.apply(whole.ratings, Randomness.from_seed(seed), progress)
                took[level].append(time.perf_counter() - started)
                found[level].append(applied.release.manifest.rows)
        rows = [
            _row(level, found[level], took[level], paper, whole, targets.get(level))
            for level, paper in zip(LEVELS, _paper_rows(whole), strict=True)
            if level in found
        ]
        columns = [Column("data set"), Column("rows", 0), Column("per person", 2)]
        columns += [Column("aim", 2), Column("ratings per row", 3), Column("seconds", 2)]
        columns += [Column("rows, paper"), Column("per person, paper", 2)]
        bars = tuple((float(at), float(np.mean(one))) for at, one in enumerate(found.values()))
        picture = Picture("bars", "", "rows", (("rows", bars),), self.levels)
        return self.result(whole, columns, rows, [picture], [_ROWS])


_ROWS = (
    "2Dis is the disassociation for k = m = 2 with clusters of at most 100 people and without the "
    "refining step, each term-chunk rating counted as a row of its own, as the paper counts. "
    "Seconds are those of the method without learning the features, on the machine that made this "
    "page; the paper reports 2 to 11 minutes for MovieLens and 10 minutes to an hour for Netflix, "
    "and 9 and 95 hours for 2Dis."
)


def _row(
    level: str,
    rows: list[float],
    seconds: list[float],
    paper: int,
    data: DataSet,
    aim: float | None,
) -> tuple[str | float | int | Measured | None, ...]:
    people = data.ratings.n_users
    paper_people = _paper_rows(data)[0]
    return (
        level,
        Measured.of(rows),
        Measured.of(np.array(rows) / people),
        aim,
        float(data.ratings.n_ratings / np.mean(rows)),
        Measured.of(seconds),
        paper,
        paper / paper_people,
    )


def _paper_rows(data: DataSet) -> tuple[int, ...]:
    return PAPER_ROWS["netflix" if is_netflix(data) else "movielens"]


def _tail(counts: Integers) -> tuple[int, int, float, int, float, int]:
    present = counts[counts > 0]
    rare = 100 * float((present < 500).mean())
    commonest = int(np.bincount(present).argmax())
    return (
        len(present),
        int(present.min()),
        float(np.median(present)),
        int(present.max()),
        rare,
        commonest,
    )


def _frequencies(counts: Integers) -> tuple[tuple[float, float], ...]:
    """How many have so many ratings, in bins that grow with the count."""
    edges = np.unique(np.geomspace(1, counts.max() + 1, 60).astype(np.int64))
    found, _ = np.histogram(counts, np.append(edges, edges[-1] + 1))
    widths = np.diff(np.append(edges, edges[-1] + 1))
    density = found / widths
    return tuple(
        (float(edge), float(many)) for edge, many in zip(edges, density, strict=True) if many >= 1
    )
