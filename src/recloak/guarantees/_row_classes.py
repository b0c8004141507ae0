"""Row classes of a release that is read a part at a time: which rows are the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from recloak.core.arrays import Integers, Labels, Words
from recloak.core.fingerprints import Fingerprints
from recloak.core.progress import Progress
from recloak.releases.stored import StoredRatings


class RowClasses(NamedTuple):
    """The rows of all parts, one part after the other: their names, and which are the same.

    ``group`` is the class of each row, ``sizes`` is how many rows each class has.
    """

    names: Labels
    group: Integers
    sizes: Integers

    @classmethod
    def of(
        cls, release: StoredRatings, progress: Progress, *, values: bool, times: bool
    ) -> RowClasses:
        """Rows are the same as in `recloak.core.row_classes`."""
        prints, numbers = Fingerprints.fresh(values=values, times=times), _ItemNumbers()
        with progress.task("Comparing rows by their fingerprints") as task:
            found = []
            for rows in release.parts():
                found.append((rows.user_labels, prints.of(rows, numbers.of(rows.item_labels))))
                task.advance()
        names = np.concatenate([one for one, _ in found])
        return cls(names, *_classes(np.concatenate([one for _, one in found])))


class _ItemNumbers:
    """A number for each item, the same in every part."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def of(self, labels: Labels) -> Integers:
        known = self._known
        return np.array([known.setdefault(label, len(known)) for label in labels.tolist()], int)


def _classes(prints: Words) -> tuple[Integers, Integers]:
    order = np.lexsort((prints[:, 1], prints[:, 0]))
    ascending = prints[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    return group, np.bincount(group)
