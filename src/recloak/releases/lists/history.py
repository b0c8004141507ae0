"""History: releases of lists in the order in which they were published, and what is promised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from recloak.core.arrays import Labels
from recloak.core.errors import InputError, ParameterError
from recloak.releases.lists.related import Lists

PROMISE = (
    "For every release and each earlier one in its window, every item and every set of items "
    "whose lists it newly entered or climbed in: of those who rated the set, at most a share δ "
    "rated the item. A background with further items, disappearances, empty slots and the "
    "combination of three releases are not covered."
)


@dataclass(frozen=True)
class ProtectionChanges:
    """What an algorithm did to one release; ``emptied`` slots are those of its last check."""

    suppressed: int = 0
    permuted: int = 0
    emptied: int = 0


@dataclass(frozen=True)
class DatedLists:
    """One release: what was published, and how many ratings it covers.

    ``protected`` tells whether the bound is promised for it; lists that were public before
    protection was switched on are part of what an adversary compares. ``time`` is the day of its
    last rating. ``raw`` are the lists as the ratings would have it, and ``changes`` what was done
    to them: for the inside only.
    """

    label: str
    n_ratings: int
    lists: Lists
    protected: bool
    time: int | None = None
    raw: Lists | None = None
    changes: ProtectionChanges | None = None


@dataclass(frozen=True)
class History:
    """Releases, oldest first, of lists of the same items.

    An adversary compares each release with the ``window`` − 1 before it. ``delta`` is the bound
    that protected releases keep (None where nothing is protected). ``new_raters_only`` names the
    weaker adversary, for whom only those count who rated the target between the two releases.
    """

    releases: tuple[DatedLists, ...]
    window: int
    delta: Fraction | None = None
    new_raters_only: bool = False
    algorithm: str = "none"

    def __post_init__(self) -> None:
        if self.window < 2:
            raise ParameterError(
                f"{self.window} releases cannot be compared", where="window", hint="Use 2 or more."
            )
        if self.delta is not None and not 0 < self.delta <= 1:
            raise ParameterError(
                "must be above 0 and at most 1", where="delta", hint="A tenth is 0.1 or 1/10."
            )
        for earlier, later in zip(self.releases, self.releases[1:], strict=False):
            if later.n_ratings < earlier.n_ratings:
                raise InputError(
                    f"covers fewer ratings than '{earlier.label}' before it",
                    where=f"release '{later.label}'",
                    hint="Releases must be in the order of time.",
                )
            if not np.array_equal(later.lists.item_labels, self.item_labels):
                raise InputError("is about other items", where=f"release '{later.label}'")
        if len({release.label for release in self.releases}) < len(self.releases):
            raise InputError("two releases have the same label")

    @property
    def item_labels(self) -> Labels:
        """The items that lists are about; one that is not there yet has an empty list."""
        return self.releases[0].lists.item_labels if self.releases else np.empty(0, np.int64)

    @property
    def top(self) -> int:
        """The most slots that a list has."""
        return max((release.lists.top for release in self.releases), default=1)

    def claimed(self) -> Iterator[int]:
        """The places of the releases for which the bound is promised."""
        return (place for place, release in enumerate(self.releases) if release.protected)

    def __len__(self) -> int:
        return len(self.releases)
