"""The model of how people rate, learnt from sums over people; it knows no person."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from recloak.core.arrays import Floats, Indices, Integers


@dataclass(frozen=True)
class Sizes:
    """Ratings per person: ranges from ``low`` up to before ``high``, each with its share."""

    low: Integers
    high: Integers
    share: Floats

    def quantiles(self, chances: Floats) -> Integers:
        """The numbers of ratings below which these shares of people stay."""
        ends = np.cumsum(self.share)
        bins = np.minimum(np.searchsorted(ends, chances * ends[-1], side="right"), len(ends) - 1)
        within = 1 - (ends[bins] - chances * ends[-1]) / self.share[bins]
        # within a range small numbers are likelier, as they are from range to range
        drawn = self.low[bins] * (self.high[bins] / self.low[bins]) ** within
        inside = np.clip(drawn.astype(np.int64), self.low[bins], self.high[bins] - 1)
        return np.asarray(inside, np.int64)

    def spread(self, count: int) -> Integers:
        """So many numbers of ratings at even distances, for sums over all people."""
        return self.quantiles((np.arange(count) + 0.5) / count)

    def up_to(self, most: int) -> Sizes:
        """Without the ranges that begin above ``most``: there are not so many items."""
        kept = self.low <= most
        total = max(float(self.share[kept].sum()), 1e-300)
        return Sizes(self.low[kept], self.high[kept], self.share[kept] / total)

    @property
    def mean_of_inverse(self) -> float:
        """The mean of 1 / ratings over people."""
        return float((1.0 / self.spread(2000)).mean())


@dataclass(frozen=True)
class Traits:
    """What people are drawn from, for items in the codes of the data that were fitted.

    An item is rated with weight exp(fame + directions · z), z normal for each person; it is given
    effect + generosity + likes · t + residual, t normal for each person, in units of the scale.
    Of a survey the items are answers: ``question`` is the question that each belongs to.
    """

    items: Indices
    sizes: Sizes
    people: float
    fame: Floats
    directions: Floats
    effects: Floats
    generosity: float
    likes: Floats
    residual: float
    question: Indices | None = None
    periods: Integers | None = None
    period_shares: Floats | None = None

    @property
    def ranks(self) -> tuple[int, int]:
        """How many directions of what people rate, and of what they like, were learnt."""
        return self.directions.shape[1], self.likes.shape[1]

    def arrays(self) -> dict[str, np.ndarray]:
        """All of it as arrays by name."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        sizes = held.pop("sizes")
        held |= {"low": sizes.low, "high": sizes.high, "share": sizes.share}
        return {name: np.asarray(value) for name, value in held.items() if value is not None}

    @classmethod
    def from_arrays(cls, held: dict[str, np.ndarray]) -> Traits:
        """The inverse of `arrays`."""
        given: dict[str, Any] = dict(held)
        sizes = Sizes(given.pop("low"), given.pop("high"), given.pop("share"))
        for name in ("people", "generosity", "residual"):
            given[name] = float(given[name])
        return cls(sizes=sizes, **given)
