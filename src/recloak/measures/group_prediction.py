"""Measure `group-prediction`: how well the profiles of groups predict for their members."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np

from recloak.findings import Figure, Finding
from recloak.identical import identical_groups
from recloak.kernels.nearest_records import values_at
from recloak.measures.base import Measure
from recloak.measures.errors import Errors, rmse_figure
from recloak.measures.models import RecommenderParameters, trained, trained_on, why_no_values
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.recommenders import RECOMMENDERS, Recommender
from recloak.recommenders.item_mean import ItemMean
from recloak.scene import Codes, Scene, Shadow

_MEANINGS = {
    "rmse": "trained on the profiles, one row for each group",
    "rmse_label": "told by the person's own profile, else by the item's mean in the release",
    "rmse_random": "trained on groups of the same sizes, made at random",
    "rmse_original": "trained on the original",
    "rmse_item_mean": "told by the item's mean in the original",
}


class GroupPrediction(Measure):
    """RMSE on a probe that the method has not seen, told by profiles in several ways.

    A recommender (blended with the item mean, as in `tailoring-utility`) learns the profiles, or
    they say themselves what a member would rate. Groups made
    at random, of the same sizes and as means over those who rated, show what putting people
    together by their tastes is worth; the mean of each item is what needs no groups at all. A row
    that no other is like counts as a group of one.
    """

    name: ClassVar[str] = "group-prediction"
    summary: ClassVar[str] = "Error of predictions from the profiles of groups."
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010."
    )
    figures: ClassVar[tuple[str, ...]] = tuple(_MEANINGS)
    Parameters: ClassVar[type[Parameters]] = RecommenderParameters
    parameters: RecommenderParameters

    @property
    def label(self) -> str:
        return f"profiles of groups, {self.parameters.recommender}"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        name = self.parameters.recommender
        learner = RECOMMENDERS.get(name)
        summary = f"Ratings predicted from profiles by {name}."
        shadow, trouble = scene.shadow, why_no_values(scene)
        if shadow is None or trouble:
            return self.finding(summary, (), 0, seed, (trouble or "",))
        probe, profiled = Probe(shadow.users, shadow.items, shadow.truth), _profiled(shadow)
        drawn = Randomness.from_seed(shadow.seed)
        mixed = at_random(profiled.group_of, shadow.known, drawn.generator("random groups"))
        before = trained(shadow, name, "original", progress)
        found = {
            "rmse": trained_errors(profiled, probe, learner(), shadow.seed, progress),
            "rmse_label": label_errors(profiled, probe),
            "rmse_random": trained_errors(mixed, probe, learner(), shadow.seed, progress),
            "rmse_original": before.blended(*probe[:2], progress) - probe.truth,
            "rmse_item_mean": mean_errors(shadow.known, probe),
        }
        figures: tuple[Figure, ...] = tuple(
            rmse_figure(figure, found[figure], shadow.users, said)
            for figure, said in _MEANINGS.items()
        )
        return self.finding(summary, figures, len(probe.truth), seed, (shadow.note,))


class Probe(NamedTuple):
    """Ratings that were held out: whose, of what, and the truth; codes of the original."""

    users: Codes
    items: Codes
    truth: Errors


class Profiled(NamedTuple):
    """Profiles, the group of each person (-1 for none), and the code of each item in profiles."""

    profiles: Ratings
    group_of: Codes
    item_code: Codes

    @classmethod
    def of_people(cls, ratings: Ratings) -> Profiled:
        """Everyone a group of one."""
        return cls(ratings, np.arange(ratings.n_users), np.arange(ratings.n_items))


def trained_errors(
    profiled: Profiled,
    probe: Probe,
    untrained: Recommender,
    seed: int,
    progress: Progress = SILENT,
) -> Errors:
    """Errors on the probe of a recommender that learns one row for each group.

    Were the rows of all members written out, what is set aside to blend it with the item mean
    would stand in the rows beside it, and what one member rated would count as often as if all had.
    """
    generator = Randomness.from_seed(seed).generator("validation", "groups")
    model = trained_on(profiled.profiles, untrained, generator, progress)
    rows, items = profiled.group_of[probe.users], profiled.item_code[probe.items]
    return model.blended(rows, items, progress) - probe.truth


def label_errors(profiled: Profiled, probe: Probe) -> Errors:
    """Errors on the probe of what profiles say, else of the item's mean over all of them."""
    profiles = profiled.profiles
    rows, items = profiled.group_of[probe.users], profiled.item_code[probe.items]
    told = ItemMean().fit(profiles).predict(rows, items)
    asked = np.flatnonzero((rows >= 0) & (items >= 0))
    listed = values_at(
        rows[asked],
        items[asked].astype(np.int32),
        profiles.offsets,
        profiles.items,
        profiles.values,
        np.full(profiles.n_items, np.nan),
    )
    told[asked] = np.where(np.isnan(listed), told[asked], listed)
    return told - probe.truth


def mean_errors(known: Ratings, probe: Probe) -> Errors:
    """Errors of the mean of each item."""
    return ItemMean().fit(known).predict(probe.users, probe.items) - probe.truth


def means_over_raters(known: Ratings, group_of: Codes, groups: int) -> Ratings:
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


def at_random(group_of: Codes, known: Ratings, generator: np.random.Generator) -> Profiled:
    """Groups of the same sizes, whoever is in them; each as the means over its raters."""
    mixed = group_of.copy()
    inside = np.flatnonzero(group_of >= 0)
    mixed[inside] = generator.permutation(group_of[inside])
    groups = int(group_of.max()) + 1 if len(inside) else 0
    made = means_over_raters(known, mixed, groups)
    return Profiled(made, mixed, np.arange(known.n_items))


def _profiled(shadow: Shadow) -> Profiled:
    """The distinct rows of a rehearsal, and the one of each person."""
    look, _ = identical_groups(shadow.released, values=True)
    _, example = np.unique(look, return_index=True)
    first = shadow.linkage.first_row(np.arange(shadow.known.n_users))
    group_of = np.where(first >= 0, np.append(look, -1)[first], -1)
    return Profiled(shadow.released.take_users(example), group_of, shadow.item_in_release)
