"""The only access to the data: sums over people, with noise, written into the account.

Nothing else of the method can read the ratings. What is given to the fit is a `Queryable`, which
answers queries, each with a sensitivity that holds for any person.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Floats
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.synthetic._noise import discrete_gaussian
from recloak.releases.account import AskedQuery, written

GRID_BITS = 32
_STEP = 2.0**-GRID_BITS
_RATINGS_PER_BLOCK = 1_000_000
_MOST_BLOCKS = 32
Sums = NDArray[Any]


class Query(ABC):
    """A vector of sums over people, to which one person adds at most ``sensitivity`` (2-norm).

    A query depends on public facts and on earlier answers alone.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = False
    """Has it no bound on what one person adds? Then it is asked only where there is no noise."""
    sensitivity: float = 1.0
    shape: tuple[int, ...]

    @abstractmethod
    def add_up(self, ratings: Ratings, start: int, end: int) -> Sums:
        """The sums over these people: whole numbers of grid steps, or numbers if exact."""


class PrivateRatings:
    """Ratings that only a `Queryable` can read: they have no attribute, no length, no rows."""

    __slots__ = ("_ask",)
    _ask: Callable[[Query, Progress], Sums]

    def __init__(self, ratings: Ratings) -> None:
        per_block = max(_RATINGS_PER_BLOCK, ratings.n_ratings // _MOST_BLOCKS)
        blocks = row_blocks(ratings.offsets, per_block)

        def ask(query: Query, progress: Progress) -> Sums:
            def added(start: int, end: int) -> Sums:
                return query.add_up(ratings, start, end)

            with progress.task(f"Adding up {query.name}", len(blocks)) as task:
                parts = in_threads(added, blocks, task)
            total = parts[0]
            for part in parts[1:]:
                total += part
            return total

        object.__setattr__(self, "_ask", ask)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("private ratings cannot be changed")

    def __reduce__(self) -> NoReturn:
        raise TypeError("private ratings cannot be copied or written")

    def __repr__(self) -> str:
        return "PrivateRatings(…)"


class Budget(NamedTuple):
    """What may be spent: μ in terms of Gaussian differential privacy; None for exact answers."""

    mu: float | None

    def sigma(self, sensitivity: float, share: float) -> float:
        """The deviation of the noise for a query with this share of μ²; 0 if it is exact."""
        if self.mu is None:
            return 0.0
        return sensitivity / (self.mu * math.sqrt(share))


class Queryable:
    """Asks queries, adds noise and keeps the account; refuses to spend more than there is."""

    def __init__(
        self,
        private: PrivateRatings,
        budget: Budget,
        randomness: Randomness,
        progress: Progress = SILENT,
    ) -> None:
        self._private = private
        self._randomness = randomness
        self._progress = progress
        self.budget = budget
        self.asked: list[AskedQuery] = []

    @property
    def spent(self) -> float:
        """The share of μ² that is gone."""
        return sum(query.share for query in self.asked)

    def ask(self, query: Query, share: float = 0.0) -> Floats:
        """The answer: exact sums, with noise on every entry if there is a budget."""
        sigma = self._charge(query, share)
        sums = self._private._ask(query, self._progress)
        return self._answer(query, sums, sigma)

    def _charge(self, query: Query, share: float) -> float:
        """Write the query into the account, before it is asked."""
        private = self.budget.mu is not None
        if private and (query.exact or not share > 0):
            raise ValueError(f"the query '{query.name}' has no bound or no share of the budget")
        if private and self.spent + share > 1 + 1e-9:
            raise ValueError(f"the budget is spent: nothing is left for '{query.name}'")
        sigma = self.budget.sigma(query.sensitivity, share) if private else 0.0
        self.asked.append(
            AskedQuery(
                name=query.name,
                entries=math.prod(query.shape),
                sensitivity=written(query.sensitivity),
                share=written(share),
                sigma=written(sigma),
            )
        )
        return sigma

    def _answer(self, query: Query, sums: Sums, sigma: float) -> Floats:
        if query.exact:
            return np.asarray(sums, np.float64)
        if self.budget.mu is not None:
            stream = self._randomness.stream("noise", len(self.asked), query.name)
            steps = discrete_gaussian(stream, sigma / _STEP, sums.size)
            sums = sums + steps.reshape(sums.shape)
        return sums.astype(np.float64) * _STEP
