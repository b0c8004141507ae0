"""Studies `chang-figure4` and `chang-density`: bins by centre, and what groups do to the table."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from recloak.core.arrays import Floats, Integers
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.measures import measure
from recloak.methods.predictive.bounded_groups import bounded_bins
from recloak.methods.predictive.padding import pad
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.chang import BARE, DEFAULTS, ChangStudy, context_of, over_seeds, predictive
from recloak.studies.data import DataSet

Centres = Literal["virtual", "real"]
CENTRES: tuple[Centres, ...] = ("real", "virtual")
PAPER_BINS = {"real": "50–2,000", "virtual": "200–900"}  # of Netflix
SMALLEST_BIN = 5
BARS = 12


class ChangFigure4(ChangStudy):
    """How many people bins have, around people and around means of people."""

    name: ClassVar[str] = "chang-figure4"
    summary: ClassVar[str] = "Figure 4: sizes of bins around real users and virtual centres."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        sizes: dict[Centres, list[Integers]] = {one: [] for one in CENTRES}
        for seed in range(self.parameters.seeds):
            rows = pad(data.ratings, seed, progress).rows(progress)
            for centres, found in sizes.items():
                order = Randomness.from_seed(seed).generator("groups").permutation(len(rows))
                home = bounded_bins(rows, SMALLEST_BIN, order, centres, progress)
                found.append(np.bincount(home))
        table_rows: list[tuple[Cell | Measured, ...]] = [
            (centres, *_size_figures(found), PAPER_BINS[centres])
            for centres, found in sizes.items()
        ]
        columns = [Column("centres"), Column("bins", 1), Column("smallest", 1)]
        columns += [Column("median", 1), Column("largest", 1), Column("deviation", 1)]
        columns += [Column("smallest–largest, paper")]
        widest = max(int(one.max()) for found in sizes.values() for one in found)
        edges = np.linspace(0, widest + 1, BARS + 1)
        series = tuple((centres, _histogram(found, edges)) for centres, found in sizes.items())
        picture = Picture("lines", "people in a bin", "bins", series)
        return self.result(data, columns, table_rows, [picture], [_BINS])


_BINS = (
    "The paper's bins are those of Netflix. About √m centres are found on a sample of people; no "
    "centre may take more than 1.5 times its share of the sample. Then everyone goes to the "
    "nearest centre. A centre that is a mean lies among people; a real person as a centre may be "
    "far from others."
)


def _size_figures(found: list[Integers]) -> list[Measured]:
    return [
        Measured.of(float(measured(one)) for one in found)
        for measured in (len, np.min, np.median, np.max, np.std)
    ]


def _histogram(found: list[Integers], edges: Floats) -> tuple[tuple[float, float], ...]:
    """How many bins have about so many people, on average over the seeds."""
    counts, _ = np.histogram(np.concatenate(found), edges)
    middles = np.round((edges[:-1] + edges[1:]) / 2)
    return tuple(zip(middles.tolist(), (counts / len(found)).tolist(), strict=True))


class DensityTable(ChangStudy):
    """Density, degrees and labels, before and after."""

    name: ClassVar[str] = "chang-density"
    summary: ClassVar[str] = "Density, degrees and information change of the releases."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        rows: list[tuple[Cell | Measured, ...]] = []
        lines: list[tuple[str, float]] = []
        for name, recipe in self._settings(data):
            found = [self._figures(data, recipe, seed, progress) for seed in self._seeds()]
            if not rows:
                before = [over_seeds(found, f"{one}_original") for one in _DEGREES]
                rows.append(("original", *before, None, None, None, None))
                lines.append(("original", before[0].mean if before[0] else 0.0))
            figures = [over_seeds(found, one) for one in (*_DEGREES, *_CHANGES)]
            rows.append((name, *figures))
            lines.append((name, figures[0].mean if figures[0] else 0.0))
        columns = [Column("release"), Column("density"), Column("ratings per person", 1)]
        columns += [Column("ratings per item", 1), Column("people moved"), Column("items moved")]
        columns += [Column("label RMSE"), Column("fake per real", 2)]
        bars = tuple((float(at), height) for at, (_, height) in enumerate(lines))
        names = tuple(name for name, _ in lines)
        picture = Picture("bars", "", "density", (("density", bars),), names)
        return self.result(data, columns, rows, [picture], [_MOVED])

    def _seeds(self) -> range:
        return range(self.parameters.seeds)

    def _settings(self, data: DataSet) -> list[tuple[str, dict[str, Any]]]:
        """Floor and grid change labels, not which items are listed."""
        shown = (("pure", "pure", BARE), ("pure, floor and grid", "pure", DEFAULTS))
        return [
            (f"{name}, k = {k}", {"k": k, "mode": mode, **more})
            for k in self.sizes(data)
            for name, mode, more in (*shown, ("padded", "padded", BARE))
        ]

    def _figures(
        self, data: DataSet, recipe: dict[str, Any], seed: int, progress: Progress
    ) -> dict[str, float]:
        applied = predictive(**recipe).apply(data.ratings, Randomness.from_seed(seed), progress)
        context = context_of(data.ratings, applied)
        return {
            figure.name: figure.value
            for spec in ("density", "information-change")
            for figure in measure(spec).run(context, seed, progress).figures
        }


_DEGREES = ("density", "user_degree", "item_degree")
_CHANGES = ("user_ks", "item_ks", "label_rmse", "fake_ratio")
_MOVED = (
    "People and items moved: the largest difference between the distributions of how many "
    "ratings people or items have, before and after (Kolmogorov–Smirnov; from 0, the same, to "
    "1). Label RMSE is over the ratings that people really gave. Fake: the cells of a profile "
    "that the person never rated. We do not have the part of the paper that reports its own "
    "figures."
)
