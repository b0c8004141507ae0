"""Study `goncalves-table4`: Tailoring Utility of each release, by two protocols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from recloak.auditing.rehearsal import probe_of, rehearsed
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.methods import Method
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves import (
    LEVELS,
    GoncalvesParameters,
    GoncalvesStudy,
    SanitisedSets,
    is_netflix,
)
from recloak.studies.goncalves._attacks import over_seeds

PAPER = {
    "netflix": {
        "rmse": (0.921299, 0.931068, 0.944055, 0.978027, 0.979276, 0.981908, 0.985127, 1.053909),
        "mu": (0.124923, 0.115643, 0.103308, 0.071041, 0.069854, 0.067355, 0.064297, -0.001034),
    },
    "movielens": {
        "rmse": (0.874797, 0.855595, 0.850197, 0.852461, 0.862424, 0.869907, 0.875914, 0.948689),
        "mu": (0.075288, 0.095585, 0.101292, 0.098899, 0.088368, 0.080458, 0.074108, -0.00282),
    },
}
PAPER_AVERAGE = {"netflix": 1.05282, "movielens": 0.946021}


@dataclass(frozen=True)
class UtilityProtocol:
    """How utility is measured: how well all is trained, and when the probe is taken out."""

    training: Literal["full", "paper"]
    recommender: str
    whole_row: bool


PROTOCOLS = {
    "ours": UtilityProtocol("full", "factorization", whole_row=False),
    "paper": UtilityProtocol("paper", "plain-factorization", whole_row=True),
    "seen": UtilityProtocol("full", "plain-factorization", whole_row=True),
    "unseen": UtilityProtocol("full", "plain-factorization", whole_row=False),
}


class GoncalvesTable4Parameters(GoncalvesParameters):
    """How often, for which data sets, and by which protocols."""

    protocols: Literal["all", "ours", "ours+paper"] = "all"
    """Ours alone, with the paper's beside it, or all four; each trains on every data set."""


class GoncalvesTable4(GoncalvesStudy):
    """RMSE and Tailoring Utility, well trained and as the paper trained."""

    name: ClassVar[str] = "goncalves-table4"
    summary: ClassVar[str] = "Table 4: RMSE and Tailoring Utility of the releases."
    Parameters: ClassVar[type[Parameters]] = GoncalvesTable4Parameters
    parameters: GoncalvesTable4Parameters

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        whole = data.in_whole_stars
        asked = self.parameters.protocols
        found: dict[str, dict[str, list[Finding]]] = {
            name: _measured(whole, protocol, self.levels, self.parameters.seeds, progress)
            if asked == "all" or name in asked.split("+")
            else {level: [] for level in self.levels}
            for name, protocol in PROTOCOLS.items()
        }
        set_name = "netflix" if is_netflix(whole) else "movielens"
        paper = PAPER[set_name]
        mean = over_seeds(found["ours"]["Original"], "rmse_item_mean")
        rows: list[tuple[Cell | Measured, ...]] = [
            ("Average", mean, 0.0, None, None, 0.0, 0.0, 0.0, PAPER_AVERAGE[set_name], 0.0)
        ]
        for level in self.levels:
            full, early = found["ours"][level], found["paper"][level]
            cells = [over_seeds(full, name) for name in ("rmse", "mu", "mu_recombined")]
            cells += [over_seeds(early, name) for name in ("rmse", "mu")]
            cells += [over_seeds(found[name][level], "mu") for name in ("seen", "unseen")]
            at = LEVELS.index(level)
            rows.append((level, *cells, paper["rmse"][at], paper["mu"][at]))
        bars = (
            ("μ", _heights(found["ours"])),
            ("μ, paper's training", _heights(found["paper"])),
            ("μ, paper's predictor, probe seen", _heights(found["seen"])),
            ("paper", _stated(paper["mu"], self.levels)),
        )
        picture = Picture("bars", "", "Tailoring Utility", bars, self.levels)
        return self.result(whole, _COLUMNS, rows, [picture], [_TRAINING, _RECOMBINED])


_COLUMNS = (
    Column("data set"),
    Column("RMSE", 4),
    Column("μ", 4),
    Column("μ, recombined", 4),
    Column("RMSE, paper's training", 4),
    Column("μ, paper's training", 4),
    Column("μ, paper's predictor, full features, probe seen", 4),
    Column("μ, paper's predictor, full features", 4),
    Column("RMSE, paper", 4),
    Column("μ, paper", 4),
)
_TRAINING = (
    "Left: the probe is held out first, and features and predictor are well trained. Paper's "
    "training: whole rows are fragmented, the probe is removed from them, and a factorisation "
    "without biases makes the features and predicts. It stops as soon as a validation split "
    "improves by less than 0.000005, long before it has learnt more than how well an item is "
    "rated and how high a person rates. Paper's predictor: the same on fragments by well-trained "
    "features. Features that have seen the probe choose fragments by its values, so "
    "fragmentation looks better than it is; the last column of ours holds the probe out first. "
    "Blend weights are fitted on a validation split, never on the probe. In the chart a μ below "
    "0 is drawn as 0."
)
_RECOMBINED = (
    "Recombined: a client that knows its own pseudonyms averages the predictions of all its rows."
)


def _measured(
    data: DataSet,
    protocol: UtilityProtocol,
    levels: tuple[str, ...],
    seeds: int,
    progress: Progress,
) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {level: [] for level in levels}
    utility = measure(f"tailoring-utility:recommender={protocol.recommender}")
    for seed in range(seeds):
        for level, rehearsal in _rehearsals(data, protocol, levels, seed, progress):
            context = AuditContext(
                data.ratings,
                rehearsal.released,
                rehearsal.linkage,
                rehearsal.item_in_release,
                rehearsal,
            )
            found[level].append(utility.run(context, seed, progress))
    return found


def _rehearsals(
    data: DataSet, protocol: UtilityProtocol, levels: tuple[str, ...], seed: int, progress: Progress
) -> Iterator[tuple[str, Rehearsal]]:
    """Each level's rehearsal; what was trained on the original serves all of them."""
    sets = SanitisedSets(data, protocol.training, levels)
    given = data.ratings
    if not protocol.whole_row:
        given = given.keep(~probe_of(given, seed)).compact()
    shared: dict[tuple[str, str], Any] = {}
    recipes: list[tuple[str, Method]] = list(sets.methods(sets.features(given, seed, progress)))
    for level, recipe in recipes:
        whole_row = protocol.whole_row
        rehearsal = rehearsed(data.ratings, recipe, seed, progress, whole_row=whole_row)
        rehearsal.models.update(shared)
        yield level, rehearsal
        shared = {key: model for key, model in rehearsal.models.items() if key[1] == "original"}


def _heights(found: dict[str, list[Finding]]) -> tuple[tuple[float, float], ...]:
    means = [over_seeds(one, "mu") for one in found.values()]
    return tuple((float(at), max(one.mean, 0.0)) for at, one in enumerate(means) if one)


def _stated(paper: tuple[float, ...], levels: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    return tuple(
        (float(at), max(paper[LEVELS.index(level)], 0.0)) for at, level in enumerate(levels)
    )
