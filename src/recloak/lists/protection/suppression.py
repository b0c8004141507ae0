"""Algorithm `suppression`: entries that tell too much are taken out and replaced."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.progress import Task
from recloak.lists.protection import Algorithm, ProtectionInput
from recloak.lists.protection._list_kernels import new_draft
from recloak.lists.protection._suppression_kernels import PERMUTED, SUPPRESSED, make_private
from recloak.releases.lists.history import ProtectionChanges
from recloak.releases.lists.related import Slots

BLOCK = 512
_PART = 4  # of the places of a border with too many sets that are hit before it is drawn again


class Suppression(Algorithm):
    """For each item the smallest sets of lists that reveal too much are found, and the item is
    taken out of lists, greedily, until none of these sets is whole. The nearest candidate that
    reveals too much in no list takes the slot; if there is none, the slot stays empty.
    """

    name: ClassVar[str] = "suppression"
    summary: ClassVar[str] = (
        "Take out entries that reveal too much; the next candidate takes the slot."
    )
    permuting: ClassVar[bool] = False

    def arrange(self, inputs: ProtectionInput, task: Task) -> tuple[Slots, ProtectionChanges]:
        draft = new_draft(inputs.ranked.top)
        done = np.zeros(2, np.int64)
        for start in range(0, len(draft.slots), BLOCK):
            make_private(
                draft,
                inputs.earlier,
                inputs.raters,
                inputs.bound,
                inputs.marks,
                inputs.ranked.candidates,
                self.permuting,
                _PART,
                start,
                min(start + BLOCK, len(draft.slots)),
                done,
            )
            task.advance()
        return draft.slots, ProtectionChanges(int(done[SUPPRESSED]), int(done[PERMUTED]))
