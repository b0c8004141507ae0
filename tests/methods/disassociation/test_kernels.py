from __future__ import annotations

from collections import Counter
from itertools import combinations, groupby, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.kernels.bits import bits_of
from recloak.core.ratings import Ratings
from recloak.methods.disassociation._chunk_kernels import fill_chunks
from recloak.methods.disassociation._cluster_kernels import split
from recloak.releases.disassociated._reconstruction_kernels import place_all, shuffled
from recloak.testing import random_ratings

Held = list[set[int]]  # the holders of each term


def is_sound(
    chunk: list[int], before: list[int], held: Held, item: list[int], people: int, k: int, m: int
) -> bool:
    """The rule of `recloak.methods.disassociation._chunk_kernels`, word by word."""
    inside = {item[term] for term in chunk}
    earlier = inside & {item[term] for term in before}
    placed = {*chunk, *before}
    outside = {item[term] for term in range(len(item)) if term not in placed} & inside
    has = {at: set().union(*(held[term] for term in chunk if item[term] == at)) for at in inside}
    for size in range(m + 1):
        for wanted in combinations(chunk, size):
            having = set(range(people)).intersection(*(held[term] for term in wanted))
            items = {item[term] for term in wanted}
            if not having:
                continue
            for less in range(m - size + 1):
                for ruled_out in combinations(sorted(outside - items), less):
                    gone = {*ruled_out, *(earlier - items)}
                    if len(having.difference(*(has[at] for at in gone))) < k:
                        return False
    held_before = {at: sum(len(held[t]) for t in before if item[t] == at) for at in earlier}
    blocked = [sum(held_before[at] for at in earlier if one in has[at]) for one in range(people)]
    return not earlier or sum(b > 0 for b in blocked) + max(blocked) <= people - k


def plain_chunks(
    held: Held, item: list[int], people: int, k: int, m: int, groups: list[list[int]] | None = None
) -> list[int]:
    """The chunk of each term, -1 outside; those of a group, first each by itself, go together."""
    chunk_of, number = [-1] * len(item), 0
    waiting = [[term] for term in range(len(item))] if groups is None else groups
    while waiting:
        before = [term for term, chunk in enumerate(chunk_of) if chunk >= 0]
        chunk: list[int] = []
        for group in waiting:
            if is_sound([*chunk, *group], before, held, item, people, k, m):
                chunk += group
        if not chunk:
            break
        for term in chunk:
            chunk_of[term] = number
        waiting = [group for group in waiting if group[0] not in chunk]
        number += 1
    return chunk_of


@settings(max_examples=150)
@given(
    seed=st.integers(0, 10**6),
    people=st.sampled_from([5, 9, 12, 70]),
    k=st.integers(2, 3),
    m=st.integers(1, 4),
    together=st.booleans(),
)
def test_chunks_take_what_the_rule_allows(
    seed: int, people: int, k: int, m: int, together: bool
) -> None:
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 4, (4, 5)) * (rng.random((4, 5)) < 0.7)
    cells = kinds[rng.integers(0, 4, people)] * (rng.random((people, 5)) < 0.9)
    found = [(at, v) for at in range(5) for v in (1, 2, 3) if (cells[:, at] == v).sum() >= k]
    held = [set(np.flatnonzero(cells[:, at] == value).tolist()) for at, value in found]
    starts = np.cumsum([0, *map(len, held)])
    holders = np.array([one for members in held for one in sorted(members)], np.int32)
    bits = bits_of(starts, holders, np.arange(len(found)), people)
    for term, members in enumerate(held):
        words = bits[term].tolist()
        assert {
            one for one in range(64 * len(words)) if words[one // 64] >> one % 64 & 1
        } == members
    item = [at for at, _ in found]
    n_values = np.bincount(item, minlength=5).astype(np.int64)
    by_item = [list(of) for _, of in groupby(range(len(item)), key=lambda term: item[term])]
    groups = by_item if together else [[term] for term in range(len(item))]
    starts = np.cumsum([0, *map(len, groups)])
    terms = (bits, np.array(item, np.int64), n_values, starts)
    expected = plain_chunks(held, item, people, k, m, groups)
    assert fill_chunks(*terms, people, k, m).tolist() == expected


def plain_split(people: list[int], rows: list[set[int]], least: int, most: int) -> list[set[int]]:
    support: dict[int, int] = {}
    for person in people:
        for term in rows[person]:
            support[term] = support.get(term, 0) + 1
    fair = [term for term, n in support.items() if least <= n <= len(people) - least]
    if len(people) <= most or not fair:
        return [set(people)]
    best = min(fair, key=lambda term: (-support[term], term))
    sides = [[p for p in people if (best in rows[p]) == side] for side in (True, False)]
    return [part for side in sides for part in plain_split(side, rows, least, most)]


@given(seed=st.integers(0, 10**6), least=st.integers(2, 4), most=st.integers(8, 20))
def test_people_are_split_on_the_most_frequent_term(seed: int, least: int, most: int) -> None:
    ratings = random_ratings(40, 10, 0.4, seed)
    people = np.arange(40, dtype=np.int32)
    starts = sorted(split(people, ratings.offsets, ratings.items, 10, least, most).tolist())
    found = {frozenset(part.tolist()) for part in np.split(people, starts[1:])}
    rows = [set(ratings.row(user)[0].tolist()) for user in range(40)]
    for part in plain_split(list(range(40)), rows, least, most):
        if len(part) <= most:
            assert frozenset(part) in found
        else:
            assert set().union(*(cut for cut in found if cut <= part)) == part
    assert all(least <= len(part) <= most for part in found)


def test_sub_records_move_aside_for_those_with_fewer_choices() -> None:
    """Three records; the second chunk fits in one way only, whatever comes first."""
    users = [0, 0, 1, 1, 2, 2, 3, 4, 5]
    items = [0, 1, 1, 2, 0, 2, 0, 1, 2]  # a record with items 0 and 1 can take only item 2
    rows = Ratings.from_columns(users, items, np.ones(9))
    starts, low, high = np.array([0, 3, 6]), np.array([0, 0]), np.array([3, 3])
    for seed in range(20):
        state = np.array([seed], np.uint64)
        chunks = (np.arange(6), starts, low, high, np.zeros(2, np.bool_))
        record_of = place_all(state, *chunks, rows.offsets, rows.items, rows.n_items)
        assert sorted(record_of[:3]) == sorted(record_of[3:]) == [0, 1, 2]
        holding = {(record_of[u], i) for u, i in zip(users, items, strict=True)}
        assert len(holding) == 9


def test_all_orders_are_drawn_alike() -> None:
    state = np.array([7], np.uint64)
    drawn = Counter(tuple(shuffled(state, 3).tolist()) for _ in range(6_000))
    assert set(drawn) == set(permutations(range(3)))
    assert max(drawn.values()) < 1_150  # 1,000 each, five standard deviations
