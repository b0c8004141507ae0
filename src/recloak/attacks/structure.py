"""Attack `structure`: which groups hold all the items that a person is known to have rated?

In papers on graphs of users and items this is the structure: the edges without their labels, which
are the ratings (attack `label`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from recloak.attacks._containment import ITEMS, ContainmentAttack
from recloak.attacks._match_rules import MatchRule
from recloak.evaluation.context import AuditContext


class Structure(ContainmentAttack):
    """Knows some of the items that a person rated, not how, and looks for rows that have them all.

    In a release of groups identical rows are one group: finding the group is not yet finding the
    person, who is one of its members, but it is the first step of a homogeneity attack.
    """

    name: ClassVar[str] = "structure"
    summary: ClassVar[str] = "Looks for the groups that hold all items known of a person."
    knows: ClassVar[str] = "items"

    @classmethod
    def knows_values(cls, parameters: Mapping[str, Any]) -> bool:
        return False

    def match_rules(self, context: AuditContext) -> list[MatchRule]:
        return [ITEMS]
