"""Study `synthetic-epsilon`: what differential privacy costs, by ε."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.methods import method
from recloak.studies.base import Cell, Column, Measured, Picture, StudyParameters, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.made_up import (
    FOLD_IN,
    MEMBERSHIP,
    PROTOCOL,
    PROTOTYPE_NOTE,
    MadeUpStudy,
    MethodRun,
    mean_of,
    place_of,
    tried,
)

BUDGETS = (0.5, 1.0, 2.0, 4.0, 8.0)
NO_NOISE = "no noise, floor 10"
# μ by data set: original, item means and own generosity, then by the budgets, then no noise.
PROTOTYPE: dict[str, tuple[float | None, ...]] = {
    "ml-100k": (0.111, 0.083, 0.005, 0.032, 0.052, 0.067, 0.075, 0.097),
    "ml-1m": (0.127, 0.067, 0.009, 0.033, 0.048, 0.067, 0.080, 0.114),
    "synthetic-ml-10m": (0.149, 0.077, 0.066, 0.086, 0.098, 0.110, 0.118, 0.135),
    "synthetic-netflix": (0.153, 0.079, None, 0.117, None, None, None, None),
}
_COLUMNS = (
    Column("ε"),
    Column("people"),
    Column("μ"),
    Column("μ, prototype"),
    Column("share of μ kept", 2),
    Column("μ above generosity"),
    Column("NDCG@10"),
    Column("membership"),
    Column("ε at least", 2),
    Column("CPU seconds", 1),
)
_MU_AT, _NDCG_AT = 2, 6
_NOTE = (
    "δ = 10⁻⁶, `--calm 0.3`. μ: how much better predictions for newcomers are than item means. "
    "Membership: AUC of an attacker who knows all ratings, 0.5 is guessing. ε at least: the "
    "smallest ε at which this attacker could succeed as often, with 95 % confidence, the largest "
    "over seeds; it must stay below ε. CPU seconds: to learn the model and to draw as many "
    "people. A dash: not measured."
)
_HALF_OF_NETFLIX = "The prototype's figures of Netflix are those of half of its people."


class EpsilonParameters(StudyParameters):
    """How often, with which budgets, and whether the release is attacked."""

    epsilon: float = Field(default=0, ge=0, le=50)
    """Only this ε, beside no noise; 0 does all."""

    attacked: bool = True
    """Also attack membership, which takes longer than all the rest."""


class Epsilon(MadeUpStudy):
    """Use for newcomers by ε, and what membership tells."""

    name: ClassVar[str] = "synthetic-epsilon"
    summary: ClassVar[str] = "What differential privacy costs, by ε."
    data_sets: ClassVar[tuple[str, ...]] = (
        "ml-100k",
        "ml-1m",
        "synthetic-ml-10m",
        "synthetic-netflix",
    )
    Parameters: ClassVar[type[Parameters]] = EpsilonParameters
    parameters: EpsilonParameters

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        given = self.parameters
        budgets = (given.epsilon,) if given.epsilon else BUDGETS
        specs = (FOLD_IN, MEMBERSHIP) if given.attacked else (FOLD_IN,)
        found: dict[float | None, list[MethodRun]] = {}
        for seed in range(given.seeds):
            for epsilon in (*budgets, None):
                recipe: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}
                runs = found.setdefault(epsilon, [])
                runs.append(
                    tried(data.ratings, method("synthetic", **recipe), specs, seed, progress)
                )
        rows = [*_references(data, found[None])]
        rows += [_row(data, epsilon, runs) for epsilon, runs in found.items()]
        notes = [PROTOCOL, _NOTE, PROTOTYPE_NOTE]
        notes += [_HALF_OF_NETFLIX] if data.name == "synthetic-netflix" else []
        return self.result(data, _COLUMNS, rows, _pictures(rows), notes)


def _references(data: DataSet, runs: list[MethodRun]) -> list[tuple[Cell | Measured, ...]]:
    """What the original gives, and item means with a person's own generosity, which need no row."""
    theirs = PROTOTYPE.get(data.name, (None, None))
    sides = (
        ("original", "fold_in_mu_original", "fold_in_ndcg_original"),
        ("item means, own generosity; most popular", "fold_in_mu_offset", "fold_in_ndcg_popular"),
    )
    above = mean_of(runs, FOLD_IN, "fold_in_mu_above_offset_original")
    return [
        (
            name,
            None,
            mean_of(runs, FOLD_IN, mu),
            theirs[at],
            None,
            above if name == "original" else None,
            mean_of(runs, FOLD_IN, ndcg),
            None,
            None,
            None,
        )
        for at, (name, mu, ndcg) in enumerate(sides)
    ]


def _row(
    data: DataSet, epsilon: float | None, runs: list[MethodRun]
) -> tuple[Cell | Measured, ...]:
    measured = [run.value(MEMBERSHIP, "epsilon_at_least") for run in runs]
    bounds = [value for value in measured if value is not None]
    return (
        NO_NOISE if epsilon is None else f"{epsilon:g}",
        data.ratings.n_users - data.ratings.n_users // 10,
        mean_of(runs, FOLD_IN, "fold_in_mu"),
        _prototype(data.name, epsilon),
        mean_of(runs, FOLD_IN, "fold_in_mu_kept"),
        mean_of(runs, FOLD_IN, "fold_in_mu_above_offset"),
        mean_of(runs, FOLD_IN, "fold_in_ndcg"),
        mean_of(runs, MEMBERSHIP, "membership"),
        max(bounds) if bounds else None,
        Measured.of(run.seconds for run in runs),
    )


def _prototype(data: str, epsilon: float | None) -> float | None:
    theirs = PROTOTYPE.get(data, ())
    places = (None, None, *BUDGETS)
    if not theirs or epsilon not in (*BUDGETS, None):
        return None
    return theirs[-1] if epsilon is None else theirs[places.index(epsilon)]


def _pictures(rows: list[tuple[Cell | Measured, ...]]) -> list[Picture]:
    """μ and NDCG by ε, with what the original has and what needs no row as level lines."""
    budgets = [float(str(row[0])) for row in rows if str(row[0])[0].isdigit()]
    if len(budgets) < 2:
        return []
    return [_picture(rows, at, budgets) for at in (_MU_AT, _NDCG_AT)]


def _picture(rows: list[tuple[Cell | Measured, ...]], height: int, budgets: list[float]) -> Picture:
    series: dict[str, list[tuple[float, float]]] = {"synthetic": []}
    for row in rows:
        y, name = place_of(row[height]), str(row[0])
        if y is None:
            continue
        if name[0].isdigit():
            series["synthetic"].append((float(name), y))
        else:
            series[name.partition(";")[0]] = [(budgets[0], y), (budgets[-1], y)]
    lines = tuple((name, tuple(points)) for name, points in series.items())
    return Picture("lines", "ε", _COLUMNS[height].name, lines)
