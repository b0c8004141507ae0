"""Algorithm `constructive`: lists are built from empty ones, what tells nothing first."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.progress import Task
from recloak.lists.protection import Algorithm, ProtectionInput
from recloak.lists.protection._constructive_kernels import fill_empty, insert_wanted, keep_known
from recloak.lists.protection._list_kernels import new_draft
from recloak.lists.protection._suppression_kernels import make_private
from recloak.lists.protection.suppression import BLOCK
from recloak.releases.lists.history import ProtectionChanges
from recloak.releases.lists.related import EMPTY, Slots

_ALL = 1  # places of a border with too many sets: what may enter after all is seen one by one


class Constructive(Algorithm):
    """Slots are filled in this order. First related items that were in all lists of the window, in
    slots in which they distinguish no list. Then the other related items: each keeps as many
    lists as a hitting set of its violating border leaves, before replacements take any slot.
    Slots that are still free are offered to related items once more, and only then to candidates,
    known ones first.
    """

    name: ClassVar[str] = "constructive"
    summary: ClassVar[str] = (
        "Build lists from empty ones: entries that reveal nothing, then those that are allowed, "
        "then candidates."
    )
    reference: ClassVar[str] = ""

    def arrange(self, inputs: ProtectionInput, task: Task) -> tuple[Slots, ProtectionChanges]:
        top, candidates = inputs.ranked.top, inputs.ranked.candidates
        draft = new_draft(np.full_like(top, EMPTY))
        given = (draft, inputs.earlier, inputs.raters, inputs.bound, inputs.marks)
        items, slots = map(np.ascontiguousarray, np.nonzero(top != EMPTY))
        entries = top[items, slots].astype(np.int64)
        keep_known(draft, inputs.earlier, top)
        insert_wanted(*given, items, entries, False)
        none = np.full((len(top), 1), EMPTY, np.int32)
        for start in range(0, len(top), BLOCK):
            end = min(start + BLOCK, len(top))
            make_private(*given, none, False, _ALL, start, end, np.zeros(2, np.int64))
            task.advance()
        largest_first = np.lexsort((slots, -inputs.n_raters[items]))
        insert_wanted(*given, items[largest_first], entries[largest_first], True)
        keep_known(draft, inputs.earlier, candidates)
        for slot in range(top.shape[1]):
            fill_empty(*given, candidates, slot)
            task.advance()
        return draft.slots, _changes(top, draft.slots)


def _changes(raw: Slots, shown: Slots) -> ProtectionChanges:
    """What became of the raw lists: how many entries are not shown, how many stand elsewhere."""
    same = (raw[:, :, None] == shown[:, None, :]) & (raw != EMPTY)[:, :, None]
    kept = same.any(axis=2)
    moved = kept & (same.argmax(axis=2) != np.arange(raw.shape[1]))
    return ProtectionChanges(int(((raw != EMPTY) & ~kept).sum()), int(moved.sum()))
