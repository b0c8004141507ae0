"""Parameters of attacks that make tries: what is known, and how sure the rates are to be."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from recloak.parameters import Parameters


class TryParameters(Parameters):
    """What the adversary knows, and how sure the rates are to be."""

    known: int = Field(default=20, ge=1)
    """How many of a person's ratings the adversary knows, picked at random."""

    upto: int = Field(default=0, ge=0)
    """If above 0, each try knows any number of ratings from `known` to this one (the paper: 20
    to 25)."""

    wrong: float = Field(default=0.0, ge=0, le=1)
    """Probability that a rating the adversary knows is off by one step."""

    popular: int = Field(default=0, ge=0)
    """If above 0, he knows only ratings of so many most rated items."""

    width: float = Field(default=0.02, ge=0.001, le=0.5)
    """Tries go on until the 95 % intervals of success, inconclusive and wrong reach no further
    than this to either side."""

    at_least: int = Field(default=300, ge=2, le=1_000_000)
    """The smallest number of tries."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if 0 < self.upto < self.known:
            raise ValueError(f"upto = {self.upto} is less than known = {self.known}")
        return self

    @property
    def amount(self) -> str:
        """What is known, in words, without the noun: ``20 to 25``."""
        return f"{self.known} to {self.upto}" if self.upto else str(self.known)

    @property
    def limits(self) -> list[str]:
        """What else is to be said of what is known."""
        parts = [f"of the {self.popular:,} most rated items"] if self.popular else []
        return parts + ([f"{self.wrong:.0%} of them wrong"] if self.wrong else [])
