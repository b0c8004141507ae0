"""What changed between two releases of lists, in the ratings' codes of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import (
    Codes,
    Labels,
    Offsets,
    code_by_name,
    offsets_from,
)
from recloak.core.ratings import Ratings
from recloak.releases.lists.history import History
from recloak.releases.lists.related import Slots


@dataclass(frozen=True, eq=False)
class ChangedLists:
    """The lists that each target distinguishes: ``locations[starts[i]:starts[i + 1]]``."""

    starts: Offsets
    locations: Codes

    def of(self, target: int) -> Codes:
        return self.locations[self.starts[target] : self.starts[target + 1]]


def changed_lists(now: Slots, then: Slots) -> ChangedLists:
    """Which lists each item is new in, or better placed in, than in an earlier release."""
    same = now[:, :, None] == then[:, None, :]
    was = np.where(same.any(axis=2), same.argmax(axis=2), now.shape[1] + then.shape[1])
    lists, slots = np.nonzero((now >= 0) & (was > np.arange(now.shape[1])))
    targets = now[lists, slots]
    order = np.lexsort((lists, targets))
    counts = np.bincount(targets, minlength=len(now))
    starts = offsets_from(counts)
    return ChangedLists(starts, lists[order].astype(np.int32))


def in_codes_of(history: History, ratings: Ratings) -> tuple[list[Slots], int]:
    """The lists in the item codes of the ratings, and how many items there are.

    Items that nobody rated get codes behind the others.
    """
    names, mine = history.item_labels, ratings.item_labels
    top = history.top
    tables = [release.lists.widened(top) for release in history.releases]
    if names.dtype == mine.dtype and np.array_equal(names, mine):
        return tables, len(mine)
    code_of = code_by_name(mine)
    codes = np.array(
        [code_of.setdefault(str(label), len(code_of)) for label in names], dtype=np.int32
    )
    recode = np.append(codes, np.int32(-1))
    recoded = []
    for table in tables:
        moved = np.full((len(code_of), top), -1, np.int32)
        moved[codes] = recode[table]
        recoded.append(moved)
    return recoded, len(code_of)


def names_of(history: History, ratings: Ratings) -> Labels:
    """What the codes of `in_codes_of` stand for."""
    known = {str(label) for label in ratings.item_labels}
    further = [label for label in history.item_labels if str(label) not in known]
    return np.array([*ratings.item_labels, *further], dtype=object)
