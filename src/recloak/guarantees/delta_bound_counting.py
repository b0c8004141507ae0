"""Counting for `delta-bound`: what changed between two releases of lists, and what it tells.

Nothing here comes from the algorithms that protect lists: which lists an item distinguishes and
how many people share a background are worked out anew, in another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.list_breaches import GAVE_UP, worst_background, worst_of_targets
from recloak.lists.related import Slots
from recloak.lists.timeline import Postings
from recloak.progress import Task
from recloak.ratings import Labels
from recloak.threads import in_threads

_BLOCKS = 16


@dataclass(frozen=True)
class Breach:
    """What an adversary learns: of ``n_background`` people with the background ``n_together``
    rated the target, whose place in their lists changed since the release at ``earlier``.
    """

    earlier: int
    target: int
    background: tuple[int, ...]
    n_together: int
    n_background: int

    @property
    def share(self) -> Fraction:
        """How sure the adversary may be."""
        return Fraction(self.n_together, self.n_background)

    def told(self, labels: Labels, before: str, after: str) -> dict[str, Any]:
        """The breach in names, as a witness."""
        return {
            "releases": [before, after],
            "item": str(labels[self.target]),
            "background": [str(labels[item]) for item in self.background],
            "raters of the background": self.n_background,
            "of them raters of the item": self.n_together,
            "share": str(self.share),
        }


@dataclass(frozen=True)
class Found:
    """All targets that breach a bound, the worst share of all, and those that stayed undecided.

    ``undecided`` are (earlier release, target, the items whose lists it distinguishes).
    """

    breaches: tuple[Breach, ...]
    worst: Breach | None
    undecided: tuple[tuple[int, int, tuple[int, ...]], ...]
    n_targets: int


@dataclass(frozen=True, eq=False)
class Changed:
    """The lists that each target distinguishes: ``locations[starts[i]:starts[i + 1]]``."""

    starts: NDArray[np.int64]
    locations: NDArray[np.int32]

    def of(self, target: int) -> NDArray[np.int32]:
        return self.locations[self.starts[target] : self.starts[target + 1]]


def changed(now: Slots, then: Slots) -> Changed:
    """Which lists each item is new in, or better placed in, than in an earlier release."""
    same = now[:, :, None] == then[:, None, :]
    was = np.where(same.any(axis=2), same.argmax(axis=2), now.shape[1] + then.shape[1])
    lists, slots = np.nonzero((now >= 0) & (was > np.arange(now.shape[1])))
    targets = now[lists, slots]
    order = np.lexsort((lists, targets))
    counts = np.bincount(targets, minlength=len(now))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return Changed(starts, lists[order].astype(np.int32))


def find_breaches(
    now: Slots,
    earlier: Sequence[Slots],
    since: Iterable[int],
    postings: Postings,
    n_users: int,
    delta: Fraction,
    budget: int,
    task: Task,
) -> Found:
    """Attack a release with every earlier one in its window; ``since`` says who counts for each."""
    breaches: list[Breach] = []
    undecided: list[tuple[int, int, tuple[int, ...]]] = []
    worst: Breach | None = None
    n_targets = 0
    for place, (then, first) in enumerate(zip(earlier, since, strict=True)):
        moved = changed(now, then)
        found = _all_targets(moved, first, postings, n_users, budget, task)
        n_targets += int((np.diff(moved.starts) > 0).sum())
        sure = found[:, 0] * delta.denominator > delta.numerator * found[:, 1]
        too_sure = np.flatnonzero(sure).tolist()
        top = _largest_share(found)
        asked = set(too_sure) | ({top} if top is not None else set())
        told = {t: _named(place, t, moved, first, postings, n_users, budget) for t in sorted(asked)}
        breaches += [told[target] for target in too_sure]
        if top is not None and (worst is None or told[top].share > worst.share):
            worst = told[top]
        gave_up = np.flatnonzero((found[:, 2] == GAVE_UP) & ~sure).tolist()
        undecided += [(place, target, tuple(moved.of(target).tolist())) for target in gave_up]
    return Found(tuple(breaches), worst, tuple(undecided), n_targets)


def _all_targets(
    moved: Changed, since: int, postings: Postings, n_users: int, budget: int, task: Task
) -> NDArray[np.int64]:
    """Of each target the supports of its worst background, and whether all were looked at."""
    n_items = len(moved.starts) - 1
    found = np.zeros(3 * n_items, np.int64)

    def one_block(first: int, last: int) -> None:
        worst_of_targets(
            *postings, moved.starts, moved.locations, since, budget, n_users, first, last, found
        )

    edges = np.unique(np.linspace(0, n_items, _BLOCKS + 1).astype(np.int64)).tolist()
    in_threads(one_block, list(pairwise(edges)), task)
    return found.reshape(n_items, 3)


def _largest_share(found: NDArray[np.int64]) -> int | None:
    """The target with the largest share; fractions decide where doubles are too near."""
    asked = np.flatnonzero(found[:, 0] > 0)
    if not len(asked):
        return None
    about = found[asked, 0] / found[asked, 1]
    near = asked[about >= about.max() * (1 - 1e-9)]
    return int(max(near, key=lambda t: Fraction(int(found[t, 0]), int(found[t, 1]))))


def _named(
    place: int,
    target: int,
    moved: Changed,
    since: int,
    postings: Postings,
    n_users: int,
    budget: int,
) -> Breach:
    """The worst background of a target, its items named."""
    known, row_of = moved.of(target), np.full(n_users, -1, np.int32)
    together, support, _, bits = worst_background(
        *postings, int(target), known, since, budget, row_of
    )
    chosen = [int(item) for at, item in enumerate(known) if int(bits[at >> 6]) >> (at & 63) & 1]
    return Breach(place, int(target), tuple(chosen), int(together), int(support))
