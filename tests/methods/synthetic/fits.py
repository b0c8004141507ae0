"""Fits under a queryable that records what is asked, or that is forced to give earlier answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from recloak.core.arrays import Floats
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods.synthetic import _private_fit
from recloak.methods.synthetic._private_data import (
    GRID_BITS,
    Budget,
    PrivateRatings,
    Query,
    Queryable,
)
from recloak.methods.synthetic._private_fit import fit_privately
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._shares import Shares
from recloak.methods.synthetic._times import learnt_periods
from recloak.methods.synthetic._traits import Traits
from recloak.methods.synthetic.budget import budget_for

STEP = 2.0**-GRID_BITS


class RecordingQueryable(Queryable):
    """Keeps every query with its exact sums and its answer."""

    def __init__(self, ratings: Ratings, epsilon: float, seed: int = 0) -> None:
        budget = Budget(budget_for(epsilon, 1e-6))
        super().__init__(PrivateRatings(ratings), budget, Randomness.from_seed(seed))
        self.queries: list[Query] = []
        self.sums: list[Any] = []
        self.answers: list[Floats] = []

    def _answer(self, query: Query, sums: Any, sigma: float) -> Floats:
        answer = self.forced(super()._answer(query, sums, sigma))
        self.queries.append(query)
        self.sums.append(np.array(sums, np.float64) * STEP)
        self.answers.append(answer)
        return answer

    def forced(self, answer: Floats) -> Floats:
        """The answer that is given in the end."""
        return answer


class ForcedQueryable(RecordingQueryable):
    """Gives the answers of an earlier fit, whatever the data are."""

    def __init__(self, ratings: Ratings, epsilon: float, earlier: list[Floats]) -> None:
        super().__init__(ratings, epsilon)
        self._earlier = list(earlier)

    def forced(self, answer: Floats) -> Floats:
        return self._earlier[len(self.answers)]


def fit_through(
    queryable: Queryable, n_items: int, scale: Scale, times: str | None = None
) -> Traits:
    """The fit with noise, as the method runs it."""
    public = PublicFacts(n_items, scale)
    shares = Shares.of(public, 0.2, 0.2, times is not None)
    if times is not None:
        learnt_periods(queryable, times, shares.times, 10)
    return fit_privately(queryable, public, shares, 4, np.random.default_rng(0))


def ask_everything(monkeypatch: Any, head: int = 12) -> None:
    """Noise covers small data: let every query be asked all the same."""
    monkeypatch.setattr(_private_fit, "_head", lambda *_: head)
