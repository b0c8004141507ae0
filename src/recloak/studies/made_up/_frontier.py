"""Study `synthetic-frontier`: all methods side by side, what they keep and what they give away."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from recloak.core.parameters import format_spec
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.made_up import (
    FOLD_IN,
    INFERENCE,
    MEMBERSHIP,
    PROTOCOL,
    PROTOTYPE_NOTE,
    MadeUpStudy,
    MethodRun,
    mean_of,
    place_of,
    tried,
)

NOISE_SHARE = 1 / 4  # of the scale: one star of 1..5
FEW_RATINGS = 32  # a person: below it 16 fragments leave next to nothing in each
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pseudonymize", {}),
    ("gaussian-noise", {}),
    ("fragmentation", {"cut": "centroids", "fragments": 16}),
    ("fragmentation", {"cut": "shared", "fragments": 16}),
    ("predictive", {"k": 5}),
    ("predictive", {"k": 20}),
    ("microaggregation", {"k": 5}),
    ("microaggregation", {"k": 20}),
    ("disassociation", {"k": 2}),
    ("synthetic", {}),
    ("synthetic", {"floor": 100}),
    ("synthetic", {"calm": 1.0}),
    ("synthetic", {"epsilon": 8.0}),
    ("synthetic", {"epsilon": 1.0, "calm": 1.0}),
)
FIGURES = (
    (FOLD_IN, "fold_in_mu"),
    (FOLD_IN, "fold_in_ndcg"),
    (INFERENCE, "excess_items"),
    (INFERENCE, "excess_values"),
    (MEMBERSHIP, "membership"),
    (MEMBERSHIP, "membership_tpr"),
)
# By data set and setting: the figures above.
PROTOTYPE: dict[tuple[str, str], tuple[float | None, ...]] = {
    ("ml-1m", "original"): (0.127, 0.601, None, None, None, None),
    ("ml-1m", "item means, own generosity; most popular"): (0.067, 0.340, None, None, None, None),
    ("ml-1m", "pseudonymize"): (0.127, 0.601, 0.651, 0.830, 1.00, 1.00),
    ("ml-1m", "gaussian-noise:sigma=1.0"): (0.101, 0.601, 0.596, 0.343, 1.00, 1.00),
    ("ml-1m", "fragmentation:cut=centroids,fragments=16"): (0.066, 0.520, 0.176, 0.466, 0.98, 0.76),
    ("ml-1m", "fragmentation:cut=shared,fragments=16"): (0.063, 0.407, 0.058, 0.252, 0.95, 0.25),
    ("ml-1m", "predictive:k=5"): (0.124, 0.454, 0.109, 0.055, 0.985, 0.73),
    ("ml-1m", "predictive:k=20"): (0.120, 0.268, 0.007, 0.005, 0.905, 0.45),
    ("ml-1m", "microaggregation:k=5"): (0.101, 0.488, 0.012, 0.002, 0.947, 0.46),
    ("ml-1m", "microaggregation:k=20"): (0.091, 0.320, 0.001, -0.003, 0.710, 0.05),
    ("ml-1m", "disassociation:k=2"): (0.077, 0.374, -0.002, 0.010, 0.56, 0.01),
    ("ml-1m", "synthetic"): (0.114, 0.529, 0.001, -0.004, 0.56, 0.025),
    ("ml-1m", "synthetic:calm=1.0"): (0.096, 0.529, 0.001, -0.001, 0.55, 0.023),
    ("ml-1m", "synthetic:epsilon=8.0"): (0.080, 0.395, -0.005, -0.007, 0.52, 0.035),
    ("ml-1m", "synthetic:epsilon=1.0,calm=1.0"): (0.030, 0.334, -0.003, -0.003, 0.535, 0.013),
    ("ml-100k", "original"): (0.111, None, None, None, None, None),
    ("ml-100k", "item means, own generosity; most popular"): (0.083, None, None, None, None, None),
    ("ml-100k", "synthetic"): (0.097, None, None, None, 0.587, 0.059),
}
_NAMES = ("μ", "NDCG@10", "excess, items", "excess, values", "membership", "members at 1 %")
_COLUMNS = (
    Column("release"),
    *(Column(f"{name}{by}") for name in _NAMES for by in ("", ", prototype")),
    Column("μ above generosity"),
    Column("CPU seconds", 1),
)
_MU_AT, _EXCESS_AT, _MEMBERSHIP_AT = 1, 5, 9
_NOTE = (
    "μ: how much better predictions for newcomers are than item means. NDCG@10: lists for them, "
    "by an item-item model. Excess: average precision of what an attacker who knows 20 ratings "
    "states about members, minus the same about outsiders. Membership: AUC of telling members "
    "from outsiders with all ratings known, 0.5 is guessing; members at 1 %: how many members "
    "are found while 1 % of outsiders are taken for members. μ above generosity: μ minus that of "
    "item means shifted by how high a newcomer rates, which need no rows. CPU seconds: to run "
    "the method once. In the charts, points further right keep more utility, and lower points "
    "reveal less."
)
_TICK = 0.02  # of μ


class SyntheticFrontier(MadeUpStudy):
    """Use, excess and membership of every method at the settings of the prototype's table."""

    name: ClassVar[str] = "synthetic-frontier"
    summary: ClassVar[str] = "Made-up people beside all other methods: use, excess, membership."
    data_sets: ClassVar[tuple[str, ...]] = ("ml-100k", "ml-1m", "jester", "ciaodvd")

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        found: dict[str, list[MethodRun]] = {}
        specs = (FOLD_IN, INFERENCE, MEMBERSHIP)
        for seed in range(self.parameters.seeds):
            for name, given in settings_for(data.ratings):
                runs = found.setdefault(format_spec(name, given), [])
                runs.append(tried(data.ratings, method(name, **given), specs, seed, progress))
        rows = [*_references(data, next(iter(found.values())))]
        rows += [_row(data, label, runs) for label, runs in found.items()]
        pictures = [_picture(rows, at) for at in (_MEMBERSHIP_AT, _EXCESS_AT)]
        columns, notes = _COLUMNS, [PROTOCOL, _NOTE, PROTOTYPE_NOTE]
        if not any(name == data.name for name, _ in PROTOTYPE):
            columns, rows, notes = _alone(columns), [_alone(row) for row in rows], notes[:2]
        return self.result(data, columns, rows, pictures, notes)


