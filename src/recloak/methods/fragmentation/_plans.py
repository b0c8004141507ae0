"""Plans: what the fragments of all people share, whichever way rows are cut."""

from __future__ import annotations

from dataclasses import dataclass

from recloak.core.arrays import Codes, Integers
from recloak.methods.fragmentation.item_features import Features

SOLVED_ON = 5_000_000
"""The strength that makes a wished number of fragments is solved for on people with so many
ratings at most."""


@dataclass(frozen=True)
class CentroidPlan:
    """For the cut around rare items: support in all ratings, features, and the strength tc · p1."""

    support: Integers
    features: Features
    strength: float


@dataclass(frozen=True)
class LinePlan:
    """For the cut along shared lines: the path to each item's last cell, and the strength p1."""

    code_of: Codes
    depth: int
    strength: float
