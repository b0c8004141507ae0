"""Lists: for each item its N related items in their slots, as one release shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from recloak.core.arrays import Labels
from recloak.core.errors import InputError
from recloak.core.kernels.related_items import EMPTY as EMPTY
from recloak.core.kernels.related_items import Slots as Slots


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """``slots[j, p]`` is the code of the item in slot ``p`` of item ``j``'s list, -1 if empty.

    An empty slot stays where it is: closing the gap would move what stands below it up. Codes
    are those of ``item_labels``; an item without a list has empty slots only.
    """

    slots: Slots
    item_labels: Labels

    def __post_init__(self) -> None:
        _refuse_impossible(self.slots, self.item_labels)
        self.slots.setflags(write=False)

    @property
    def n_items(self) -> int:
        return len(self.item_labels)

    @property
    def top(self) -> int:
        """How many slots each list has."""
        return int(self.slots.shape[1])

    @property
    def n_filled(self) -> int:
        """How many slots hold an item."""
        return int((self.slots != EMPTY).sum())

    def of(self, label: Any) -> list[Any]:
        """The list of the item called ``label``, None for an empty slot."""
        code = self._code(label)
        return [None if x == EMPTY else self.item_labels[x] for x in self.slots[code]]

    def widened(self, top: int) -> Slots:
        """The slots in a table of ``top`` columns; those beyond are empty."""
        if top == self.top:
            return self.slots
        wide = np.full((self.n_items, top), EMPTY, np.int32)
        wide[:, : self.top] = self.slots[:, :top]
        return wide

    def equals(self, other: Lists) -> bool:
        """Same items, same slots?"""
        return np.array_equal(self.slots, other.slots) and np.array_equal(
            self.item_labels, other.item_labels
        )

    def _code(self, label: Any) -> int:
        found = np.flatnonzero(self.item_labels == label)
        if not len(found):
            raise InputError(f"there is no item called '{label}'")
        return int(found[0])

    def __repr__(self) -> str:
        return (
            f"Lists({self.n_items:,} items, {self.top} slots each, "
            f"{self.n_filled:,} of {self.slots.size:,} filled)"
        )


def _refuse_impossible(slots: Slots, labels: Labels) -> None:
    """No list may name an unknown item, its own item, or an item twice."""
    if slots.ndim != 2 or len(slots) != len(labels) or slots.shape[1] < 1:
        raise InputError("lists need a row of at least one slot for every item")
    if slots.size and not ((slots >= EMPTY) & (slots < len(labels))).all():
        raise InputError("a list names an item that does not exist")
    own = (slots == np.arange(len(slots))[:, None]).any(axis=1)
    ordered = np.sort(slots, axis=1)
    twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != EMPTY)).any(axis=1)
    for wrong, message in ((own, "names the item itself"), (twice, "names an item twice")):
        if wrong.any():
            raise InputError(f"the list of item '{labels[int(np.argmax(wrong))]}' {message}")
