"""Breaches: what the changes between two releases of lists tell about those who rated.

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

from recloak.core.arrays import Integers, Labels
from recloak.core.errors import InputError
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.timeline import ItemRaters, Timeline
from recloak.evaluation.breaches._kernels import (
    GAVE_UP,
    worst_background,
    worst_of_targets,
)
from recloak.releases.lists.changes import ChangedLists, changed_lists
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import Slots

BUDGET = 1_000_000
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

    def as_witness(self, labels: Labels, before: str, after: str) -> dict[str, Any]:
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
class BreachSearch:
    """All targets that breach a bound, the worst share of all, and those that stayed undecided.

    ``undecided`` are (earlier release, target, the items whose lists it distinguishes).
    """

    breaches: tuple[Breach, ...]
    worst: Breach | None
    undecided: tuple[tuple[int, int, tuple[int, ...]], ...]
    n_targets: int


@dataclass(frozen=True)
class ListAdversary:
    """Compares a release with the ``window`` − 1 before it; a share above ``delta`` is a breach.

    With ``new_raters_only`` only those count who rated the target between the two releases.
    ``budget`` is how many sets may be looked at for one item and pair of releases.
    """

    delta: Fraction
    window: int
    new_raters_only: bool = False
    budget: int = BUDGET

    def attack(
        self,
        history: History,
        place: int,
        timeline: Timeline,
        tables: Sequence[Slots],
        n_items: int,
        progress: Progress = SILENT,
    ) -> BreachSearch:
        """All breaches of the release at ``place``, everything in the ratings' codes of items.

        Raises `InputError` if the release was made from other ratings.
        """
        release = history.releases[place]
        _refuse_other_ratings(release, timeline)
        first = max(0, place - self.window + 1)
        postings = _padded(timeline.at(release.n_ratings).postings, n_items)
        new = self.new_raters_only
        since = [history.releases[at].n_ratings if new else 0 for at in range(first, place)]
        with progress.task(f"Attacking release {release.label}") as task:
            return _find_breaches(
                tables[place],
                tables[first:place],
                since,
                postings,
                timeline.ratings.n_users,
                self.delta,
                self.budget,
                task,
            )


def _find_breaches(
    now: Slots,
    earlier: Sequence[Slots],
    since: Iterable[int],
    postings: ItemRaters,
    n_users: int,
    delta: Fraction,
    budget: int,
    task: Task,
) -> BreachSearch:
    """Attack a release with every earlier one in its window; ``since`` says who counts for each."""
    breaches: list[Breach] = []
    undecided: list[tuple[int, int, tuple[int, ...]]] = []
    worst: Breach | None = None
    n_targets = 0
    for place, (then, first) in enumerate(zip(earlier, since, strict=True)):
        moved = changed_lists(now, then)
        found = _all_targets(moved, first, postings, n_users, budget, task)
        n_targets += int((np.diff(moved.starts) > 0).sum())
        sure = found[:, 0] * delta.denominator > delta.numerator * found[:, 1]
        too_sure = np.flatnonzero(sure).tolist()
        top = _largest_share(found)
        asked = set(too_sure) | ({top} if top is not None else set())
        named_breaches = {
            t: _worst_breach(place, t, moved, first, postings, n_users, budget)
            for t in sorted(asked)
        }
        breaches += [named_breaches[target] for target in too_sure]
        if top is not None and (worst is None or named_breaches[top].share > worst.share):
            worst = named_breaches[top]
        gave_up = np.flatnonzero((found[:, 2] == GAVE_UP) & ~sure).tolist()
        undecided += [(place, target, tuple(moved.of(target).tolist())) for target in gave_up]
    return BreachSearch(tuple(breaches), worst, tuple(undecided), n_targets)


def _all_targets(
    moved: ChangedLists, since: int, postings: ItemRaters, n_users: int, budget: int, task: Task
) -> Integers:
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


def _largest_share(found: Integers) -> int | None:
    """The target with the largest share; fractions decide where doubles are too near."""
    asked = np.flatnonzero(found[:, 0] > 0)
    if not len(asked):
        return None
    about = found[asked, 0] / found[asked, 1]
    near = asked[about >= about.max() * (1 - 1e-9)]
    return int(max(near, key=lambda t: Fraction(int(found[t, 0]), int(found[t, 1]))))


def _worst_breach(
    place: int,
    target: int,
    moved: ChangedLists,
    since: int,
    postings: ItemRaters,
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


def _refuse_other_ratings(release: DatedLists, timeline: Timeline) -> None:
    """With other people's ratings a promise would seem to hold: nobody has any background."""
    given = timeline.ratings.n_ratings
    message = ""
    if release.n_ratings > given:
        message = f"covers {release.n_ratings:,} ratings, but only {given:,} are given"
    elif release.time is not None and not timeline.ends_on_day_of(release.n_ratings, release.time):
        message = "ends on another day than the given ratings do there"
    if message:
        raise InputError(
            message,
            where=f"release '{release.label}'",
            hint="Verify with the ratings that the lists were made from.",
        )


def _padded(postings: ItemRaters, n_items: int) -> ItemRaters:
    missing = n_items + 1 - len(postings.offsets)
    if not missing:
        return postings
    return postings._replace(offsets=np.pad(postings.offsets, (0, missing), mode="edge"))
