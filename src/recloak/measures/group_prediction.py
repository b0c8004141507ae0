"""Measure `group-prediction`: how well the profiles of groups predict for their members."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.kernels.record_distances import values_at
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures._errors import (
    RMSE_BESIDE_ORIGINAL,
    RMSE_ITEM_MEAN,
    RMSE_ORIGINAL,
    rmse_figure,
)
from recloak.measures._models import RecommenderParameters, trained, trained_on, why_no_values
from recloak.measures.base import Measure
from recloak.recommenders import RECOMMENDERS, Recommender
from recloak.recommenders.item_mean import ItemMean
from recloak.releases.grouped import GroupedRelease

_MEANINGS = {
    "rmse": "trained on the profiles, one row for each group",
    "rmse_label": "predicted by the person's own profile, else by the item's mean in the release",
    "rmse_random": "trained on groups of the same sizes, made at random",
    "rmse_original": "trained on the original",
    "rmse_item_mean": "predicted by the item's mean in the original",
}

_FIGURES = (
    RMSE_BESIDE_ORIGINAL,
    DeclaredFigure("rmse_label", "rating", worse="more"),
    DeclaredFigure(
        "rmse_random",
        "rating",
        heading="RMSE label, RMSE random",
        meaning="The error of what a person's own profile says, and of a recommender that learns "
        "groups which were put together at random. Groups that predict no better are worth no "
        "more.",
    ),
    RMSE_ORIGINAL,
    RMSE_ITEM_MEAN,
)


class GroupPrediction(Measure):
    """RMSE on a probe that the method has not seen, predicted from the profiles of groups.

    Either a recommender (blended with the item mean, as in `tailoring-utility`) is trained on the
    profiles, or the profile of a person's group is the prediction. Groups made at random, of the
    same sizes and as means over those who rated, show what grouping by taste adds; the mean of
    each item needs no groups at all. A row without an identical one counts as a group of one.
    """

    name: ClassVar[str] = "group-prediction"
    summary: ClassVar[str] = "Error of predictions from the profiles of groups."
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of groups"
    compared_with: ClassVar[tuple[str, ...]] = ()
    takes_turns: ClassVar[str] = "recommenders of the rehearsal"
    Parameters: ClassVar[type[Parameters]] = RecommenderParameters
    parameters: RecommenderParameters

    @property
    def label(self) -> str:
        return f"profiles of groups, {self.parameters.recommender}"

    def applies(self, context: AuditContext) -> bool:
        return isinstance(context.release, GroupedRelease)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        name = self.parameters.recommender
        learner = RECOMMENDERS.get(name)
        summary = f"Ratings predicted from profiles by {name}."
        rehearsal, reason = context.rehearsal, why_no_values(context, self.parameters.recommender)
        if rehearsal is None or reason:
            return self.finding(summary, (), 0, seed, (reason or "",))
        probe, grouped = (
            Probe(rehearsal.users, rehearsal.items, rehearsal.truth),
            _profiled(rehearsal),
        )
        drawn = Randomness.from_seed(rehearsal.seed)
        random_profiles = random_groups(
            grouped.group_of, rehearsal.known, drawn.generator("random groups")
        )
        before = trained(rehearsal, name, "original", progress)
        found = {
            "rmse": trained_errors(grouped, probe, learner(), rehearsal.seed, progress),
            "rmse_label": label_errors(grouped, probe),
            "rmse_random": trained_errors(
                random_profiles, probe, learner(), rehearsal.seed, progress
            ),
            "rmse_original": before.blended(*probe[:2], progress) - probe.truth,
            "rmse_item_mean": mean_errors(rehearsal.known, probe),
        }
        figures: tuple[Figure, ...] = tuple(
            rmse_figure(figure, found[figure], rehearsal.users, meaning)
            for figure, meaning in _MEANINGS.items()
        )
        return self.finding(summary, figures, len(probe.truth), seed, (rehearsal.note,))


class Probe(NamedTuple):
    """Ratings that were held out: whose, of what, and the truth; codes of the original."""

    users: Indices
    items: Indices
    truth: Floats


class PredictionProfiles(NamedTuple):
    """Profiles, the group of each person (-1 for none), and the code of each item in profiles."""

    profiles: Ratings
    group_of: Indices
    item_code: Indices

    @classmethod
    def of_people(cls, ratings: Ratings) -> PredictionProfiles:
        """Everyone a group of one."""
        return cls(ratings, np.arange(ratings.n_users), np.arange(ratings.n_items))


def trained_errors(
    grouped: PredictionProfiles,
    probe: Probe,
    untrained: Recommender,
    seed: int,
    progress: Progress = SILENT,
) -> Floats:
    """Errors on the probe of a recommender that learns one row for each group.

    Were the rows of all members written out, what is set aside to blend it with the item mean
    would stand in the rows beside it, and what one member rated would count as often as if all had.
    """
    generator = Randomness.from_seed(seed).generator("validation", "groups")
    model = trained_on(grouped.profiles, untrained, generator, progress)
    rows, items = grouped.group_of[probe.users], grouped.item_code[probe.items]
    return model.blended(rows, items, progress) - probe.truth


def label_errors(grouped: PredictionProfiles, probe: Probe) -> Floats:
    """Errors on the probe of what profiles say, else of the item's mean over all of them."""
    profiles = grouped.profiles
    rows, items = grouped.group_of[probe.users], grouped.item_code[probe.items]
    predicted = ItemMean().fit(profiles).predict(rows, items)
    listable = np.flatnonzero((rows >= 0) & (items >= 0))
    listed = values_at(
        rows[listable],
        items[listable].astype(np.int32),
        profiles.offsets,
        profiles.items,
        profiles.values,
        np.full(profiles.n_items, np.nan),
    )
    predicted[listable] = np.where(np.isnan(listed), predicted[listable], listed)
    return predicted - probe.truth


