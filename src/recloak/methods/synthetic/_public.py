"""What is known before any look at the data: the items, the scale, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recloak.core.arrays import Indices, Integers
from recloak.core.scale import Scale

SIZE_BINS = 40


@dataclass(frozen=True)
class PublicFacts:
    """The number of items and the scale."""

    n_items: int
    scale: Scale
    question: Indices | None = None
    """Of a survey, whose items are answers: the question that each of them belongs to."""

    @property
    def explicit(self) -> bool:
        """Are there values to learn from?"""
        return not self.scale.implicit and self.scale.span > 0

    @property
    def middle(self) -> float:
        return self.scale.middle

    @property
    def half(self) -> float:
        """Half of the scale, the unit of all values in a fit."""
        return self.scale.span / 2 if self.explicit else 1.0

    @property
    def units(self) -> tuple[float, float]:
        """Middle and half of the scale."""
        return self.middle, self.half

    @cached_property
    def size_edges(self) -> Integers:
        """Where ranges of ratings per person begin, and where the last one ends."""
        if self.question is not None:  # everybody has one answer to each
            questions = int(self.question.max(initial=0)) + 1
            return np.array([questions, questions + 1])
        points = np.geomspace(1, self.n_items + 1, SIZE_BINS + 1)
        return np.unique(np.rint(points).astype(np.int64))
