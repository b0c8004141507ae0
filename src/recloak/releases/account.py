"""Account: what a release says of its looks at the data: queries, sensitivities, shares, noise.

A claim of differential privacy cannot be seen in a file. What can be recorded is the account from
which it follows, so that anyone can add it up again.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

QUERIES = (
    "ratings per person",
    "times",
    "items",
    "level",
    "spreads",
    "support",
    "support step",
    "taste",
    "taste step",
    "item counts",
    "support products",
    "taste moments",
)
"""The names of all queries; an account has no others."""
DIGITS = 12  # of a number that is written: all that is needed, and no room to hide anything


class AskedQuery(BaseModel):
    """One look at the data: a vector of sums over people, and the noise on each of its entries."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z -]{0,30}[a-z]$")
    entries: int = Field(ge=0)
    sensitivity: float = Field(gt=0, lt=1e6)
    """How far one person can move the vector (Euclidean norm)."""
    share: float = Field(ge=0, le=1)
    """Of the squared budget μ²."""
    sigma: float = Field(ge=0, lt=1e12)
    """Deviation of the noise on each entry; 0 without differential privacy."""


class Account(BaseModel):
    """All looks at the data, and what they spend together.

    ``mu`` is the budget in terms of Gaussian differential privacy: telling a person's presence is
    no easier than telling N(0, 1) from N(μ, 1). Without differential privacy it is None, and
    ``floor`` the least number of people behind a statistic.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    unit: Literal["user"] = "user"
    neighbours: Literal["add or remove one"] = "add or remove one"
    public: tuple[Literal["items", "scale"], ...] = ("items", "scale")
    """What is taken to be known to everybody, not learnt from the people."""
    mu: float | None = Field(default=None, gt=0, lt=1e3)
    epsilon: float | None = Field(default=None, gt=0, lt=1e3)
    delta: float | None = Field(default=None, gt=0, lt=1)
    floor: int | None = Field(default=None, ge=1)
    sizes: tuple[tuple[int, int], ...] = ()
    """Without noise: the ranges of ratings per person that made-up people are drawn from."""
    earlier: tuple[float, ...] = ()
    """The budgets μ that earlier releases of the same people have spent."""
    noise: Literal["discrete gaussian", "none"] = "none"
    grid_bits: int = Field(default=32, ge=1, le=60)
    """All answers and all noise are whole multiples of 2 to the power of minus this."""
    queries: tuple[AskedQuery, ...] = ()


def written(number: float) -> float:
    """The number with as many digits as are written."""
    return float(f"{number:.{DIGITS}g}")
