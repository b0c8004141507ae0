"""Candidates that are clusters of a disassociated release: first the cluster, then a row in it."""

from __future__ import annotations

import numpy as np

from recloak.attacks._chunk_numbers import numbered_chunks
from recloak.attacks.bayes_linkage._candidates import Candidates, RatedCells
from recloak.attacks.bayes_linkage._knowledge import Known
from recloak.attacks.bayes_linkage._rows import ValueChance
from recloak.core.arrays import Floats, Indices, Integers
from recloak.core.ratings import ItemView
from recloak.releases.disassociated import SHARED, DisassociatedRelease

PRIOR_PEOPLE = 0.02  # the weight, in people, of what is given in general beside what a cluster has


class ClusterCandidates(Candidates):
    """Every cluster is a candidate; how many of its people gave a rating is read off its chunks.

    A shared chunk counts for the clusters of its joint in proportion to their people. In a cluster
    the adversary names a row that holds known ratings and contradicts none of them: among the
    sub-records of its chunk that do, any may be the person's; a listed term stands for somebody
    who gave it.
    """

    def __init__(self, release: DisassociatedRelease, fits: ValueChance) -> None:
        self.table, self._fits = release.ratings, fits
        placed = release.clusters
        self._people = placed.records.astype(np.float64)
        self._joint_of = placed.joint
        self._joint_people = np.bincount(placed.joint, self._people)
        self._group, self._shared = placed.group, placed.kind == SHARED
        self._chunk = numbered_chunks(placed)

    @property
    def count(self) -> int:
        return len(self._people)

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
        inside = weights * self._people
        rows, places = self._rows_holding(known)
        if len(rows) == 0:
            return np.empty(0, np.int64), 0.0
        chunks, wanted = self._known_by_chunk(known)
        held = np.bincount(places, minlength=len(rows))
        consistent = held == wanted[np.searchsorted(chunks, self._chunk[rows])]
        if not consistent.any():
            return np.empty(0, np.int64), 0.0
        rows = rows[consistent]
        _, which, alike = np.unique(self._chunk[rows], return_inverse=True, return_counts=True)
        shared = self._shared[rows]
        in_joint = np.bincount(self._joint_of, inside)
        group = self._group[rows]
        chance = np.where(shared, in_joint[np.where(shared, group, 0)], 0.0)
        chance = np.where(shared, chance, inside[np.where(shared, 0, group)]) / alike[which]
        best = float(chance.max())
        return rows[chance >= best * (1 - 1e-9)], best

    def _rows_holding(self, known: Known) -> tuple[Indices, Indices]:
        """The rows that hold a known rating, and for each such rating the place of its row."""
        parts = [held[fits > 0] for held, fits in self._each(known)]
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        rows, places = np.unique(np.concatenate(parts).astype(np.int64), return_inverse=True)
        return rows, places

    def _known_by_chunk(self, known: Known) -> tuple[Integers, Integers]:
        """The chunks that have known items, and how many of them; a term is a chunk of its own."""
        parts = [np.unique(self._chunk[held]) for held, _ in self._each(known)]
        return np.unique(np.concatenate([*parts, np.empty(0, np.int64)]), return_counts=True)

    def _each(self, known: Known) -> list[tuple[Indices, Floats]]:
        return [self._fitting(item, value) for item, value in known.pairs() if item >= 0]

    def _fitting(self, item: int, value: float | None) -> tuple[Indices, Floats]:
        """The rows that hold an item, and whether its value is the known one."""
        index: ItemView = self.table.by_item
        here = slice(index.offsets[item], index.offsets[item + 1])
        held, published = index.users[here].astype(np.int64), index.values[here]
        if value is None:
            return held, np.ones(len(held))
        return held, self._fits(item, published.astype(np.float64), value)

    def _by_cluster(self, rows: Indices, amounts: Floats) -> Floats:
        """Amounts of rows summed by cluster; those of shared chunks spread over their joint."""
        shared, group = self._shared[rows], self._group[rows]
        own = np.bincount(group[~shared], amounts[~shared], self.count)
        of_joint = np.bincount(group[shared], amounts[shared], len(self._joint_people))
        return own + (of_joint / self._joint_people)[self._joint_of] * self._people
