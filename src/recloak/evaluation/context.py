"""AuditContext: what an auditor has before it: original, release, who is who, and a rehearsal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from recloak.core.arrays import (
    Floats,
    Indices,
    Integers,
    Labels,
    Values,
    match_labels,
)
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import Everyone
from recloak.releases.base import Release
from recloak.releases.linkage import Linkage

if TYPE_CHECKING:
    from recloak.evaluation.control_group import Control

Rehearse = Callable[[Indices, int, Progress], "AuditContext"]
Factors = Callable[[Progress], Values]

SAME_ROWS = 0.5


@dataclass(frozen=True)
class Rehearsal:
    """A rehearsal of the release from which a probe was held out first.

    ``known`` is the original without the probe, ``released`` what the same method made of it.
    ``row_for(users, items)`` is the row of ``released`` that would predict for a person (code of
    the original) and an item (code of the original), -1 for none; ``linkage`` holds all rows of
    each person; ``item_in_release`` maps items of the original to items of ``released``, -1 for
    items that it does not have. ``models`` keeps what measures train on it: several of them ask
    the same recommender.
    """

    known: Ratings
    released: Ratings
    users: Indices
    items: Indices
    truth: Floats
    row_for: Callable[[Indices, Indices], Indices]
    item_in_release: Indices
    linkage: Linkage
    note: str
    seed: int = 0
    models: dict[tuple[str, str], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )


@dataclass(frozen=True)
class EarlierRelease:
    """An earlier release of the same people, as far as they are in the original still.

    ``linkage`` and ``item_in_release`` are from codes of the original to those of ``rows``.
    """

    rows: Ratings
    linkage: Linkage
    item_in_release: Indices
    release: Release | None = None


@dataclass(frozen=True)
class AuditContext:
    """One release under audit.

    ``rows`` are the release's ratings as a recipient reads them; ``item_in_release`` maps item
    codes of the original to those of ``rows``, -1 where the release lacks the item. ``release``
    is what they were read from, if it is more than a table. ``rehearse(users, seed, progress)`` is
    what an adversary can do who knows some people and how the release was made: a context of
    these people alone. ``factors`` learns the features of the items (of ``rows``) by which the
    release was made, for those who ask what their publication would give away. ``previous`` is an
    earlier release that the adversary holds too. ``control(draw, fold, progress)`` rehearses the
    release without some people, the outsiders; `evaluation.control_group.control_of` asks for it.
    If all this is about a sample of people, ``everyone`` reads the rows of all.
    """

    original: Ratings
    rows: Ratings
    linkage: Linkage
    item_in_release: Indices
    rehearsal: Rehearsal | None = None
    release: Release | None = None
    rehearse: Rehearse | None = None
    factors: Factors | None = None
    previous: EarlierRelease | None = None
    control: Control | None = None
    everyone: Everyone | None = None

    @property
    def item_support(self) -> Integers:
        """How many people rated each item of the original; of all people, if that is known."""
        return self.everyone.item_support if self.everyone else self.original.item_support

    @property
    def public(self) -> Mapping[str, Any]:
        """The method's parameters as the release itself states them; an adversary reads them."""
        return self.release.manifest.parameters if self.release else {}


def match_items(original: Ratings, rows: Ratings) -> Indices:
    """The item codes of ``rows`` for the items of ``original``, by name; -1 for none."""
    return match_labels(original.item_labels, rows.item_labels)


def keeps_ids(earlier: Ratings, later: Ratings) -> bool:
    """Do most rows of the earlier release stand in the later one under their names?"""
    if earlier.n_users == 0:
        return False
    return bool((match_labels(earlier.user_labels, later.user_labels) >= 0).mean() >= SAME_ROWS)


def in_codes(rows: Ratings, code: Indices, labels: Labels) -> Ratings:
    """The rows with ``code`` of each item, ascending; those of which it is negative are left."""
    kept = rows if (code >= 0).all() else rows.keep(code[rows.items] >= 0)
    items, values = code.astype(np.int32)[kept.items], kept.values
    if (np.diff(code[code >= 0]) <= 0).any():  # else they ascend as they are
        order = np.lexsort((items, kept.user_codes()))
        items, values = items[order], values[order]
    return replace(kept, items=items, values=values, item_labels=labels, times=None)
