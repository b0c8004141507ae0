"""Study `chang-rmse`: prediction error of original, padded and anonymised ratings on a probe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from recloak.auditing.rehearsal import probe_of
from recloak.core.arrays import Floats, Indices, offsets_from
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import match_items
from recloak.evaluation.published_cells import PublishedCells
from recloak.measures.group_prediction import (
    PredictionProfiles,
    Probe,
    label_errors,
    mean_errors,
    random_groups,
    trained_errors,
)
from recloak.methods.predictive.padding import pad
from recloak.recommenders.factorization import Factorization
from recloak.releases.grouped import GroupedRelease
from recloak.studies.base import Cell, Column, Measured, Picture, StudyResult
from recloak.studies.chang import BARE, DEFAULTS, ChangStudy, context_of, over_seeds, predictive
from recloak.studies.data import DataSet

FEW_FACTORS = 8  # a quarter of what is usual
MOST_CELLS = 50_000_000  # of a padded table that is written out to be trained on
VARIANTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("padded-anonymised", "padded", BARE),
    ("pure-anonymised", "pure", BARE),
    ("pure, floor 3", "pure", {"grid": 0.0}),
    ("pure, half-step grid", "pure", {"floor": 0}),
    ("pure, floor and grid", "pure", DEFAULTS),
)
RANDOM, RANDOM_PADDED = "random groups", "random groups, padded"
TRAINED = ("original", "pure-anonymised")  # the prototype trained a recommender for these lines
FIGURES = ("rmse", "label", "few")
Errors = dict[tuple[str, int], dict[str, float]]
PROTOTYPE: dict[str, dict[tuple[str, int], float]] = {
    "ml-100k": {
        ("original", 0): 0.924,
        ("padded-anonymised", 5): 0.942,
        ("pure-anonymised", 5): 0.934,
        (RANDOM_PADDED, 5): 1.022,
        ("padded-anonymised", 50): 0.947,
        ("pure-anonymised", 50): 0.953,
        (RANDOM_PADDED, 50): 1.029,
        ("item mean", 0): 1.028,
    },
    "ml-1m": {
        ("original", 0): 0.861,
        ("padded-anonymised", 5): 0.882,
        ("pure-anonymised", 5): 0.873,
        (RANDOM_PADDED, 5): 0.966,
        ("padded-anonymised", 50): 0.887,
        ("pure-anonymised", 50): 0.894,
        (RANDOM_PADDED, 50): 0.982,
        ("item mean", 0): 0.982,
    },
}


class Rmse(ChangStudy):
    """Errors on a probe that neither padding nor grouping has seen."""

    name: ClassVar[str] = "chang-rmse"
    summary: ClassVar[str] = "Prediction error of original, padded and anonymised ratings."

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        runs = [self._run(data, seed, progress) for seed in range(self.parameters.seeds)]
        rows: list[tuple[Cell | Measured, ...]] = []
        heights: dict[str, list[tuple[float, float]]] = {}
        names: list[str] = []
        before = PROTOTYPE.get(data.name, {})
        for name, k in runs[0]:
            figures = [over_seeds([run[name, k] for run in runs], one) for one in FIGURES]
            compared = _beside(
                figures[0 if name in TRAINED else 1], figures[2], before.get((name, k))
            )
            rows.append((name, str(k) if k else None, *figures[:2], *(compared if before else ())))
            names += [name] if name not in names else []
            height = figures[0] or figures[1]
            if height is not None:
                series = heights.setdefault(f"k = {k}" if k else "no groups", [])
                series.append((float(names.index(name)), height.mean))
        columns = [Column("ratings"), Column("k"), Column("RMSE of a recommender trained on them")]
        columns += [Column("RMSE of what they say themselves")]
        if before:
            columns += [Column("RMSE, prototype"), Column("ours less prototype")]
            columns += [Column(f"RMSE, {FEW_FACTORS} factors")]
            columns += [Column(f"{FEW_FACTORS} factors less prototype")]
        bars = tuple((series, tuple(points)) for series, points in heights.items())
        picture = Picture("bars", "", "RMSE", bars, tuple(names))
        notes = [_PROTOCOL, _ITSELF, *([_BEFORE] if before else [])]
        return self.result(data, columns, rows, [picture], notes)

    def _run(self, data: DataSet, seed: int, progress: Progress) -> Errors:
        """All errors under one seed, by what was trained on and the size of groups."""
        held_out = probe_of(data.ratings, seed)
        known, probe = data.ratings.keep(~held_out), _probe(data.ratings, held_out)
        found: Errors = {}
        for (name, k), profiled in self._variants(known, data, seed, progress):
            found[name, k] = _errors(profiled, probe, seed, progress)
            if name in TRAINED and (name, k) in PROTOTYPE.get(data.name, {}):
                found[name, k] |= _of_few_factors(profiled, probe, seed, progress)
        found["original", 0].pop("label")  # of what was held out they say nothing
        found["item mean", 0] = {"label": _rmse(mean_errors(known, probe))}
        return found

    def _variants(
        self, known: Ratings, data: DataSet, seed: int, progress: Progress
    ) -> Iterator[tuple[tuple[str, int], PredictionProfiles]]:
        """What is published of the ratings that are known, one way after another."""
        yield ("original", 0), PredictionProfiles.of_people(known)
        table = _padded(known, seed, progress)
        if table is not None:
            yield ("padded", 0), table
        for k in self.sizes(data):
            for name, profiled in _grouped(known, k, seed, progress):
                yield (name, k), profiled


_PROTOCOL = (
    "A tenth of the ratings is held out first; padding, grouping and training see the rest. The "
    "recommender is a factorisation that learns one row for each group, blended with the item "
    "mean; the weights are fitted on a part of the profiles that is set aside. Random groups "
    "have the same sizes and are means over raters, as in pure anonymisation. Floor and grid are "
    "off, as in the paper, unless a line says otherwise."
)
_ITSELF = (
    "“Ratings themselves” predicts the value in the profile of a person's group, and the mean "
    "over all groups where the profile has none; a pure label is a mean of few ratings, often of "
    "one. Padded ratings are already predictions. We do not have the part of the paper that "
    "reports its own figures."
)
_BEFORE = (
    "Prototype: an independent implementation, one seed, groups by the first 30 principal "
    "components of the padded table; we know no more about it. Padded labels are predictions, so "
    "its padded lines and its item mean are compared with the ratings themselves, and its "
    "original and pure groups with the recommender. The error of its random groups is close to "
    "that of the item mean; this is so for padded profiles, but not for means over raters. Our "
    "recommender has 32 factors and learns more from whole rows; the last two columns have the "
    "errors with 8 factors for the original and pure groups."
)


def _beside(
    ours: Measured | None, few: Measured | None, before: float | None
) -> tuple[float | Measured | None, ...]:
    """The prototype's figure, how far ours is from it; the same with few factors."""
    if before is None or ours is None:
        return None, None, None, None
    return before, ours.mean - before, few, few.mean - before if few else None


