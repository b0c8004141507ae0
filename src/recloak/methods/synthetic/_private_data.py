"""The only access to the data: sums over people, with noise, written into the account.

Nothing else of the method can read the ratings. What is given to the fit is a `Queryable`, which
answers queries, each with a sensitivity that holds for any person.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, NoReturn

import numpy as np

from recloak.core.arrays import Floats
from recloak.core.parallel import in_threads, row_blocks, thread_count
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere, Sums, sum_of
from recloak.methods.synthetic._noise import discrete_gaussian
from recloak.releases.account import AskedQuery, written

GRID_BITS = 32
_STEP = 2.0**-GRID_BITS
_RATINGS_PER_BLOCK = 1_000_000


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
        """The sums over these people: whole numbers of grid steps, or numbers if exact.

        Added up over all people they are the same in any order, to the last bit.
        """


@dataclass(frozen=True)
class _AddedUp:
    """Adds up a query over ratings that are in memory, on all cores."""

    query: Query

    def __call__(self, ratings: Ratings, progress: Progress = SILENT) -> Sums:
        blocks = row_blocks(ratings.offsets, _RATINGS_PER_BLOCK)
        at_once = thread_count()  # more sums than that are not held: those of many items are large

        def added(start: int, end: int) -> Sums:
            return self.query.add_up(ratings, start, end)

        def parts() -> Iterator[Sums]:
            for at in range(0, len(blocks), at_once):
                yield from in_threads(added, blocks[at : at + at_once], task)

        if len(blocks) == 1 and progress is SILENT:  # as of many small blocks on disk
            return added(*blocks[0])
        with progress.task(_label(self.query), len(blocks)) as task:
            total = sum_of(parts())
        assert total is not None
        return total


def _label(query: Query) -> str:
    return f"Adding up {query.name}"


class PrivateRatings:
    """Ratings that only a `Queryable` can read: they have no attribute, no length, no rows."""

    __slots__ = ("_ask",)
    _ask: Callable[[Query, Progress], Sums]

    def __init__(self, ratings: Ratings | RatingsElsewhere) -> None:
        def ask(query: Query, progress: Progress) -> Sums:
            added = _AddedUp(query)
            if isinstance(ratings, Ratings):
                return added(ratings, progress)
            return ratings.added_up(added, query.shape, _label(query), progress)

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
