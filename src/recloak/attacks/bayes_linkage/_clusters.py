"""Candidates that are clusters of a disassociated release: first the cluster, then a row in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks._chunk_numbers import numbered_chunks
from recloak.attacks.bayes_linkage._activity import Activity
from recloak.attacks.bayes_linkage._candidates import Candidates, RatedCells
from recloak.attacks.bayes_linkage._kernels import (
    Places,
    Tally,
    consistent_rows,
    shares_of_chunks,
)
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.attacks.bayes_linkage._rows import ValueChance
from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.cache import PerTableCache
from recloak.core.ratings import ItemView
from recloak.releases.disassociated import SHARED, DisassociatedRelease

PRIOR_PEOPLE = 0.02  # the weight, in people, of what is given in general beside what a cluster has
MOST_KEPT = 4_000_000  # rows, about 25 bytes each
FAR = 1e-2  # clusters so much less likely than the likeliest are looked at only if they can matter
FEWEST_SOUGHT = 300
MOST_LOOKED_AT = 250_000_000  # sub-records, once for each person
_ACTIVITY: PerTableCache[Activity] = PerTableCache()


class _Holders(NamedTuple):
    """The rows that hold a known rating, their chunks, the share of each row's chunk as a
    logarithm, and the rows that hold the item with another value.
    """

    rows: Indices
    chunks: Indices
    log_here: Floats
    otherwise: Indices


class ClusterCandidates(Candidates):
    """Every cluster is a candidate; how many of its people gave a rating is read off its chunks.

    A shared chunk counts for the clusters of its joint in proportion to their people. In a cluster
    the adversary names a row that holds known ratings and contradicts none of them: among the
    sub-records of its chunk that do, those of people who rate little are likelier (`Activity`); a
    listed term stands for somebody who gave it.
    """

    def __init__(self, release: DisassociatedRelease, fits: ValueChance) -> None:
        self.table, self._fits = release.ratings, fits
        placed = release.clusters
        self._people = placed.records.astype(np.float64)
        self._joint_of = placed.joint
        self._joint_people = np.bincount(placed.joint, self._people)
        self._group, self._shared = placed.group, placed.kind == SHARED
        self._place = placed.group + np.where(self._shared, self.count, 0)
        self._chunk = numbered_chunks(placed)
        self._kept: dict[tuple[int, float | None], _Holders] = {}
        self._kept_rows = 0
        chunks = int(self._chunk.max(initial=-1)) + 1
        self._tally = Tally.of(len(self._chunk), chunks)
        people, group = np.empty(chunks), placed.group
        people[self._chunk[~self._shared]] = self._people[group[~self._shared]]
        people[self._chunk[self._shared]] = self._joint_people[group[self._shared]]
        self._activity = _ACTIVITY.get(
            self.table, "activity", lambda: Activity(self.table, self._chunk, people)
        )

    @property
    def count(self) -> int:
        return len(self._people)

    @property
    def most_sought(self) -> int:
        """Once for each person chunks and sub-records are looked at, and not once for each item."""
        return max(FEWEST_SOUGHT, MOST_LOOKED_AT // max(self.table.n_users, 1))

    @property
    def people(self) -> Floats:
        return self._people

    def chances(self) -> Floats:
        return np.ones(self.table.n_ratings)

    def mass(self, item_weights: Floats) -> Floats:
        cells = item_weights[self.table.items].astype(np.float64)
        rows = self.table.user_codes().astype(np.int64)
        return self._by_cluster(rows, cells) / self._people

    def cells(self) -> RatedCells:
        """Every item of a cluster, by the share of its people who rated it."""
        owners, items, counts = [], [], []
        for item in np.flatnonzero(self.table.item_support).tolist():
            found = self._by_cluster(*self._fitting(item, None))
            held = np.flatnonzero(found)
            owners.append(held)
            items.append(np.full(len(held), item))
            counts.append(found[held] / self._people[held])
        return RatedCells(
            np.concatenate(owners).astype(np.int32),
            np.concatenate(items).astype(np.int32),
            np.concatenate(counts),
        )

    def likelihood(self, item: int, value: float | None) -> Floats:
        held, fits = self._fitting(item, value)
        counts = self._by_cluster(held, fits)
        general = PRIOR_PEOPLE * counts.sum() / self._people.sum()
        return np.asarray((counts + general) / (self._people + PRIOR_PEOPLE))

    def rows_named(self, weights: Floats, known: Known) -> tuple[Indices, float]:
        """Clusters that are far less likely are left out where none of their rows can be best."""
        reach = self._reach(weights)
        near = reach >= FAR * reach.max(initial=0.0)
        rows, chance = self._row_chances(reach, near, known)
        if chance.max(initial=0.0) * (1 - 1e-9) <= reach[~near].max(initial=-1.0):
            rows, chance = self.row_chances(weights, known)
        best = float(chance.max(initial=0.0))
        return rows[chance >= best * (1 - 1e-9)], best

    def row_chances(self, weights: Floats, known: Known) -> tuple[Indices, Floats]:
        """The rows that contradict nothing that is known, and the chance that each is theirs."""
        reach = self._reach(weights)
        return self._row_chances(reach, np.ones(len(reach), np.bool_), known)

    def _reach(self, weights: Floats) -> Floats:
        """For each cluster, and then each joint, what no row in it can exceed."""
        inside = weights * self._people
        return np.concatenate([inside, np.bincount(self._joint_of, inside)])

    def _row_chances(self, reach: Floats, near: Mask, known: Known) -> tuple[Indices, Floats]:
        rows, held, log_here = self._consistent(self._each(known), near)
        alike = self._activity.weights(rows, held)
        alike = shares_of_chunks(rows, alike, self._chunk, self._tally)
        return rows, reach[self._place[rows]] * alike * np.exp(log_here)

    def _consistent(self, parts: list[_Holders], near: Mask) -> tuple[Indices, Indices, Floats]:
        """The rows that hold known ratings and contradict none, how many they hold, and a chance.

        A row holds every known rating that its chunk has, and no known item with another value.
        The last is the logarithm of the chance that the person's ratings stand in this chunk.
        """
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        rows = np.concatenate([one.rows for one in parts])
        logs = np.concatenate([one.log_here for one in parts])
        chunks = np.concatenate([one.chunks for one in parts])
        otherwise = np.concatenate([one.otherwise for one in parts])
        places = Places(self._chunk, self._place, near)
        return consistent_rows(rows, logs, chunks, otherwise, places, self._tally)

    def _log_in_this_chunk(self, rows: Indices) -> tuple[Indices, Floats]:
        """The chunks of rows that hold a rating, and for each row the share that its chunk has.

        That is of all in its cluster: of an item whose value is not known, some values may stand in
        other chunks.
        """
        chunks, which, counts = np.unique(
            self._chunk[rows], return_inverse=True, return_counts=True
        )
        by_cluster = self._by_cluster(rows, np.ones(len(rows)))
        by_joint = np.bincount(self._joint_of, by_cluster)
        shared, group = self._shared[rows], self._group[rows]
        everywhere = by_cluster[np.where(shared, 0, group)]
        everywhere = np.where(shared, by_joint[np.where(shared, group, 0)], everywhere)
        shares = counts[which] / np.maximum(everywhere, 1e-12)
        return chunks, np.asarray(np.minimum(np.log(shares), 0.0))

    def _each(self, known: Known) -> list[_Holders]:
        return [self._holders_of(item, value) for item, value in known.pairs() if item >= 0]

    def _holders_of(self, item: int, value: float | None) -> _Holders:
        """The rows that hold a rating; kept, for many people gave the same."""
        if (item, value) not in self._kept:
            rows, fits = self._fitting(item, value)
            holding = rows[fits > 0]
            chunks, log_here = self._log_in_this_chunk(holding)
            found = _Holders(holding, chunks, log_here, rows[fits == 0])
            self._kept_rows += len(rows)
            if self._kept_rows > MOST_KEPT:
                self._kept, self._kept_rows = {}, len(rows)
            self._kept[item, value] = found
        return self._kept[item, value]

    def _fitting(self, item: int, value: float | None) -> tuple[Indices, Floats]:
        """The rows that hold an item, and whether its value is the known one."""
        index: ItemView = self.table.by_item
        here = slice(index.offsets[item], index.offsets[item + 1])
        held, published = index.users[here].astype(np.int64), index.values[here]
        if value is None:
            return held, np.ones(len(held))
        return held, self._fits(np.array([item]), published.astype(np.float64), np.array([value]))

    def _by_cluster(self, rows: Indices, amounts: Floats) -> Floats:
        """Amounts of rows summed by cluster; those of shared chunks spread over their joint."""
        shared, group = self._shared[rows], self._group[rows]
        own = np.bincount(group[~shared], amounts[~shared], self.count)
        of_joint = np.bincount(group[shared], amounts[shared], len(self._joint_people))
        return own + (of_joint / self._joint_people)[self._joint_of] * self._people
