"""Recommender `plain-factorization`: users times items, trained as the paper did."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.core.arrays import (
    Codes,
    Floats,
    Indices,
    Mask,
    Offsets,
    Values,
)
from recloak.core.kernels import kernel
from recloak.core.parameters import Parameters
from recloak.core.progress import Progress, Task
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.recommenders._factorization_kernels import LANES, dot, predict_cells
from recloak.recommenders.base import Recommender, ValidationSplit, split_off
from recloak.recommenders.factorization import Factors
from recloak.recommenders.item_mean import ItemMean


@kernel
def descend_plain(
    order: Indices,
    offsets: Offsets,
    items: Codes,
    targets: Values,
    user_factors: Values,
    item_factors: Values,
    rate: np.float32,
    keep: np.float32,
) -> None:
    """Visit the users in ``order`` and step all factors down the squared error of each rating.

    ``keep`` is what one step leaves of a factor: 1 − rate × regularisation.
    """
    width = user_factors.shape[1]
    mine = np.empty(width, np.float32)
    lanes = np.empty(LANES, np.float32)
    for user in order:
        mine[:] = user_factors[user]
        for at in range(offsets[user], offsets[user + 1]):
            theirs = item_factors[items[at]]
            step = rate * (targets[at] - dot(mine, theirs, lanes))
            for factor in range(width):
                before = mine[factor]
                mine[factor] = keep * before + step * theirs[factor]
                theirs[factor] = keep * theirs[factor] + step * before
        user_factors[user] = mine


@kernel
def descend_alone(
    order: Indices,
    offsets: Offsets,
    items: Codes,
    targets: Values,
    user_factor: Values,
    item_factor: Values,
    rate: np.float32,
    keep: np.float32,
) -> None:
    """The same with a single factor, several times faster than one of many."""
    for user in order:
        mine = user_factor[user]
        for at in range(offsets[user], offsets[user + 1]):
            theirs = item_factor[items[at]]
            step = rate * (targets[at] - mine * theirs)
            item_factor[items[at]] = keep * theirs + step * mine
            mine = keep * mine + step * theirs
        user_factor[user] = mine


LOWEST, HIGHEST = 1.0, 5.0  # the paper's stars, on which its rates are meant


class PlainFactorizationParameters(Parameters):
    """The paper's settings; rates are for ratings that were moved to a scale from 1 to 5."""

    factors: int = Field(default=25, ge=1, le=1024)
    """Number of latent tastes."""

    learning_rate: float = Field(default=0.001, gt=0, le=0.01)
    """How far each step goes."""

    regularization: float = Field(default=0.02, ge=0, le=1)
    """How strongly factors are pulled towards 0."""

    start: float = Field(default=0.1, gt=0, le=1)
    """What every factor is at first."""

    spread: float = Field(default=0.0, ge=0, le=1)
    """Standard deviation of what is added to each factor at first. Without any, the factors never
    part: all of them together learn one taste, which is how the paper's training ends."""

    improvement: float = Field(default=5e-6, ge=0, le=1)
    """Training stops after the first epoch that lowers the RMSE of a validation split by less."""

    epochs: int = Field(default=2000, ge=1, le=100_000)
    """How often every rating is visited at most."""

    seed: int = Field(default=0, ge=0)
    """Decides the validation split and the spread of the first factors."""


