"""ControlGroup: a rehearsal without some people, and these people, the outsiders.

What an adversary states of members can be true of everybody. Stated in the same way of people who
are not in the release, it shows what the data teach about people in general; the difference is
what the release gives away about those who are in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recloak.core.arrays import Indices, Integers
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext

FEWEST_OUTSIDERS = 10


@dataclass(frozen=True)
class ControlGroup:
    """A rehearsed release, people who are in it and as many who are not.

    ``rehearsed`` is the context of the rehearsal: its original holds all members, with the item
    codes of the whole original; ``matched`` are the codes of those members whom an attack tries,
    as many as ``outsiders``, who have the same item codes. Of a single group each member has about
    as many ratings as their outsider. Of several ``folds`` the members of one are the outsiders of
    the next, so that everybody is tried on both sides. ``note`` says for the report how many there
    are of each. ``kept`` holds what attacks compute from it, for those that need the same.
    """

    rehearsed: AuditContext
    matched: Indices
    outsiders: Ratings
    note: str
    folds: int = 1
    kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def members(self) -> Ratings:
        """The ratings of the matched members, in the order of their outsiders."""
        return self.rehearsed.original.take_users(self.matched)


Control = Callable[[int, int, Progress], ControlGroup]


class NoControlGroupError(Exception):
    """There can be no control group; the message says why, as a sentence for the report."""


def control_groups_of(
    context: AuditContext, progress: Progress, draw: int = 0
) -> tuple[ControlGroup, ...]:
    """All control groups of a release: few people are left out in several folds, many in one.

    Raises `NoControlGroupError` as `control_of` does.
    """
    first = control_of(context, progress, draw)
    further = (control_of(context, progress, draw, fold) for fold in range(1, first.folds))
    return (first, *further)


def control_of(
    context: AuditContext, progress: Progress, draw: int = 0, fold: int = 0
) -> ControlGroup:
    """A control group of a release; each ``draw`` is made by other random numbers.

    Each ``fold`` leaves out other people.

    Raises
    ------
    NoControlGroupError
        If nobody knows how the release was made, or the method cannot work on nine of ten people.
    """
    if context.control is None:
        raise NoControlGroupError(
            "The method is not known, so it cannot be rehearsed without some people to make a "
            "control group: not measured."
        )
    try:
        group: ControlGroup = context.control(draw, fold, progress)
    except (InputError, ParameterError) as problem:
        raise NoControlGroupError(
            f"The method cannot run on nine of ten people ({problem.what}), so there is no "
            "control group: not measured."
        ) from None
    if group.folds * group.outsiders.n_users < FEWEST_OUTSIDERS:
        raise NoControlGroupError(
            f"There are fewer than {FEWEST_OUTSIDERS} people to leave out: not measured."
        )
    return group


def matched_by_count(counts: Integers, wanted: Integers, rng: np.random.Generator) -> Indices:
    """For each number in ``wanted`` somebody whose count is near it, nobody twice.

    Those with the fewest ratings choose first, among those of equal count at random.

    >>> rng = np.random.default_rng(1)
    >>> matched_by_count(np.array([9, 2, 5, 7]), np.array([5, 3]), rng).tolist()
    [2, 1]
    """
    shuffled = rng.permutation(len(counts))
    order = shuffled[np.argsort(counts[shuffled], kind="stable")]
    ascending = counts[order]
    chosen = np.empty(len(wanted), dtype=np.int64)
    free_from, left = 0, len(wanted)
    for place in np.argsort(wanted, kind="stable"):
        nearest = _nearest(ascending, int(wanted[place]))
        at = min(max(nearest, free_from), len(order) - left)
        chosen[place] = order[at]
        free_from, left = at + 1, left - 1
    return chosen


def _nearest(ascending: Integers, value: int) -> int:
    """Where the entry nearest to ``value`` stands; the first of several."""
    at = int(np.searchsorted(ascending, value))
    if at == len(ascending) or (at > 0 and value - ascending[at - 1] < ascending[at] - value):
        return int(np.searchsorted(ascending, ascending[at - 1]))
    return at
