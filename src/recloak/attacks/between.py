"""Between two releases of lists: who had rated what before, and what they added since."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.layout import expand
from recloak.lists.scene import ListScene

Codes = NDArray[np.int64]


class Between(NamedTuple):
    """The ratings of a history by person, and when they were given: before, between, or after."""

    users: Codes
    items: Codes
    born: Codes
    earlier: int
    later: int
    n_users: int
    n_items: int

    @classmethod
    def of(cls, scene: ListScene, place: int) -> Between:
        ratings, releases = scene.timeline.ratings, scene.history.releases
        cuts = releases[place - 1].n_ratings, releases[place].n_ratings
        users = expand(ratings.offsets).astype(np.int64)
        born = scene.timeline.born.astype(np.int64)
        seen = born < cuts[1]
        items = ratings.items.astype(np.int64)
        return cls(users[seen], items[seen], born[seen], *cuts, ratings.n_users, scene.n_items)

    @property
    def before(self) -> NDArray[np.bool_]:
        return self.born < self.earlier

    def people(self, known: int, *, active: bool) -> Codes:
        """Who can be tried: enough was known of them, and (if asked for) they rated in between."""
        enough = np.bincount(self.users[self.before], minlength=self.n_users) >= known
        if active:
            enough &= np.bincount(self.users[~self.before], minlength=self.n_users) > 0
        return np.flatnonzero(enough)

    def draw(self, people: Codes, known: int, rng: np.random.Generator) -> Known:
        """``known`` of the items that each had rated before, drawn at random."""
        place_of = np.full(self.n_users, -1)
        place_of[people] = np.arange(len(people))
        mine = self.before & (place_of[self.users] >= 0)
        tries, items = place_of[self.users[mine]], self.items[mine]
        order = np.lexsort((rng.random(len(tries)), tries))
        counts = np.bincount(tries, minlength=len(people))
        rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = order[rank < known]
        return Known(people, tries[kept], items[kept])

    def popularity(self, people: Codes) -> tuple[Codes, int]:
        """How many of the people added each item in between, and how many they are."""
        asked = np.isin(self.users, people) & ~self.before
        return np.bincount(self.items[asked], minlength=self.n_items), len(people)

    def keys(self, people: Codes, *, new: bool) -> Codes:
        """What each of the people rated (``new``: in between), as try × items + item, ascending."""
        place_of = np.full(self.n_users, -1)
        place_of[people] = np.arange(len(people))
        kept = place_of[self.users] >= 0
        kept &= ~self.before if new else True
        return np.sort(place_of[self.users[kept]] * self.n_items + self.items[kept])


class Known(NamedTuple):
    """Who is tried, and one entry for each item that is known of one of them."""

    people: Codes
    tries: Codes
    items: Codes


def within(keys: Codes, ascending: Codes) -> NDArray[np.bool_]:
    """Which of the keys are among those in ascending order?"""
    at = np.searchsorted(ascending, keys)
    inside = at < len(ascending)
    inside[inside] = ascending[at[inside]] == keys[inside]
    return inside
