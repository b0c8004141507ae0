"""Base of all measures: figures of utility or of information lost."""

from __future__ import annotations

from typing import ClassVar, Literal

from recloak.evaluation import Evaluation


class Measure(Evaluation):
    """Says what a release is still good for."""

    family: ClassVar[Literal["attack", "measure"]] = "measure"
    people: ClassVar[Literal["members", "newcomers"]] = "members"
    """Whose utility it measures: that of people in the release, or of people who are not in it."""
