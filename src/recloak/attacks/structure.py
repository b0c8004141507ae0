"""Attack `structure`: which groups hold all the items that a person is known to have rated?"""

from __future__ import annotations

from typing import ClassVar

from recloak.attacks.comparing import Way
from recloak.attacks.fitting import ITEMS, Fitting
from recloak.scene import Scene


class Structure(Fitting):
    """Knows some of the items that a person rated, not how, and looks for rows that have them all.

    In a release of groups identical rows are one group: finding the group is not yet finding the
    person, who is one of its members, but it is the first step of a homogeneity attack.
    """

    name: ClassVar[str] = "structure"
    summary: ClassVar[str] = "Looks for the groups that hold all items known of a person."
    knows: ClassVar[str] = "items"

    def ways(self, scene: Scene) -> list[Way]:
        return [ITEMS]
