"""What somebody's ratings would have moved in the profile of their group, beside what is there.

The mean of a group deviates from what profiles of its kind say by what its members rated, each by
one part in the size of the group. Of a single item that is lost among the others; over all ratings
of a person it adds up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._low_rank import FACTORS, low_rank
from recloak.core.arrays import Floats, Indices, Values
from recloak.core.ratings import Ratings
from recloak.releases.grouped import GroupedRelease

MOST_CELLS = 60_000_000
PEOPLE_PER_BLOCK = 500
LEAST_SPREAD = 0.0025  # of the span: what profiles are rounded by
GROUPS_PER_FACTOR = 8
LEAST_UNREST = 0.1
LEAST = 1e-9


def profile_deviations(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """How well the group fits that fits best, and how far it stands out; nothing without groups."""
    release = asked.group.rehearsed.release
    if not isinstance(release, GroupedRelease) or known.scale.span == 0:
        return []
    if "deviating profiles" not in asked.group.kept:
        asked.group.kept["deviating profiles"] = DeviatingProfiles.of(asked, release)
    profiles: DeviatingProfiles = asked.group.kept["deviating profiles"]
    starts = range(0, known.n_users, PEOPLE_PER_BLOCK)
    blocks = [np.arange(at, min(at + PEOPLE_PER_BLOCK, known.n_users)) for at in starts]
    parts = [_summary(profiles.fits(known.take_users(people))) for people in blocks]
    return list(np.concatenate(parts).T)


@dataclass(frozen=True, eq=False)
class DeviatingProfiles:
    """By how much each profile deviates from a low-rank fit of all, and its variance by item.

    Those of people who rate much deviate more: ``unrest`` is how much each does, beside the others.
    Of so many items that they cannot all be compared, those count that most profiles list.
    """

    deviations: Values
    variance: Floats
    usual: Floats
    place: Indices
    sizes: Floats
    unrest: Floats

    @classmethod
    def of(cls, asked: AskedGroup, release: GroupedRelease) -> DeviatingProfiles:
        rows, span = asked.attacked.rows, asked.people.ratings.scale.span
        usual = _usual(asked, release)
        head = np.argsort(-rows.item_support, kind="stable")[: MOST_CELLS // max(rows.n_users, 1)]
        place = np.full(rows.n_items, -1, np.int64)
        place[head] = np.arange(len(head))
        cells = np.tile(usual[head].astype(np.float32), (rows.n_users, 1))
        listed = place[rows.items] >= 0
        cells[rows.user_codes()[listed], place[rows.items[listed]]] = rows.values[listed]
        cells -= low_rank(cells, factors=_rank(rows.n_users))
        variance = np.einsum("ij,ij->j", cells, cells, dtype=np.float64) / max(len(cells), 1)
        variance += (LEAST_SPREAD * span) ** 2
        unrest = np.einsum("ij,ij,j->i", cells, cells, 1 / variance, dtype=np.float64)
        unrest = np.maximum(unrest / max(len(head), 1), LEAST_UNREST)
        return cls(cells, variance, usual, place, release.sizes.astype(np.float64), unrest)

    def fits(self, known: Ratings) -> Floats:
        """For each person and group how much likelier its profile is with them among its members.

        The logarithm, if deviations are normal.
        """
        counted = self.place[known.items] >= 0
        items, people = known.items[counted], known.user_codes()[counted]
        moved = known.values[counted] - self.usual[items]
        weighed = moved / self.variance[self.place[items]]
        table = sparse.csr_array(
            (weighed, (people, self.place[items])), shape=(known.n_users, len(self.variance))
        )
        gained = np.asarray(table @ self.deviations.T) / self.sizes
        at_most = np.bincount(people, moved * weighed, known.n_users)
        return np.asarray((gained - 0.5 * at_most[:, None] / self.sizes**2) / self.unrest)


def _usual(asked: AskedGroup, release: GroupedRelease) -> Floats:
    """What stands in a profile for who did not rate: what is implied, else the item's mean."""
    rows, rehearsed = asked.attacked.rows, asked.group.rehearsed
    middle = rehearsed.original.scale.middle
    sums = np.bincount(rows.items, rows.values, rows.n_items)
    found = np.where(rows.item_support > 0, sums / np.maximum(rows.item_support, 1), middle)
    if release.implied is not None:
        there = rehearsed.item_in_release >= 0
        found[there] = release.implied[rehearsed.item_in_release[there]]
    return found


def _summary(fits: Floats) -> Floats:
    """A row for each person: the best, its lead, all together, and the best in deviations."""
    best = fits.max(axis=1)
    second = np.partition(fits, -2, axis=1)[:, -2] if fits.shape[1] > 1 else best
    together = best + np.log(np.exp(fits - best[:, None]).sum(axis=1))
    apart = (best - fits.mean(axis=1)) / (fits.std(axis=1) + LEAST)
    return np.column_stack([best, best - second, together, apart])


def _rank(groups: int) -> int:
    """As many factors as tell what groups have in common, and not what each is by itself."""
    return min(FACTORS, groups // GROUPS_PER_FACTOR)
