"""Two releases of people in groups: who is in both a person's groups, and what both list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import mean_figure, ratio_figure, share_figure
from recloak.releases.grouped import GroupedRelease
from recloak.releases.linkage import Linkage

HOW = (
    "The adversary is taken to know the groups of a person in both releases, as from a few known "
    "ratings; what is counted is who else is in both."
)


def compared_groups(
    later: GroupedRelease,
    earlier: GroupedRelease,
    context: AuditContext,
    trials: int,
    rng: np.random.Generator,
) -> tuple[tuple[Figure, ...], int, tuple[str, ...]]:
    """Figures, on how many people, and how it was done."""
    assert context.previous is not None
    now, before = _groups(later, context.linkage), _groups(earlier, context.previous.linkage)
    both = np.flatnonzero((now >= 0) & (before >= 0))
    pair = now[both] * (before.max() + 1) + before[both]
    _, where, counts = np.unique(pair, return_inverse=True, return_counts=True)
    together = counts[where].astype(np.float64)
    sizes = later.sizes[now[both]].astype(np.float64)
    blind = 1 / np.maximum(sizes, 1)
    figures = [
        share_figure("linked", (together == 1).astype(float), "people alone in both their groups"),
        share_figure("linked_random", blind, "people found by picking one from their group"),
        *mean_figure("candidates", together, "count", "people in both groups of a person"),
        *mean_figure("candidates_newer", sizes, "count", "people in their group of the later one"),
        share_figure("moved_alone", _moved_alone(now, before), _MOVED),
        *_listed(context, later, earlier, now, before, rng.permutation(both)[:trials]),
    ]
    return tuple(figures), len(both), (HOW,)


_MOVED = (
    "people who joined or left a group that is otherwise the same: the difference of its two "
    "profiles is theirs alone"
)


def _groups(release: GroupedRelease, linkage: Linkage) -> Indices:
    """The group of each person of the original, -1 for those without a row."""
    of_row = release.groups[np.argsort(release.row_labels, kind="stable")]
    first = linkage.first_row(np.arange(len(linkage.offsets) - 1))
    return np.where(first >= 0, of_row[first], -1)


def _moved_alone(now: Indices, before: Indices) -> Floats:
    """Is a person all that tells a group of one release from a group of the other?"""
    exposed = np.zeros(len(now))
    for here, there in ((now, before), (before, now)):
        known = here >= 0
        stayed = known & (there >= 0)
        size = np.bincount(here[known], minlength=int(here.max()) + 1)
        other = np.bincount(there[there >= 0], minlength=int(there.max()) + 1)
        pair = here[stayed] * len(other) + there[stayed]
        pairs, met = np.unique(pair, return_counts=True)
        group, partner = pairs // len(other), pairs % len(other)
        one_more = (met == other[partner]) & (size[group] == met + 1)
        rest_of = np.full(len(size), -2, dtype=np.int64)
        rest_of[group[one_more]] = partner[one_more]
        exposed[known] += (rest_of[here[known]] >= 0) & (there[known] != rest_of[here[known]])
    return np.minimum(exposed, 1.0)[(now >= 0) | (before >= 0)]


def _listed(
    context: AuditContext,
    later: GroupedRelease,
    earlier: GroupedRelease,
    now: Indices,
    before: Indices,
    people: Indices,
) -> list[Figure]:
    """How many of the items that profiles list a person rated: in the later one, and in both."""
    found = np.zeros((4, len(people)))
    profiles = [_in_original_codes(one.profiles, context.original) for one in (later, earlier)]
    for at, person in enumerate(people):
        rated = context.original.row(int(person))[0]
        newer, older = profiles[0](int(now[person])), profiles[1](int(before[person]))
        shared = np.intersect1d(newer, older)
        found[:, at] = (
            np.isin(newer, rated).sum(),
            len(newer),
            np.isin(shared, rated).sum(),
            len(shared),
        )
    meaning = "items listed in the profile of a person's group that the person rated"
    return [
        ratio_figure("rated_given_both", found[2], found[3], f"{meaning}: in both releases"),
        ratio_figure("rated_given_newer", found[0], found[1], f"{meaning}: in the later one"),
    ]


def _in_original_codes(profiles: Ratings, original: Ratings) -> Callable[[int], Indices]:
    """The items that a group's profile lists, in codes of the original."""
    code = match_items(profiles, original)

    def listed(group: int) -> Indices:
        found = code[profiles.row(group)[0]]
        return found[found >= 0]

    return listed
