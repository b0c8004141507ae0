"""Methods and attacks of a third party, as tests plug them in."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from typing import ClassVar

import numpy as np
import pytest

from recloak.attacks.label import Label
from recloak.core import registry
from recloak.core.arrays import Integers, Labels
from recloak.core.claim import Claim
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.figures import DeclaredFigure
from recloak.methods._tables import OwnedRows, TableParameters, one_row_each
from recloak.methods.pseudonymize import Pseudonymize


class Boastful(Pseudonymize):
    """Claims what it does not keep."""

    name: ClassVar[str] = "boastful"

    def claims(self) -> list[Claim]:
        return [Claim("k-anonymity", {"k": 5})]


class Numbered(Pseudonymize):
    """Numbers the rows in the order of the original: everyone is found by counting."""

    name: ClassVar[str] = "numbered"

    def names(self, ratings: Ratings, owners: Integers, randomness: Randomness) -> Labels:
        return np.arange(ratings.n_users)


class Failing(Pseudonymize):
    """Breaks down."""

    name: ClassVar[str] = "failing"

    def names(self, ratings: Ratings, owners: Integers, randomness: Randomness) -> Labels:
        raise ZeroDivisionError("of theirs")


class Unrepeatable(Pseudonymize):
    """Draws anew whenever it is asked."""

    name: ClassVar[str] = "unrepeatable"

    def part(
        self, rows: Ratings, shared: None, people: PeopleDraws, progress: Progress
    ) -> OwnedRows:
        return one_row_each(
            rows.with_values(np.random.default_rng().permutation(rows.values), rows.scale)
        )


class GreedyParameters(TableParameters):
    """Wants a name that is taken."""

    seed: int = 1
    """A seed of its own."""


class Greedy(Pseudonymize):
    """Declares a parameter that is a flag of publish already."""

    name: ClassVar[str] = "greedy"
    Parameters: ClassVar[type[Parameters]] = GreedyParameters


class Watching(Label):
    """Declares a figure that stands for a risk."""

    name: ClassVar[str] = "watching"
    figures: ClassVar[tuple[DeclaredFigure, ...]] = (
        DeclaredFigure("watched", worse="more", stands_for="linkability"),
    )


def plug_in(
    monkeypatch: pytest.MonkeyPatch, family: str = "recloak.methods", **members: str
) -> None:
    """Pretend that another package offers these ``name=module:attribute`` members of a family."""
    points = EntryPoints(
        EntryPoint(name.replace("_", "-"), value, family) for name, value in members.items()
    )
    monkeypatch.setattr(registry, "entry_points", lambda: points)
