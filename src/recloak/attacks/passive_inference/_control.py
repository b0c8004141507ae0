"""The control of guesses from lists: people whose ratings took no part in how the lists changed.

They rated nothing between two releases and something afterwards. Each stands beside somebody who
did rate in between and had rated about as much before. What they rated next, as much as the other
added, is what the same guesses are held against: no list could tell it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from recloak.attacks._figures import ratio_excess_figure
from recloak.attacks.passive_inference._list_changes import ListChanges, within
from recloak.core.arrays import Floats, Indices, places_within
from recloak.core.kernels.layout import expand
from recloak.evaluation.control_group import matched_by_count
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import safe_ratio_figure
from recloak.evaluation.list_context import ListContext


class Pairs(NamedTuple):
    """Places of members among those tried, and for each somebody who did not rate in between."""

    members: Indices
    outsiders: Indices
    added: Indices

    @classmethod
    def of(
        cls,
        context: ListContext,
        changes: ListChanges,
        tried: Indices,
        known: int,
        rng: np.random.Generator,
    ) -> Pairs:
        """Pairs by how much each had rated before; the outsider rated enough afterwards."""
        before, added, later = _counts(context, changes)
        members = np.flatnonzero(added[tried] > 0)
        idle = np.flatnonzero((before >= known) & (added == 0) & (later > 0))
        if len(idle) < len(members):
            chosen = matched_by_count(before[tried[members]], before[idle], rng)
            members = members[chosen]
        else:
            idle = idle[matched_by_count(before[idle], before[tried[members]], rng)]
        new = added[tried[members]]
        enough = later[idle] >= new
        return cls(members[enough], idle[enough], new[enough])


class ControlCounts(NamedTuple):
    """Of each pair: guesses about both, those that are right, and of the outsider's those rated.

    A guess about a member is right if they added the item between the releases, one about an
    outsider if it is among what they rated next.
    """

    guesses: Floats
    right: Floats
    outsider_guesses: Floats
    outsider_right: Floats
    outsider_rated: Floats


def next_ratings(
    context: ListContext, changes: ListChanges, people: Indices, counts: Indices
) -> Indices:
    """The first ratings of each after the later release, as try × items + item, ascending."""
    ratings, time_rank = context.timeline.ratings, context.timeline.time_rank
    place_of = np.full(ratings.n_users, -1)
    place_of[people] = np.arange(len(people))
    trials = place_of[expand(ratings.offsets)]
    mine = np.flatnonzero((trials >= 0) & (time_rank >= changes.later))
    order = mine[np.lexsort((time_rank[mine], trials[mine]))]
    lengths = np.bincount(trials[order], minlength=len(people))
    first = order[places_within(lengths) < counts[trials[order]]]
    return np.sort(trials[first] * changes.n_items + ratings.items[first].astype(np.int64))


def outsider_counts(
    keys: Indices, context: ListContext, changes: ListChanges, pairs: Pairs
) -> tuple[Floats, Floats, Floats]:
    """Of each outsider: how much was guessed (``keys``), rated next, and rated before."""
    following = next_ratings(context, changes, pairs.outsiders, pairs.added)
    rated = changes.keys(pairs.outsiders, new=False)
    each = (np.ones(len(keys)), within(keys, following), within(keys, rated))
    guesses, right, before = (
        np.bincount(keys // changes.n_items, weights=one, minlength=len(pairs.outsiders))
        for one in each
    )
    return guesses.astype(float), right.astype(float), before.astype(float)


def control_figures(counted: Iterable[ControlCounts]) -> Iterator[Figure]:
    """What is guessed rightly of members, of people who rated nothing, and the difference."""
    columns = [np.concatenate(column) for column in zip(*counted, strict=True)]
    if not columns or min(columns[0].sum(), columns[2].sum()) == 0:
        return
    guesses, right, others, others_right, others_rated = columns
    what = "guesses about people who rated nothing in between"
    yield safe_ratio_figure(
        "inference_members", right, guesses, "guesses about members that they added in between"
    )
    yield safe_ratio_figure(
        "inference_outsiders", others_right, others, f"{what} that they rated next"
    )
    yield safe_ratio_figure(
        "inference_rated_outsiders", others_rated, others, f"{what} that they had rated anyway"
    )
    yield ratio_excess_figure(
        "inference_excess",
        (right, guesses),
        (others_right, others),
        "right guesses about members, more than about people who rated nothing in between",
    )
    for name, count, who in (
        ("guesses_members", guesses, "about these members"),
        ("guesses_outsiders", others, "about people who rated nothing in between"),
    ):
        meaning = f"how often the adversary guessed {who}"
        yield Figure(name, float(count.sum()), unit="count", meaning=meaning)


def note_on(control: Sequence[ControlCounts], figures: tuple[Figure, ...]) -> str:
    """Whom the control figures are about, or why there are none."""
    pairs = sum(len(one.guesses) for one in control)
    if not pairs:
        return (
            "Nobody rated nothing between two releases and enough afterwards, so there is no "
            "control group."
        )
    if not figures:
        return f"Of {pairs:,} members or as many who rated nothing in between, nothing was guessed."
    return (
        f"{pairs:,} members are compared with as many people who rated nothing between the two "
        "releases; a guess about these is right if they rated the item next."
    )


def _counts(context: ListContext, changes: ListChanges) -> tuple[Indices, Indices, Indices]:
    """How much everybody had rated by the earlier release, added by the later, rated after it."""
    n, before = changes.n_users, changes.before
    earlier, added = (np.bincount(changes.users[side], minlength=n) for side in (before, ~before))
    whole = np.diff(context.timeline.ratings.offsets).astype(np.int64)
    return earlier, added, whole - earlier - added