def _errors(
    profiled: PredictionProfiles, probe: Probe, seed: int, progress: Progress
) -> dict[str, float]:
    learnt = trained_errors(profiled, probe, Factorization(), seed, progress)
    return {"rmse": _rmse(learnt), "label": _rmse(label_errors(profiled, probe))}


def _of_few_factors(
    profiled: PredictionProfiles, probe: Probe, seed: int, progress: Progress
) -> dict[str, float]:
    learner = Factorization(factors=FEW_FACTORS)
    return {"few": _rmse(trained_errors(profiled, probe, learner, seed, progress))}


def _probe(ratings: Ratings, held_out: Any) -> Probe:
    cells = np.flatnonzero(held_out)
    users = np.searchsorted(ratings.offsets, cells, side="right") - 1
    items, truth = ratings.items[cells].astype(np.int64), ratings.values[cells].astype(np.float64)
    return Probe(users, items, truth)


def _padded(known: Ratings, seed: int, progress: Progress) -> PredictionProfiles | None:
    """The whole padded table, everyone a row; None if it is too large to be written out."""
    if known.n_users * known.n_items > MOST_CELLS:
        return None
    return _padded_groups(known, np.arange(known.n_users), seed, progress)


def _padded_groups(
    known: Ratings, group_of: Indices, seed: int, progress: Progress
) -> PredictionProfiles:
    """The means of groups over what everyone rated or would have rated, for every item."""
    inside = np.flatnonzero(group_of >= 0)
    members = inside[np.argsort(group_of[inside], kind="stable")]
    sizes, items = np.bincount(group_of[inside]), known.n_items
    starts = offsets_from(sizes)
    offsets = items * np.arange(len(sizes) + 1)
    listed = np.tile(np.arange(items, dtype=np.int32), len(sizes))
    values = pad(known, seed, progress).means(starts, members, offsets, listed, progress)
    labels = (np.arange(len(sizes)), known.item_labels)
    table = Ratings(offsets, listed, values, _continuous(known), *labels)
    return PredictionProfiles(table, group_of, np.arange(items))


def _continuous(known: Ratings) -> Any:
    return type(known.scale)(known.scale.low, known.scale.high, None)


def _grouped(
    known: Ratings, k: int, seed: int, progress: Progress
) -> Iterator[tuple[str, PredictionProfiles]]:
    """Every variant, and groups at random of the same sizes."""
    for name, mode, more in VARIANTS:
        profiled = _profiled(known, predictive(k, mode, **more), seed, progress)
        yield name, profiled
    generator = Randomness.from_seed(seed).generator("random groups")
    mixed = random_groups(profiled.group_of, known, generator)
    yield RANDOM, mixed
    if mixed.profiles.n_users * known.n_items <= MOST_CELLS:
        yield RANDOM_PADDED, _padded_groups(known, mixed.group_of, seed, progress)


def _profiled(known: Ratings, recipe: Any, seed: int, progress: Progress) -> PredictionProfiles:
    """What a method makes of the ratings that are known, and whose group is which."""
    applied = recipe.apply(known.compact(), Randomness.from_seed(seed), progress)
    release = applied.release
    assert isinstance(release, GroupedRelease)
    published = PublishedCells.of(context_of(known, applied))
    group_of = np.full(known.n_users, -1, dtype=np.int64)
    people = np.flatnonzero(np.diff(published.offsets))
    group_of[people] = published.owned[published.offsets[people]]
    return PredictionProfiles(release.profiles, group_of, match_items(known, release.profiles))


def _rmse(errors: Floats) -> float:
    """The root mean squared error."""
    return float(np.sqrt(np.square(errors).mean()))
