"""Single items and how many groups hold them: counted, so that profiles need not be in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from recloak.core.arrays import Integers, Labels, Mask, match_labels
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.guarantees._row_classes import RowClasses
from recloak.releases.stored import StoredRatings

Parts = Callable[[], Iterator[Ratings]]


@dataclass(frozen=True)
class ItemHolders:
    """How many groups hold each item; ``profiles`` gives these, of each kind one, part by part."""

    items: Labels
    counts: Integers
    groups: int
    profiles: Parts

    @classmethod
    def of(cls, release: StoredRatings, progress: Progress) -> ItemHolders:
        """Of a release that is not in memory: rows that are the same count as one group."""
        classes = RowClasses.of(release, progress, values=True, times=False)
        first = np.zeros(len(classes.group), np.bool_)
        first[np.unique(classes.group, return_index=True)[1]] = True
        return cls.of_parts(partial(_distinct, release, first), progress)

    @classmethod
    def of_parts(cls, profiles: Parts, progress: Progress) -> ItemHolders:
        """Of profiles, no two of which are the same."""
        counts: dict[Any, int] = {}
        groups = 0
        with progress.task("Looking up who holds which items") as task:
            for part in profiles():
                groups += part.n_users
                for item, held in zip(part.item_labels.tolist(), part.item_support, strict=True):
                    counts[item] = counts.get(item, 0) + int(held)
                task.advance()
        items = sorted(counts)
        whole = all(isinstance(item, int) for item in items)
        labels = np.array(items, np.int64 if whole else object)
        return cls(labels, np.array([counts[item] for item in items], np.int64), groups, profiles)

    def rated_in(self, original: Ratings | RatingsElsewhere | None) -> tuple[Labels, Integers]:
        """The items that someone rated, and how many groups hold each."""
        if original is None:
            return self.items[self.counts > 0], self.counts[self.counts > 0]
        rated = original.item_labels[original.item_support > 0]
        return rated, np.append(self.counts, 0)[match_labels(rated, self.items)]

    def first_holders(self, item: Any, most: int) -> list[str]:
        """The names of some groups that hold an item."""
        names: list[str] = []
        for part in self.profiles():
            code = np.flatnonzero(part.item_labels == item)
            holding = part.user_codes()[np.isin(part.items, code)]
            names += [str(name) for name in part.user_labels[holding]]
            if len(names) >= most:
                break
        return names[:most]


def _distinct(release: StoredRatings, first: Mask) -> Iterator[Ratings]:
    """One of each kind of row, part by part."""
    start = 0
    for rows in release.parts():
        end = start + rows.n_users
        yield rows.take_users(np.flatnonzero(first[start:end]))
        start = end
