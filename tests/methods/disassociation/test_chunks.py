"""Chunks, shared chunks and joints, each beside a plain twin that says what is right."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.methods.disassociation._chunks import (
    RatingTerms,
    fill_cluster_chunks,
    fill_shared_chunks,
)
from recloak.methods.disassociation._cluster_kernels import FIRST_SHARED, LEFT_OUT, TERM_CHUNK
from recloak.methods.disassociation._plan import (
    DisassociationPlan,
    PeopleByCluster,
    rating_terms,
    with_joints,
)
from recloak.testing import random_ratings
from tests.methods.disassociation.test_kernels import Held, plain_chunks

Record = dict[int, int]  # the place of each term's rating


def records(people: list[int], data: RatingTerms) -> list[Record]:
    ends = data.offsets.tolist()
    return [{int(data.terms[at]): at for at in range(ends[p], ends[p + 1])} for p in people]


def holders_of(terms: list[int], rows: list[Record]) -> Held:
    return [{at for at, row in enumerate(rows) if term in row} for term in terms]


def plain_cluster_chunks(
    rows: list[Record], item_of: list[int], k: int, m: int, *, spread: bool, listing: bool
) -> tuple[Record, bool]:
    """The chunk of each term of a cluster, and whether the chunks stand alone."""
    terms = sorted(set().union(*rows))
    support = dict(zip(terms, map(len, holders_of(terms, rows)), strict=True))
    chunk_of = dict.fromkeys(terms, TERM_CHUNK)
    for item in {item_of[term] for term in terms}:
        mine = [term for term in terms if item_of[term] == item]
        rare = sorted((t for t in mine if support[t] < k), key=lambda t: (support[t], t))
        lacking = len(rows) - sum(support[term] for term in mine if support[term] >= k)
        for term in rare[: max(len(rare) - max(lacking - k + 1, 0), 0)]:
            chunk_of[term] = LEFT_OUT
    raters = Counter(item_of[term] for row in rows for term in row)
    weight = {t: support[t] if spread else raters[item_of[t]] for t in terms}
    frequent = sorted((t for t in terms if support[t] >= k), key=lambda t: (-weight[t], t))
    # Listed terms come last and are in no group, so that they stay outside all chunks.
    listed = [t for t in terms if support[t] < k and chunk_of[t] == TERM_CHUNK]
    held = holders_of(frequent, rows)
    items = [item_of[term] for term in (*frequent, *listed)]
    one_by_one = range(len(frequent))
    by_item = [list(of) for _, of in groupby(one_by_one, key=lambda at: items[at])]
    groups = [[at] for at in one_by_one] if spread else by_item
    found = plain_chunks(held, items, len(rows), k, m, groups)[: len(frequent)]
    chunk_of |= dict(zip(frequent, found, strict=True))
    if not listing:
        return chunk_of, True
    chunks = {number for number in found if number >= 0}
    items_in = {n: {item_of[t] for t in terms if chunk_of[t] == n} for n in chunks}
    free = {n for n in chunks if all(items_in[n].isdisjoint(items_in[o]) for o in chunks - {n})}
    n_subrecords = sum(
        any(chunk_of[term] == number for term in row) for number in free for row in rows
    )
    alone = n_subrecords >= len(rows) + k * (max(min(m, len(chunks)), 1) - 1)
    if not alone and TERM_CHUNK not in chunk_of.values():
        whole = {item_of[t] for t in terms} - {item_of[t] for t in terms if chunk_of[t] < 0}
        rarest = min(sorted(whole), key=lambda item: raters[item])
        chunk_of |= {term: TERM_CHUNK for term in terms if item_of[term] == rarest}
        used = sorted({number for number in chunk_of.values() if number >= 0})
        chunk_of = {t: used.index(n) if n >= 0 else n for t, n in chunk_of.items()}
    return chunk_of, alone


def few_values(seed: int, people: int, share_rated: float) -> Ratings:
    ratings = random_ratings(people, 6, share_rated, seed)
    return ratings.with_values(np.where(ratings.values > 3, 2, 1).astype(np.float32))


@given(
    seed=st.integers(0, 10**6),
    people=st.integers(4, 14),
    rated=st.sampled_from([0.3, 0.6, 0.95]),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    values=st.booleans(),
    spread=st.booleans(),
    listing=st.booleans(),
)
def test_a_cluster_is_split_as_the_plain_twin_does(
    seed: int, people: int, rated: float, k: int, m: int, values: bool, spread: bool, listing: bool
) -> None:
    data = rating_terms(few_values(seed, people, rated), values=values)
    place = np.full(len(data.terms), -99, np.int32)
    members = np.flatnonzero(np.diff(data.offsets)).astype(np.int32)
    if len(members) < k:
        return
    alone = fill_cluster_chunks(members, data, k, m, place, spread=spread, listing=listing)
    rows = records(members.tolist(), data)
    chunk_of, expected_alone = plain_cluster_chunks(
        rows, data.item_of.tolist(), k, m, spread=spread, listing=listing
    )
    found = {term: int(place[at]) for row in rows for term, at in row.items()}
    assert found == chunk_of
    assert alone == expected_alone


def shareable(rows: list[Record], place: list[int], item_of: list[int], k: int) -> set[int]:
    """Items in no record chunk of these people, of which each value is held by k of them."""
    terms = set().union(*rows)
    barred = {item_of[t] for row in rows for t, at in row.items() if place[at] >= 0}
    barred |= {item_of[t] for t in terms if sum(t in row for row in rows) < k}
    return {item_of[t] for t in terms} - barred


def staying(clusters: list[list[Record]], shared: set[int], place: list[int], item_of: list[int]):
    """The terms of each cluster that stay in its term chunk."""
    return [
        {
            term
            for row in rows
            for term, at in row.items()
            if place[at] == TERM_CHUNK and item_of[term] not in shared
        }
        for rows in clusters
    ]


def plain_joints(
    clusters: list[list[Record]], alone: list[bool], place: list[int], item_of: list[int], k: int
) -> list[tuple[int, int]]:
    """Runs of clusters, joined pairwise as long as fewer terms stay."""

    def cost(first: int, last: int) -> int:
        rows = [row for cluster in clusters[first:last] for row in cluster]
        shared = shareable(rows, place, item_of, k) if last - first > 1 else set()
        left = staying(clusters[first:last], shared, place, item_of)
        complete = alone[first:last]
        sound = all(terms or fine for terms, fine in zip(left, complete, strict=True))
        return sum(map(len, left)) if sound else -1

    joints = [(at, at + 1) for at in range(len(clusters))]
    while True:
        merged: list[tuple[int, int]] = []
        fresh = False
        for joint in joints:
            fresh = bool(merged) and not fresh and joint[1] - merged[-1][0] <= 10
            if fresh:
                both = cost(merged[-1][0], joint[1])
                fresh = 0 <= both < cost(*merged[-1]) + cost(*joint)
            if fresh:
                merged[-1] = (merged[-1][0], joint[1])
            else:
                merged.append(joint)
        if merged == joints:
            return joints
        joints = merged


def planned(data: RatingTerms, size: int, k: int, m: int, *, spread: bool) -> DisassociationPlan:
    """Clusters of so many people as they come, with their chunks."""
    people = np.flatnonzero(np.diff(data.offsets)).astype(np.int32)
    starts = np.append(np.arange(0, len(people) - size + 1, size), len(people))
    place, alone = np.empty(len(data.terms), np.int32), []
    for start, end in pairwise(starts):
        cluster = people[start:end]
        alone.append(fill_cluster_chunks(cluster, data, k, m, place, spread=spread, listing=True))
    clusters = PeopleByCluster(people, starts.astype(np.int64))
    return DisassociationPlan(clusters, place, np.array(alone), np.arange(len(alone)))


@given(
    seed=st.integers(0, 10**6),
    rated=st.sampled_from([0.15, 0.3]),
    values=st.booleans(),
    spread=st.booleans(),
)
def test_clusters_are_joined_as_the_plain_twin_does(
    seed: int, rated: float, values: bool, spread: bool
) -> None:
    k, m = 3, 2
    data = rating_terms(few_values(seed, 24, rated), values=values)
    plan = planned(data, 4, k, m, spread=spread)
    starts, item_of = plan.clusters.starts.tolist(), data.item_of.tolist()
    clusters = [records(plan.clusters.people[a:b].tolist(), data) for a, b in pairwise(starts)]
    before = plan.place.tolist()
    joints = plain_joints(clusters, plan.alone.tolist(), before, item_of, k)
    found = with_joints(data, plan, k, m, SILENT)
    sizes = [last - first for first, last in joints]
    assert found.joint.tolist() == np.repeat(np.arange(len(joints)), sizes).tolist()
    for first, last in joints:
        rows = [row for cluster in clusters[first:last] for row in cluster]
        shared = shareable(rows, before, item_of, k) if last - first > 1 else set()
        for row in rows:
            for term, at in row.items():
                now = int(found.place[at])
                assert now <= FIRST_SHARED if item_of[term] in shared else now == before[at]


def plain_shared_chunks(rows: list[Record], item_of: list[int], k: int, m: int) -> Record:
    """Chunks take items with all their values: a value of each decides as if it were the item."""
    items = sorted({item_of[term] for row in rows for term in row})
    raters = {item: sum(any(item_of[t] == item for t in row) for row in rows) for item in items}
    waiting = sorted(items, key=lambda item: -raters[item])
    place: Record = {}
    number = 0
    while waiting:
        chunk: list[int] = []
        for item in waiting:
            parts = [frozenset(t for t in row if item_of[t] in {*chunk, item}) for row in rows]
            if all(sum(wanted <= part for part in parts) >= k for wanted in subsets(parts, m)):
                chunk.append(item)
        place |= dict.fromkeys(chunk, FIRST_SHARED - number)
        waiting = [item for item in waiting if item not in chunk]
        number += 1
    return place


def subsets(parts: list[frozenset[int]], most: int) -> set[frozenset[int]]:
    """All sets of at most so many terms that occur."""
    found: set[frozenset[int]] = {frozenset()}
    for _ in range(most):
        found |= {one | {term} for part in parts for one in found if one <= part for term in part}
    return found


@given(
    seed=st.integers(0, 10**6),
    rated=st.sampled_from([0.3, 0.6]),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    values=st.booleans(),
)
def test_a_joint_shares_as_the_plain_twin_does(
    seed: int, rated: float, k: int, m: int, values: bool
) -> None:
    data = rating_terms(few_values(seed, 16, rated), values=values)
    people = np.flatnonzero(np.diff(data.offsets)).astype(np.int32)
    rows, item_of = records(people.tolist(), data), data.item_of.tolist()
    place = np.full(len(data.terms), TERM_CHUNK, np.int32)
    shared = shareable(rows, place.tolist(), item_of, k)
    barred = np.array([item not in shared for item in range(max(item_of) + 1)])
    fill_shared_chunks(people, data, k, m, place, barred)
    kept = [{t: at for t, at in row.items() if item_of[t] in shared} for row in rows]
    expected = plain_shared_chunks(kept, item_of, k, m)
    for row in rows:
        for term, at in row.items():
            assert place[at] == expected.get(item_of[term], TERM_CHUNK)
