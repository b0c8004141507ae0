"""Changes between two releases of lists: who had rated what before, and what they added."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Indices, Mask, places_within
from recloak.core.kernels.layout import expand
from recloak.evaluation.list_context import ListContext


class ListChanges(NamedTuple):
    """The ratings of a history by person, and when they were given: before, between, or after."""

    users: Indices
    items: Indices
    time_rank: Indices
    earlier: int
    later: int
    n_users: int
    n_items: int

    @classmethod
    def of(cls, context: ListContext, place: int) -> ListChanges:
        ratings, releases = context.timeline.ratings, context.history.releases
        cuts = releases[place - 1].n_ratings, releases[place].n_ratings
        users = expand(ratings.offsets).astype(np.int64)
        time_rank = context.timeline.time_rank.astype(np.int64)
        seen = time_rank < cuts[1]
        items = ratings.items.astype(np.int64)
        return cls(
            users[seen], items[seen], time_rank[seen], *cuts, ratings.n_users, context.n_items
        )

    @property
    def before(self) -> Mask:
        return self.time_rank < self.earlier

    def people(self, known: int, *, active: bool) -> Indices:
        """Who can be tried: enough was known of them, and (if asked for) they rated in between."""
        enough = np.bincount(self.users[self.before], minlength=self.n_users) >= known
        if active:
            enough &= np.bincount(self.users[~self.before], minlength=self.n_users) > 0
        return np.flatnonzero(enough)

    def draw(self, people: Indices, known: int, rng: np.random.Generator) -> KnownItems:
        """``known`` of the items that each had rated before, drawn at random."""
        place_of = np.full(self.n_users, -1)
        place_of[people] = np.arange(len(people))
        mine = self.before & (place_of[self.users] >= 0)
        trials, items = place_of[self.users[mine]], self.items[mine]
        order = np.lexsort((rng.random(len(trials)), trials))
        counts = np.bincount(trials, minlength=len(people))
        kept = order[places_within(counts) < known]
        return KnownItems(people, trials[kept], items[kept])

    def popularity(self, people: Indices) -> tuple[Indices, int]:
        """How many of the people added each item in between, and how many they are."""
        asked = np.isin(self.users, people) & ~self.before
        return np.bincount(self.items[asked], minlength=self.n_items), len(people)

    def keys(self, people: Indices, *, new: bool) -> Indices:
        """What each of the people rated (``new``: in between), as try × items + item, ascending."""
        place_of = np.full(self.n_users, -1)
        place_of[people] = np.arange(len(people))
        kept = place_of[self.users] >= 0
        kept &= ~self.before if new else True
        return np.sort(place_of[self.users[kept]] * self.n_items + self.items[kept])


class KnownItems(NamedTuple):
    """Who is tried, and one entry for each item that is known of one of them."""

    people: Indices
    trials: Indices
    items: Indices


def within(keys: Indices, ascending: Indices) -> Mask:
    """Which of the keys are among those in ascending order?"""
    at = np.searchsorted(ascending, keys)
    inside = at < len(ascending)
    inside[inside] = ascending[at[inside]] == keys[inside]
    return inside
