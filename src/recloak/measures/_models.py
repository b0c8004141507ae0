"""Trained models: each recommender is trained once on each side of a rehearsal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field, field_validator

from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.cache import PerTableCache
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.recommenders import RECOMMENDERS, Recommender
from recloak.recommenders.base import ValidationSplit, split_off
from recloak.recommenders.item_mean import ItemMean
from recloak.releases.linkage import NO_ROW

Side = Literal["release", "original"]

FEWEST_TO_BLEND = 30  # cells; three weights from fewer would be noise
UNBLENDED = np.array([0.0, 0.0, 1.0])
_FOLDED_IN = "The measure fold-in says how useful it is to people who give it their ratings."
_ORIGINAL_MODELS: PerTableCache[TrainedModel] = PerTableCache()


class RecommenderParameters(Parameters):
    """Parameters of every measure that trains a recommender."""

    recommender: str = Field(default="factorization")
    """The recommender that is trained on the release: item-mean, factorization,
    plain-factorization or neighbours."""

    @field_validator("recommender")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in RECOMMENDERS.names():
            raise ValueError(f"should be one of {', '.join(RECOMMENDERS.names())}")
        return name


@dataclass(frozen=True)
class TrainedModel:
    """A recommender after training on one side of a rehearsal.

    ``weights`` blend a constant, the item mean and the recommender. ``trained_rows``
    tells which rows had ratings to train on; all others are given the item mean.
    """

    recommender: Recommender
    item_mean: Recommender
    trained_rows: Mask
    weights: Floats

    def blended(self, rows: Indices, items: Indices, progress: Progress = SILENT) -> Floats:
        """The blend for rows that were trained on, the item mean for others and for -1."""
        predicted = self.item_mean.predict(rows, items)
        known = np.flatnonzero(self.was_trained_on(rows))
        predicted_own = self.recommender.predict(rows[known], items[known], progress)
        constant, average, own = self.weights
        mixed = constant + average * predicted[known] + own * predicted_own
        predicted[known] = self.recommender.scale.clip(mixed)
        return predicted

    def was_trained_on(self, rows: Indices) -> Mask:
        """Which of ``rows`` were trained on; -1 is none."""
        return np.append(self.trained_rows, False)[rows]


def trained(
    rehearsal: Rehearsal, name: str, side: Side, progress: Progress = SILENT
) -> TrainedModel:
    """The recommender ``name`` trained on one side of ``rehearsal``; made once and kept there."""
    found: TrainedModel | None = rehearsal.models.get((name, side))
    if found is None:
        found = rehearsal.models[name, side] = _train(rehearsal, name, side, progress)
    return found


def _train(rehearsal: Rehearsal, name: str, side: Side, progress: Progress) -> TrainedModel:
    """The original's side is the same for every release of it, so that several audits share it."""

    def train(ratings: Ratings) -> TrainedModel:
        generator = Randomness.from_seed(rehearsal.seed).generator("validation", side)
        return trained_on(ratings, RECOMMENDERS.get(name)(), generator, progress)

    if side == "release":
        return train(rehearsal.released)
    return _ORIGINAL_MODELS.get(
        rehearsal.known, (name, rehearsal.seed), lambda: train(rehearsal.known)
    )


def trained_on(
    ratings: Ratings,
    untrained: Recommender,
    generator: np.random.Generator,
    progress: Progress = SILENT,
) -> TrainedModel:
    """A recommender trained on ratings, some of which are set aside to blend it."""
    item_mean = ItemMean().fit(ratings, progress)
    if isinstance(untrained, ItemMean):  # nothing is left to blend it with
        return TrainedModel(item_mean, item_mean, ratings.user_counts > 0, UNBLENDED)
    split = split_off(ratings, generator)
    recommender = untrained.fit(split.training, progress)
    trained_rows = split.training.user_counts > 0
    weights = _blend(recommender, split, trained_rows, progress)
    return TrainedModel(recommender, item_mean, trained_rows, weights)


def _blend(
    recommender: Recommender,
    split: ValidationSplit,
    trained_rows: Mask,
    progress: Progress,
) -> Floats:
    """Least squares on the cells that were set aside in rows that are left to learn from."""
    usable = trained_rows[split.users]
    users, items = split.users[usable], split.items[usable]
    if len(users) < FEWEST_TO_BLEND:
        return UNBLENDED
    average = ItemMean().fit(split.training).predict(users, items)
    predicted_own = recommender.predict(users, items, progress)
    parts = np.stack([np.ones(len(users)), average, predicted_own], axis=1)
    return np.linalg.lstsq(parts, split.values[usable].astype(np.float64), rcond=None)[0]


def why_no_probe(context: AuditContext) -> str | None:
    """Why nothing can be measured on a probe; None if something can."""
    if context.rehearsal is None:
        return "There is no probe."
    if len(np.unique(context.rehearsal.users)) < 2:
        return "Fewer than two people are in the probe."
    return None


def why_no_lists(context: AuditContext) -> str | None:
    """Why no recommender trained on the release knows people of the probe; None if one does."""
    rehearsal = context.rehearsal
    nobodys = rehearsal is not None and rehearsal.linkage.is_of_nobody
    return f"{NO_ROW} {_FOLDED_IN}" if nobodys else why_no_probe(context)


def why_no_values(context: AuditContext, recommender: str) -> str | None:
    """Why no values can be predicted by a recommender; None if they can."""
    if context.rehearsal is not None and context.original.scale.span == 0:
        return "There are no values to predict."
    return why_no_probe(context) if recommender == ItemMean.name else why_no_lists(context)
