"""Plans: what the fragments of all people share, whichever way rows are cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recloak.core.arrays import Codes, Integers
from recloak.core.ratings import Ratings
from recloak.methods.fragmentation._centroids import CentroidCandidates
from recloak.methods.fragmentation.item_features import Features

SOLVED_ON = 5_000_000
"""The strength that makes a wished number of fragments is solved for on people with so many
ratings at most."""


@dataclass(frozen=True)
class CentroidPlan:
    """For the cut around rare items: support in all ratings, features, and the strength tc · p1.

    ``found`` are the candidates that the strength was solved on. Where all ratings are in memory
    these are those of everyone, so that they need not be looked for again. They stay behind when
    the plan is sent to another process.
    """

    support: Integers
    features: Features
    strength: float
    found: CentroidCandidates | None = field(default=None, compare=False, repr=False)

    def found_in(self, rows: Ratings) -> CentroidCandidates | None:
        """The candidates of these rows, if it was them that the strength was solved on."""
        known = self.found is not None and self.found.ratings is rows
        return self.found if known else None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "found": None}


@dataclass(frozen=True)
class LinePlan:
    """For the cut along shared lines: the path to each item's last cell, and the strength p1."""

    code_of: Codes
    depth: int
    strength: float
