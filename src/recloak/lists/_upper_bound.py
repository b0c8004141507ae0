"""Upper bound: the most that any sequence of releases could show, whatever makes them.

Take an entry that stands in a list tonight but did not stand there in the first release. It entered
with some release after the first, and from then on is new against the one before, as long as that
is in the window: with each of these releases it may tell no more than δ by itself. Whatever else is
shown can only forbid more. So an entry that never told so little for so long cannot be shown.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Mask
from recloak.lists.protection import ProtectionInput
from recloak.lists.worth import tell_alone
from recloak.releases.lists.related import EMPTY, Slots


class UpperBound:
    """Which of the ``wanted`` entries could be shown after all releases that were added."""

    def __init__(self, wanted: Slots, window: int) -> None:
        self._needed = window - 1
        self._items, slots = np.nonzero(wanted != EMPTY)
        self._entries = wanted[self._items, slots]
        self._entered: Mask | None = None
        self._quiet = np.zeros(len(self._items), np.int64)

    def add(self, inputs: ProtectionInput, shown: Slots) -> None:
        """One more release: what the first shows stands; later, count how long each told little."""
        if self._entered is None:
            self._entered = (shown[self._items] == self._entries[:, None]).any(axis=1)
            return
        telling = tell_alone(inputs, self._items, self._entries)
        self._quiet = np.where(telling, 0, self._quiet + 1)
        self._entered |= self._quiet >= self._needed

    @property
    def recall(self) -> float:
        """The share of the wanted entries; what entered with the last releases counts as well."""
        if self._entered is None or not len(self._items):
            return 1.0
        return float((self._entered | (self._quiet > 0)).mean())
