"""Algorithm `suppression`: entries that tell too much are taken out and replaced."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.kernels.list_board import new_board
from recloak.kernels.list_changes import PERMUTED, SUPPRESSED, make_private
from recloak.lists.history import Changes
from recloak.lists.protection import Algorithm, Desk
from recloak.lists.related import Slots
from recloak.progress import Task

BLOCK = 512
_PART = 4  # of the places of a border with too many sets that are hit before it is drawn again


class Suppression(Algorithm):
    """For each item the smallest sets of lists that tell too much are found, and hit greedily.

    Where an item is taken out, the nearest candidate that tells too much nowhere takes its slot;
    without one the slot stays empty.
    """

    name: ClassVar[str] = "suppression"
    summary: ClassVar[str] = "Take out what tells too much; the next candidate gets its slot."
    permuting: ClassVar[bool] = False

    def arrange(self, desk: Desk, task: Task) -> tuple[Slots, Changes]:
        board = new_board(desk.ranked.top)
        done = np.zeros(2, np.int64)
        for start in range(0, len(board.slots), BLOCK):
            make_private(
                board,
                desk.past,
                desk.people,
                desk.bound,
                desk.marks,
                desk.ranked.candidates,
                self.permuting,
                _PART,
                start,
                min(start + BLOCK, len(board.slots)),
                done,
            )
            task.advance()
        return board.slots, Changes(int(done[SUPPRESSED]), int(done[PERMUTED]))