class PlainFactorization(Recommender):
    """Predicts user factors · item factors: no mean, no biases.

    All factors start alike and are trained together, so that they stay alike: the result is of
    rank 1, one number for each person times one for each item, however many factors are asked
    for. It beats the item mean by what people differ in generosity and knows nothing of tastes.
    This is the under-training behind the paper's utility figures. Any ``spread`` lets the factors
    part after some hundred epochs and ends near the recommender `factorization`.

    A person or an item without ratings gets the item mean, or the overall mean.

    References
    ----------
    Gonçalves, Gomes, Aguiar: Privacy in data publishing for tailored recommendation scenarios,
    section 5.3; 25 factors, rate .001 and regularisation .02 are those of its programs.
    """

    name: ClassVar[str] = "plain-factorization"
    summary: ClassVar[str] = (
        "Factors without biases, trained as far as the fragmentation paper did."
    )
    reference: ClassVar[str] = (
        "Gonçalves, Gomes, Aguiar: Privacy in Data Publishing for Tailored Recommendation Scenarios"
    )
    Parameters: ClassVar[type[Parameters]] = PlainFactorizationParameters
    parameters: PlainFactorizationParameters
    products_per_part: ClassVar[int] = 200_000_000
    """How many products are made between two reports of progress: a fraction of a second."""

    user_factors: Factors
    item_factors: Factors
    epochs_trained: int

    def learn(self, ratings: Ratings, progress: Progress) -> None:
        generator = Randomness.from_seed(self.parameters.seed).generator(self.name)
        self._averages = ItemMean().fit(ratings, progress)
        split = split_off(ratings, generator)
        self._user_known = split.training.user_counts > 0
        self._item_known = split.training.item_support > 0
        self.user_factors = self._initial(self._user_known, generator)
        self.item_factors = self._initial(self._item_known, generator)
        self._train(split, progress)
        self.user_factors = self._all_factors(self.user_factors)
        self.item_factors = self._all_factors(self.item_factors)

    def estimate(self, users: Codes, items: Codes, progress: Progress) -> Floats:
        known = (users >= 0) & (items >= 0)
        known &= np.append(self._user_known, False)[users]
        known &= np.append(self._item_known, False)[items] & (self.scale.span > 0)
        found = self._averages.estimate(users, items, progress)
        places = (self._products(users[known], items[known]) - LOWEST) / (HIGHEST - LOWEST)
        found[known] = self.scale.low + self.scale.span * places
        return found

    def _initial(self, known: Mask, generator: np.random.Generator) -> Factors:
        """The first factors, 0 where nothing will be learnt; columns are padded to full lanes."""
        factors = self._factors_trained
        width = math.ceil(factors / LANES) * LANES if factors > 1 else 1
        padded = np.zeros((len(known), width), np.float32)
        padded[:, :factors] = self.parameters.start * math.sqrt(self.parameters.factors / factors)
        if self.parameters.spread > 0:
            drawn = generator.standard_normal((len(known), factors), dtype=np.float32)
            padded[:, :factors] += np.float32(self.parameters.spread) * drawn
        padded[~known] = 0
        return padded

    @property
    def _factors_trained(self) -> int:
        """Factors that stay alike are trained as one, √n times as large: the steps are the same."""
        return self.parameters.factors if self.parameters.spread > 0 else 1

    def _all_factors(self, trained: Factors) -> Factors:
        """As many columns as were asked for."""
        factors = self.parameters.factors
        if self._factors_trained == factors:
            return trained[:, :factors].copy()
        return np.repeat(trained[:, :1] / np.float32(math.sqrt(factors)), factors, axis=1)

    def _train(self, split: ValidationSplit, progress: Progress) -> None:
        targets = self._as_stars(split.training.values)
        judged = split if len(split) else _all_cells(split.training)
        truth = self._as_stars(judged.values)
        most, last, self.epochs_trained = self.parameters.epochs, np.inf, 0
        with progress.task("Training the plain factorisation", most) as task:
            while self.epochs_trained < most and len(truth):
                self._visit(split.training, targets, task)
                self.epochs_trained += 1
                errors = self._products(judged.users, judged.items) - truth
                error = float(np.sqrt(np.square(errors).mean()))
                if not last - error >= self.parameters.improvement:
                    break
                last = error
            task.advance(most - self.epochs_trained)

    def _visit(self, ratings: Ratings, targets: Values, task: Task) -> None:
        rate = self.parameters.learning_rate
        steps = np.float32(rate), np.float32(1 - rate * self.parameters.regularization)
        cells = ratings.offsets, ratings.items, targets
        mine, theirs = self.user_factors, self.item_factors
        width = self.user_factors.shape[1]
        parts = max(math.ceil(ratings.n_ratings * width / self.products_per_part), 1)
        for users in np.array_split(np.arange(ratings.n_users), parts):
            if width == 1:
                descend_alone(users, *cells, mine.reshape(-1), theirs.reshape(-1), *steps)
            else:
                descend_plain(users, *cells, mine, theirs, *steps)
            task.advance(1 / parts)

    def _products(self, users: Codes, items: Codes) -> Floats:
        no_bias = np.zeros(max(self.n_users, self.n_items), np.float32)
        factors = self.user_factors, self.item_factors
        return predict_cells(users, items, 0.0, no_bias, no_bias, *factors)

    def _as_stars(self, values: Values) -> Values:
        if self.scale.span == 0:
            return np.full(len(values), LOWEST, np.float32)
        share = (values - np.float32(self.scale.low)) / np.float32(self.scale.span)
        return np.float32(LOWEST) + np.float32(HIGHEST - LOWEST) * share


def _all_cells(ratings: Ratings) -> ValidationSplit:
    """For a handful of ratings, of which none can be spared."""
    return ValidationSplit(ratings, ratings.user_codes(), ratings.items, ratings.values)
