"""Trained models: each recommender learns each side of a shadow once, for all measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from recloak.kept import Kept
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.recommenders import RECOMMENDERS, Recommender
from recloak.recommenders.item_mean import ItemMean
from recloak.recommenders.validation import Split, split_off
from recloak.scene import Codes, Scene, Shadow

Side = Literal["release", "original"]
Predictions = NDArray[np.float64]

FEWEST_TO_BLEND = 30  # cells; three weights from fewer would be noise
UNBLENDED = np.array([0.0, 0.0, 1.0])
_LEARNT: Kept[Trained] = Kept()


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
class Trained:
    """A recommender after training on one side of a shadow.

    ``weights`` blend a constant, the item mean and the recommender. ``learnt`` tells which rows
    had ratings to train on; all others are given the item mean.
    """

    recommender: Recommender
    item_mean: Recommender
    learnt: NDArray[np.bool_]
    weights: NDArray[np.float64]

    def blended(self, rows: Codes, items: Codes, progress: Progress = SILENT) -> Predictions:
        """The blend for rows that were trained on, the item mean for others and for -1."""
        predicted = self.item_mean.predict(rows, items)
        known = np.flatnonzero(self.has_learnt(rows))
        told = self.recommender.predict(rows[known], items[known], progress)
        constant, average, own = self.weights
        mixed = constant + average * predicted[known] + own * told
        predicted[known] = self.recommender.scale.clip(mixed)
        return predicted

    def has_learnt(self, rows: Codes) -> NDArray[np.bool_]:
        """Which of ``rows`` were trained on; -1 is none."""
        return np.append(self.learnt, False)[rows]


def trained(shadow: Shadow, name: str, side: Side, progress: Progress = SILENT) -> Trained:
    """The recommender ``name`` trained on one side of ``shadow``; made once and kept there."""
    found: Trained | None = shadow.models.get((name, side))
    if found is None:
        found = shadow.models[name, side] = _train(shadow, name, side, progress)
    return found


def _train(shadow: Shadow, name: str, side: Side, progress: Progress) -> Trained:
    """The original's side is the same for every release of it, so that several audits share it."""

    def train(ratings: Ratings) -> Trained:
        generator = Randomness.from_seed(shadow.seed).generator("validation", side)
        return trained_on(ratings, RECOMMENDERS.get(name)(), generator, progress)

    if side == "release":
        return train(shadow.released)
    return _LEARNT.get(shadow.known, (name, shadow.seed), lambda: train(shadow.known))


def trained_on(
    ratings: Ratings,
    untrained: Recommender,
    generator: np.random.Generator,
    progress: Progress = SILENT,
) -> Trained:
    """A recommender trained on ratings, some of which are set aside to blend it."""
    item_mean = ItemMean().fit(ratings, progress)
    if isinstance(untrained, ItemMean):  # nothing is left to blend it with
        return Trained(item_mean, item_mean, ratings.user_counts > 0, UNBLENDED)
    split = split_off(ratings, generator)
    recommender = untrained.fit(split.training, progress)
    learnt = split.training.user_counts > 0
    weights = _blend(recommender, split, learnt, progress)
    return Trained(recommender, item_mean, learnt, weights)


def _blend(
    recommender: Recommender, split: Split, learnt: NDArray[np.bool_], progress: Progress
) -> NDArray[np.float64]:
    """Least squares on the cells that were set aside in rows that are left to learn from."""
    usable = learnt[split.users]
    users, items = split.users[usable], split.items[usable]
    if len(users) < FEWEST_TO_BLEND:
        return UNBLENDED
    average = ItemMean().fit(split.training).predict(users, items)
    told = recommender.predict(users, items, progress)
    parts = np.stack([np.ones(len(users)), average, told], axis=1)
    return np.linalg.lstsq(parts, split.values[usable].astype(np.float64), rcond=None)[0]


def why_no_probe(scene: Scene) -> str | None:
    """Why nothing can be measured on a probe; None if something can."""
    if scene.shadow is None:
        return "There is no probe."
    if len(np.unique(scene.shadow.users)) < 2:
        return "Fewer than two people are in the probe."
    return None


def why_no_values(scene: Scene) -> str | None:
    """Why no values can be predicted; None if they can."""
    if scene.shadow is not None and scene.original.scale.span == 0:
        return "There are no values to predict."
    return why_no_probe(scene)
