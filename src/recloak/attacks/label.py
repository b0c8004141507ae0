"""Attack `label`: which groups hold all items and ratings that are known of a person?"""

from __future__ import annotations

from typing import ClassVar

from recloak.attacks.comparing import Way
from recloak.attacks.fitting import ITEMS, Fitting
from recloak.attacks.gains import Units
from recloak.scene import Scene


class Label(Fitting):
    """Knows some of a person's items and ratings, and looks for rows that have them all.

    The labels of a group are averages, so a known rating may match exactly (within half a step of
    the grid on which the release publishes), within a step of the rating scale, or not at all, and
    the items be all that is left. All three are tried, and the strongest is reported.
    """

    name: ClassVar[str] = "label"
    summary: ClassVar[str] = "Looks for the groups that hold all items and ratings known."
    knows: ClassVar[str] = "ratings"

    def ways(self, scene: Scene) -> list[Way]:
        mine, theirs = scene.original.scale, scene.rows.scale
        units = Units.between(mine, theirs)
        if not units.comparable:
            return [ITEMS]
        exact = theirs.step / 2 if theirs.step is not None else 0.0
        return [Way("exact", exact), Way("step", 2 * mine.tolerance * units.factor), ITEMS]