def mean_errors(known: Ratings, probe: Probe) -> Floats:
    """Errors of the mean of each item."""
    return ItemMean().fit(known).predict(probe.users, probe.items) - probe.truth


def means_over_raters(known: Ratings, group_of: Indices, groups: int) -> Ratings:
    """For each group what its members rated, averaged over those who did; nothing else."""
    member = group_of[known.user_codes()]
    keys = member[member >= 0] * known.n_items + known.items[member >= 0]
    cells, cell_of = np.unique(keys, return_inverse=True)
    values = np.bincount(cell_of, known.values[member >= 0]) / np.bincount(cell_of)
    starts = np.searchsorted(cells, np.arange(groups + 1) * known.n_items)
    return replace(
        known,
        offsets=starts.astype(np.int64),
        items=(cells % known.n_items).astype(np.int32),
        values=values.astype(np.float32),
        scale=replace(known.scale, step=None),
        user_labels=np.arange(groups),
        times=None,
    )


def random_groups(
    group_of: Indices, known: Ratings, generator: np.random.Generator
) -> PredictionProfiles:
    """Groups of the same sizes, whoever is in them; each as the means over its raters."""
    random_profiles = group_of.copy()
    inside = np.flatnonzero(group_of >= 0)
    random_profiles[inside] = generator.permutation(group_of[inside])
    groups = int(group_of.max()) + 1 if len(inside) else 0
    made = means_over_raters(known, random_profiles, groups)
    return PredictionProfiles(made, random_profiles, np.arange(known.n_items))


def _profiled(rehearsal: Rehearsal) -> PredictionProfiles:
    """The distinct rows of a rehearsal, and the one of each person."""
    row_class, _ = identical_groups(rehearsal.released, values=True)
    _, example = np.unique(row_class, return_index=True)
    first = rehearsal.linkage.first_row(np.arange(rehearsal.known.n_users))
    group_of = np.where(first >= 0, np.append(row_class, -1)[first], -1)
    return PredictionProfiles(
        rehearsal.released.take_users(example), group_of, rehearsal.item_in_release
    )
