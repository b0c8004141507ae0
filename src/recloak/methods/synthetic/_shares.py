"""Shares: how the budget is divided among the queries, as parts of μ²."""

from __future__ import annotations

from dataclasses import dataclass, replace

from recloak.methods.synthetic._public import PublicFacts

DEGREES, LEVEL, SPREADS, TIMES = 0.03, 0.01, 0.02, 0.02
FIRST_ROUND = 0.35  # of what the items get


@dataclass(frozen=True)
class Shares:
    """Parts of μ² that add up to 1."""

    items: float
    support: float
    taste: float
    degrees: float = DEGREES
    level: float = LEVEL
    spreads: float = SPREADS
    times: float = 0.0

    @classmethod
    def of(cls, public: PublicFacts, support: float, taste: float, times: bool) -> Shares:
        """What is left goes to the items; without values to learn from, taste gets nothing."""
        explicit = public.explicit
        level, spreads = (LEVEL, SPREADS) if explicit else (0.0, 0.0)
        spent = Shares(0.0, support, taste if explicit else 0.0, level=level, spreads=spreads)
        spent = replace(spent, times=TIMES if times else 0.0)
        return replace(spent, items=1.0 - spent.total)

    @property
    def total(self) -> float:
        """All of it."""
        return (
            self.items
            + self.support
            + self.taste
            + self.degrees
            + self.level
            + self.spreads
            + self.times
        )

    @property
    def items_first(self) -> float:
        """The first round over the items."""
        return self.items * FIRST_ROUND

    @property
    def items_second(self) -> float:
        """The second."""
        return self.items * (1 - FIRST_ROUND)

    def without(self, *, support: bool, taste: bool) -> Shares:
        """What noise would cover is not asked: its share goes to the items."""
        given = (self.support if support else 0.0) + (self.taste if taste else 0.0)
        return replace(
            self,
            items=self.items + given,
            support=0.0 if support else self.support,
            taste=0.0 if taste else self.taste,
        )
