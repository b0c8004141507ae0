"""The plan of a disassociation: who is in which cluster, and where each rating goes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from recloak.core.arrays import Codes, Indices, Integers, Mask, Offsets
from recloak.core.ordering import frozen
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.methods.disassociation._chunks import (
    RatingTerms,
    fill_cluster_chunks,
    fill_shared_chunks,
)
from recloak.methods.disassociation._cluster_kernels import (
    forget_marks,
    mark_shareable,
    split,
    terms_staying,
)

JOINT_OF_CLUSTERS = 10  # a joint has at most so many clusters: its shared chunks must be searched


@dataclass(frozen=True)
class PeopleByCluster:
    """People in the order of their clusters; cluster ``c`` is ``people[starts[c]:starts[c+1]]``."""

    people: Codes
    starts: Offsets

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True)
class DisassociationPlan:
    """Where each rating goes (see `recloak.methods.disassociation._cluster_kernels`).

    ``alone[c]`` tells that cluster ``c`` needs no term chunk; its joint is ``joint[c]``.
    """

    clusters: PeopleByCluster
    place: Codes
    alone: Mask
    joint: Integers


def rating_terms(ratings: Ratings, *, values: bool) -> RatingTerms:
    """Terms are items, or the values of items that occur."""
    if not values:
        every = np.arange(ratings.n_items, dtype=np.int32)
        return RatingTerms(frozen(ratings.offsets), frozen(ratings.items), frozen(every))
    scores, score = np.unique(ratings.values, return_inverse=True)
    keys = ratings.items.astype(np.int64) * len(scores) + score
    if ratings.n_items * len(scores) > 4 * max(len(keys), 1_000_000):
        used, codes = np.unique(keys, return_inverse=True)
    else:
        present = np.zeros(ratings.n_items * len(scores), dtype=np.bool_)
        present[keys] = True
        used, codes = np.flatnonzero(present), (np.cumsum(present) - 1)[keys]
    items = (used // max(len(scores), 1)).astype(np.int32)
    return RatingTerms(frozen(ratings.offsets), frozen(codes.astype(np.int32)), frozen(items))


def clusters_of(
    data: RatingTerms, order: Indices, least: int, most: int, progress: Progress
) -> PeopleByCluster:
    """Clusters of at least ``least`` and at most ``most`` people; who rated nothing is in none."""
    people = order[np.diff(data.offsets)[order] > 0].astype(np.int32)
    with progress.task("Splitting people into clusters", 1) as task:
        starts = np.sort(split(people, data.offsets, data.terms, len(data.item_of), least, most))
        task.advance()
    return PeopleByCluster(people, np.append(starts, len(people)))


def with_chunks(
    data: RatingTerms,
    clusters: PeopleByCluster,
    k: int,
    m: int,
    progress: Progress,
    *,
    spread: bool,
    listing: bool,
    threads: int,
) -> DisassociationPlan:
    """Each cluster's terms in record chunks and a term chunk; any ``threads`` find the same.

    Without ``listing`` the term chunk is what will be suppressed.
    """
    place = np.empty(len(data.terms), dtype=np.int32)
    alone = np.zeros(len(clusters), dtype=np.bool_)

    def fill_one(cluster: int) -> None:
        people = clusters.people[clusters.starts[cluster] : clusters.starts[cluster + 1]]
        alone[cluster] = fill_cluster_chunks(
            people, data, k, m, place, spread=spread, listing=listing
        )

    with (
        progress.task("Tearing records into chunks", len(clusters)) as task,
        ThreadPoolExecutor(threads) as pool,
    ):
        for _ in pool.map(fill_one, range(len(clusters))):
            task.advance()
    return DisassociationPlan(clusters, place, alone, np.arange(len(clusters)))


def with_joints(
    data: RatingTerms, plan: DisassociationPlan, k: int, m: int, progress: Progress
) -> DisassociationPlan:
    """Neighbouring clusters as joints, where this takes terms out of term chunks."""
    search = _JointSearch(data, plan, k)
    with progress.task("Joining clusters") as task:
        joints = [(cluster, cluster + 1) for cluster in range(len(plan.clusters))]
        while True:
            fewer = search.merged(joints)
            task.advance()
            if fewer == joints:
                break
            joints = fewer
        place = plan.place.copy()
        for first, last in joints:
            if last - first > 1:
                search.fill_shared_chunks(first, last, m, place)
                task.advance()
    sizes = [last - first for first, last in joints]
    return replace(plan, place=place, joint=np.repeat(np.arange(len(joints)), sizes))


class _JointSearch:
    """Tries joints; joints are runs of clusters, and what was tried is remembered."""

    def __init__(self, data: RatingTerms, plan: DisassociationPlan, k: int) -> None:
        self.data, self.plan, self.k = data, plan, k
        n_terms = len(data.item_of)
        self.support = np.zeros(n_terms, dtype=np.int32)
        self.seen = np.full(n_terms, -1, dtype=np.int32)
        self.barred = np.zeros(int(data.item_of.max()) + 1, dtype=np.bool_)
        self.known: dict[tuple[int, int], int] = {}

    def merged(self, joints: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Join neighbours, from the first on, where fewer terms stay in term chunks."""
        result: list[tuple[int, int]] = []
        fresh = False  # joined in this pass: wait for the next, so that joints grow evenly
        for joint in joints:
            if result and not fresh and self.pays(result[-1], joint):
                result[-1] = (result[-1][0], joint[1])
                fresh = True
            else:
                result.append(joint)
                fresh = False
        return result

    def pays(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Would fewer terms stay, and no cluster be left short?"""
        both = (one[0], other[1])
        if both[1] - both[0] > JOINT_OF_CLUSTERS:
            return False
        staying = self.staying(both)
        return 0 <= staying < self.staying(one) + self.staying(other)

    def staying(self, joint: tuple[int, int]) -> int:
        """How many terms stay in term chunks, -1 if the joint is not allowed."""
        if joint not in self.known:
            first, last = joint
            people = self.people(first, last)
            self._mark(people, everything=last - first == 1)
            starts = self.plan.clusters.starts
            self.known[joint] = terms_staying(
                self.plan.clusters.people,
                starts[first : last + 1],
                self.data.offsets,
                self.data.terms,
                self.data.item_of,
                self.plan.place,
                self.barred,
                self.plan.alone[first:last],
                self.seen,
            )
            self._forget(people)
        return self.known[joint]

    def fill_shared_chunks(self, first: int, last: int, m: int, place: Codes) -> None:
        """Give the shared chunks of a joint their ratings."""
        people = self.people(first, last)
        self._mark(people)
        fill_shared_chunks(people, self.data, self.k, m, place, self.barred)
        self._forget(people)

    def people(self, first: int, last: int) -> Codes:
        starts = self.plan.clusters.starts
        return self.plan.clusters.people[starts[first] : starts[last]]

    def _mark(self, people: Codes, everything: bool = False) -> None:
        data, needed = self.data, len(people) + 1 if everything else self.k
        shape = (people, data.offsets, data.terms, data.item_of)
        mark_shareable(*shape, self.plan.place, needed, self.support, self.barred)

    def _forget(self, people: Codes) -> None:
        data = self.data
        shape = (people, data.offsets, data.terms, data.item_of)
        forget_marks(*shape, self.support, self.barred)
