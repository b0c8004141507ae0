"""Recommender `factorization`: biases and latent tastes, learnt by stochastic gradient descent."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.core.arrays import Codes, Floats, Integers, Values
from recloak.core.cache import PerTableCache
from recloak.core.errors import ParameterError
from recloak.core.frames import to_csr
from recloak.core.parameters import Parameters
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.recommenders._factorization_kernels import LANES, descend, predict_cells
from recloak.recommenders.base import Recommender, mean_of

# Sparse data fall apart into many islands, each with a vector of the same strength: to tell these
# apart exactly takes minutes, and there is nothing to tell.
PRECISE = 1e-4
INITIAL_SPREAD = 0.02  # larger ones leave noise in the rows of users with few ratings

Factors = NDArray[np.float32]


class FactorizationParameters(Parameters):
    """How many tastes to learn, and how cautiously.

    Rates and regularisation are for ratings in standard deviations from their mean, so that they
    mean the same on 1..5 as on -10..10.
    """

    factors: int = Field(default=32, ge=1, le=1024)
    """Number of latent tastes."""

    epochs: int = Field(default=20, ge=1, le=1000)
    """How often every rating is visited."""

    learning_rate: float = Field(default=0.04, gt=0, le=1)
    """How far each step goes in the first epoch."""

    decay: float = Field(default=0.9, gt=0, le=1)
    """What each epoch leaves of the learning rate."""

    regularization: float = Field(default=0.04, ge=0, le=1)
    """How strongly factors are pulled towards 0."""

    bias_regularization: float = Field(default=0.03, ge=0, le=1)
    """How strongly the biases of users and items are pulled towards 0."""

    seed: int = Field(default=0, ge=0)
    """Decides the initial factors and the order in which users are visited."""


class Factorization(Recommender):
    """Predicts mean + user bias + item bias + user factors · item factors.

    One thread visits the users in a new random order each epoch, each with all their ratings, and
    adds up in a fixed order: the same seed gives the same bytes. After `fit` the learnt arrays
    are in rating units. Users and items without ratings have biases and factors of 0.

    References
    ----------
    Koren, Bell, Volinsky: Matrix factorization techniques for recommender systems. IEEE Computer
    42(8), 2009.
    """

    name: ClassVar[str] = "factorization"
    summary: ClassVar[str] = "Biases and latent tastes of users and items (matrix factorisation)."
    reference: ClassVar[str] = (
        "Koren, Bell, Volinsky: Matrix factorization techniques for recommender systems, 2009"
    )
    Parameters: ClassVar[type[Parameters]] = FactorizationParameters
    parameters: FactorizationParameters
    products_per_part: ClassVar[int] = 200_000_000
    """How many products are made between two reports of progress: a fraction of a second."""

    mean: float
    user_bias: Values
    item_bias: Values
    user_factors: Factors
    item_factors: Factors

    def learn(self, ratings: Ratings, progress: Progress) -> None:
        self.mean = mean_of(ratings)
        generator = Randomness.from_seed(self.parameters.seed).generator("factorization")
        self._initialise(ratings, generator)
        targets, deviation = _standardised(ratings, self.mean)
        products = ratings.n_ratings * self.user_factors.shape[1]
        parts = max(math.ceil(products / self.products_per_part), 1)
        with progress.task("Training the factorisation", self.parameters.epochs) as task:
            for epoch in range(self.parameters.epochs):
                order = generator.permutation(ratings.n_users)
                for users in np.array_split(order, parts):
                    self._visit(users, ratings, targets, epoch)
                    task.advance(1 / parts)
        self._refuse_divergence()
        self._to_rating_units(deviation)

    def estimate(self, users: Codes, items: Codes, progress: Progress) -> Floats:
        return predict_cells(
            users,
            items,
            self.mean,
            self.user_bias,
            self.item_bias,
            self.user_factors,
            self.item_factors,
        )

    def _initialise(self, ratings: Ratings, generator: np.random.Generator) -> None:
        factors = self.parameters.factors
        self.user_bias = np.zeros(ratings.n_users, np.float32)
        self.item_bias = np.zeros(ratings.n_items, np.float32)
        self.user_factors = _initial(ratings.user_counts, factors, generator)
        self.item_factors = _initial(ratings.item_support, factors, generator)

    def _visit(self, users: Integers, ratings: Ratings, targets: Values, epoch: int) -> None:
        given = self.parameters
        rate = given.learning_rate * given.decay**epoch
        descend(
            users,
            ratings.offsets,
            ratings.items,
            targets,
            self.user_bias,
            self.item_bias,
            self.user_factors,
            self.item_factors,
            np.float32(rate),
            np.float32(1 - rate * given.bias_regularization),
            np.float32(1 - rate * given.regularization),
        )

    def _refuse_divergence(self) -> None:
        learnt = (self.user_bias, self.item_bias, self.user_factors, self.item_factors)
        if not all(np.isfinite(array).all() for array in learnt):
            raise ParameterError(
                "the factorisation diverged",
                where=f"recommender {self.name}, parameter 'learning-rate'",
                hint=f"Lower it; {self.parameters.learning_rate:g} was used.",
            )

    def _to_rating_units(self, deviation: float) -> None:
        factors = self.parameters.factors
        share = np.float32(math.sqrt(deviation))
        self.user_bias *= np.float32(deviation)
        self.item_bias *= np.float32(deviation)
        self.user_factors = self.user_factors[:, :factors] * share
        self.item_factors = self.item_factors[:, :factors] * share


_FACTORIZED: PerTableCache[Factorization] = PerTableCache()


def factorized(
    ratings: Ratings, progress: Progress, *, seed: int, factors: int = 32
) -> Factorization:
    """A factorisation that methods with the same seed share; it is not to be changed."""
    return _FACTORIZED.get(
        ratings,
        (seed, factors),
        lambda: Factorization(factors=factors, seed=seed).fit(ratings, progress),
    )


def _initial(counts: Integers, factors: int, generator: np.random.Generator) -> Factors:
    """Small random factors, 0 where nothing will be learnt; columns are padded to full lanes."""
    padded = np.zeros((len(counts), math.ceil(factors / LANES) * LANES), np.float32)
    drawn = generator.standard_normal((len(counts), factors), dtype=np.float32)
    padded[:, :factors] = np.float32(INITIAL_SPREAD) * drawn
    padded[counts == 0] = 0
    return padded


def _standardised(ratings: Ratings, mean: float) -> tuple[Values, float]:
    """Ratings in standard deviations from the mean, and the deviation (1 if all are equal)."""
    deviation = float(ratings.values.std(dtype=np.float64)) if ratings.n_ratings else 0.0
    if deviation <= 1e-6 * max(abs(mean), 1.0):
        deviation = 1.0
    targets = ratings.values - np.float32(mean)
    targets /= np.float32(deviation)
    return targets, deviation


def presence_factors(ratings: Ratings, factors: int, seed: int, progress: Progress) -> Values:
    """Singular vectors of the rated cells, each weighed by how common its row and item are."""
    from scipy.sparse.linalg import svds  # slow to load, and few data need it

    shape = (ratings.n_users, ratings.n_items)
    rank = min(factors, *(side - 1 for side in shape))
    features = np.zeros((ratings.n_items, factors), dtype=np.float32)
    if rank < 1:
        return features
    cells = to_csr(ratings).astype(np.float64)
    rows = np.repeat(ratings.user_counts, ratings.user_counts)
    cells.data = 1.0 / np.sqrt(rows * ratings.item_support[cells.indices])
    start = np.random.Generator(np.random.Philox(seed)).standard_normal(min(shape))
    with progress.task("Comparing the items", 1) as task:
        _, strength, vectors = svds(cells, k=rank, v0=start, tol=PRECISE)
        task.advance()
    features[:, :rank] = (vectors * strength[:, None]).T
    return features
