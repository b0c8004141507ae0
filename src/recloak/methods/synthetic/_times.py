"""Times: coarse ones, drawn from how people's ratings are spread over periods."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from recloak.core.arrays import Floats, Integers
from recloak.methods.synthetic._private_data import Queryable
from recloak.methods.synthetic._queries import Moments

FIRST_YEAR, LAST_YEAR = 1970, 2069  # known before any look at the data
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_LOUD = 4.0  # deviations of the noise above which a period is believed


def period_edges(unit: str) -> Integers:
    """When periods begin, and when the last one ends, in seconds since 1970."""
    months = range(0, 12 * (LAST_YEAR - FIRST_YEAR + 1) + 1, _MONTHS[unit])
    begins = [datetime(FIRST_YEAR + month // 12, month % 12 + 1, 1, tzinfo=UTC) for month in months]
    return np.array([round(moment.timestamp()) for moment in begins], np.int64)


def learnt_periods(
    queryable: Queryable, unit: str, share: float, floor: int
) -> tuple[Integers, Floats] | None:
    """The periods in which people rate, and how often; None if noise covers all."""
    edges = period_edges(unit)
    found = queryable.ask(Moments(edges), share)
    sigma = queryable.budget.sigma(1.0, share) if queryable.budget.mu is not None else 0.0
    enough = found > (_LOUD * sigma if sigma else floor - 0.5)
    if not enough.any():
        return None
    return edges[:-1][enough], found[enough]