def settings_for(ratings: Ratings) -> list[tuple[str, dict[str, Any]]]:
    """The settings, with noise that is a share of the scale, and as many fragments as people with
    so few ratings can have.
    """
    sigma = float(f"{NOISE_SHARE * (ratings.scale.span or 1.0):.3g}")
    few = ratings.n_ratings < FEW_RATINGS * ratings.n_users
    instead: dict[str, dict[str, Any]] = {"gaussian-noise": {"sigma": sigma}}
    if few:
        instead["fragmentation"] = {"fragments": 2}
    return [(name, given | instead.get(name, {})) for name, given in SETTINGS]


def _references(data: DataSet, runs: list[MethodRun]) -> list[tuple[Cell | Measured, ...]]:
    """What the original gives newcomers, and what needs no row at all."""
    sides = {
        "original": ("fold_in_mu_original", "fold_in_ndcg_original"),
        "item means, own generosity; most popular": ("fold_in_mu_offset", "fold_in_ndcg_popular"),
    }
    above = mean_of(runs, FOLD_IN, "fold_in_mu_above_offset_original")
    made = []
    for name, figures in sides.items():
        ours: list[Measured | None] = [mean_of(runs, FOLD_IN, one) for one in figures]
        ours += [None] * (len(FIGURES) - len(ours))
        last = above if name == "original" else None
        made.append((name, *_beside(data, name, ours), last, None))
    return made


def _row(data: DataSet, label: str, runs: list[MethodRun]) -> tuple[Cell | Measured, ...]:
    ours = [mean_of(runs, spec, figure) for spec, figure in FIGURES]
    above = mean_of(runs, FOLD_IN, "fold_in_mu_above_offset")
    return (label, *_beside(data, label, ours), above, Measured.of(run.seconds for run in runs))


def _beside(data: DataSet, label: str, ours: list[Measured | None]) -> list[Cell | Measured]:
    """Our figures, each with the prototype's."""
    theirs = PROTOTYPE.get((data.name, label), (None,) * len(ours))
    return [cell for pair in zip(ours, theirs, strict=True) for cell in pair]


def _alone(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row, or the columns, without those of the prototype, which was not run on the data."""
    beside = {2 * at for at in range(1, len(_NAMES) + 1)}
    return tuple(entry for at, entry in enumerate(entries) if at not in beside)


def _picture(rows: list[tuple[Cell | Measured, ...]], height: int) -> Picture:
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        x, y = place_of(row[_MU_AT]), place_of(row[height])
        if x is not None and y is not None:
            series.setdefault(str(row[0]).partition(":")[0], []).append((x, y))
    places = [x for points in series.values() for x, _ in points]
    ticks = np.arange(np.floor(min(places) / _TICK), np.ceil(max(places) / _TICK) + 1) * _TICK
    shown = tuple(round(float(one), 4) for one in ticks)
    lines = tuple((name, tuple(sorted(points))) for name, points in series.items())
    return Picture("lines", "μ", _COLUMNS[height].name, lines, x_ticks=shown)
