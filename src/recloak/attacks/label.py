"""Attack `label`: which groups hold all items and ratings that are known of a person?

In papers on graphs of users and items a rating is the label of an edge; who knows only the edges
knows the structure (attack `structure`).
"""

from __future__ import annotations

from typing import ClassVar

from recloak.attacks._containment import ITEMS, ContainmentAttack
from recloak.attacks._match_rules import MatchRule
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units


class Label(ContainmentAttack):
    """Knows some of a person's items and ratings, and looks for rows that have them all.

    The labels of a group are averages, so a known rating may match exactly (within half a step of
    the grid on which the release publishes), within a step of the rating scale, or not be
    compared, so that only the items count. All three are tried, and the strongest is reported.
    """

    name: ClassVar[str] = "label"
    summary: ClassVar[str] = "Looks for the groups that hold all items and ratings known."
    knows: ClassVar[str] = "ratings"

    def match_rules(self, context: AuditContext) -> list[MatchRule]:
        mine, theirs = context.original.scale, context.rows.scale
        units = Units.between(mine, theirs)
        if not units.comparable:
            return [ITEMS]
        exact = theirs.step / 2 if theirs.step is not None else 0.0
        return [
            MatchRule("exact", exact),
            MatchRule("step", 2 * mine.tolerance * units.factor),
            ITEMS,
        ]
