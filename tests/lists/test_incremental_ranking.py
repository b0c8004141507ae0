"""Ranking again what changed gives the same as ranking everything, night after night."""

from __future__ import annotations

import tracemalloc
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.ratings import Ratings
from recloak.core.timeline import Snapshot, Timeline
from recloak.lists import incremental_ranking
from recloak.lists._cached_rows import RankingCache
from recloak.lists._incremental_kernels import only_items
from recloak.lists.incremental_ranking import IncrementalRanking, rank_incrementally
from recloak.lists.store._ranking_cache import from_bytes, to_bytes
from recloak.recommenders.similarity import SIMILARITIES, Ranked, rank
from recloak.releases.lists.related import EMPTY, Slots
from recloak.simulation import synthesize

DELTA = Fraction(1, 3)


def snapshot_of(table: np.ndarray) -> Snapshot:
    """The ratings of a table of users × items in which 0 means none; items without one are gone."""
    users, items = np.nonzero(table)
    ratings = Ratings.from_columns(users, items, table[users, items], scale="1..5")
    timed = replace(ratings, times=np.zeros(len(users), np.int64))
    return Timeline(timed, b"key" * 10 + b"32").at(len(users))


def next_night(rng: np.random.Generator, table: np.ndarray, share: float) -> np.ndarray:
    """Some ratings are added, some change, some people or items are gone."""
    after = table.copy()
    touched = rng.random(table.shape) < share
    after[touched] = rng.integers(0, 6, int(touched.sum()))
    if rng.random() < 0.3:
        after[rng.integers(len(after))] = 0
    if rng.random() < 0.3:
        after[:, rng.integers(after.shape[1])] = 0
    after[0, 0] = 1
    return after


def some_lists(rng: np.random.Generator, ranked: Ranked, n_items: int) -> Slots:
    """Lists as they may have been published: raw ones with candidates in some slots."""
    lists = ranked.top.copy()
    swapped = rng.random(lists.shape) < 0.3
    lists[swapped] = rng.integers(EMPTY, n_items, int(swapped.sum()))
    return lists


def both(
    snapshot: Snapshot, name: str, before: Slots | None, cache: RankingCache | None, depth: int
) -> tuple[Ranked, Ranked, RankingCache, int]:
    similarity = SIMILARITIES.get(name)()
    plain = rank(snapshot, similarity, 3, depth=depth, delta=DELTA, before=before)
    again = rank_incrementally(
        snapshot, similarity, 3, depth=depth, delta=DELTA, before=before, cache=deepcopy(cache)
    )
    return plain, again.ranked, again.cache, again.n_reranked


@pytest.mark.parametrize("name", SIMILARITIES.names())
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.002, 0.02, 0.2]), wide=st.booleans())
def test_it_is_what_ranking_everything_gives(
    name: str, seed: int, share: float, wide: bool
) -> None:
    rng = np.random.default_rng(seed)
    n_items = 60 if wide else 25
    table = rng.integers(1, 6, (40, n_items)) * (rng.random((40, n_items)) < 0.15)
    table[0, 0] = 1
    cache: RankingCache | None = None
    before: Slots | None = None
    for _ in range(5):
        snapshot = snapshot_of(table)
        if before is not None and len(before) != snapshot.ratings.n_items:
            before = None
        plain, again, cache, _ = both(snapshot, name, before, cache, depth=6)
        np.testing.assert_array_equal(plain.top, again.top)
        np.testing.assert_array_equal(plain.candidates, again.candidates)
        before = some_lists(rng, plain, snapshot.ratings.n_items)
        table = next_night(rng, table, share)


def test_nothing_is_added_up_anew_where_nothing_changed() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(1, 6, (40, 60)) * (rng.random((40, 60)) < 0.2)
    plain, _, cache, first = both(snapshot_of(table), "cosine", None, None, 6)
    assert first == snapshot_of(table).ratings.n_items
    assert both(snapshot_of(table), "cosine", plain.top, cache, 6)[3] == 0
    table[:3, 7] = 1 + table[:3, 7] % 5
    assert 1 <= both(snapshot_of(table), "cosine", plain.top, cache, 6)[3] <= 5


def test_all_is_ranked_anew_where_most_ratings_are_of_changed_items() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(1, 6, (40, 60)) * (rng.random((40, 60)) < 0.2)
    table[:, :20] = rng.integers(1, 6, (40, 20))
    cache = both(snapshot_of(table), "cosine", None, None, 6)[2]
    table[0, :20] = 1 + table[0, :20] % 5
    plain, again, _, n_anew = both(snapshot_of(table), "cosine", None, cache, 6)
    assert n_anew == snapshot_of(table).ratings.n_items
    np.testing.assert_array_equal(plain.candidates, again.candidates)


def test_other_settings_forget_what_was_remembered() -> None:
    table = np.arange(1, 26).reshape(5, 5) % 5 + 1
    cache = both(snapshot_of(table), "cosine", None, None, 6)[2]
    assert both(snapshot_of(table), "cosine", None, cache, 5)[3] == 5
    assert both(snapshot_of(table), "jaccard", None, cache, 6)[3] == 5


def test_rows_that_stay_give_the_same_candidates() -> None:
    """So many items that rows are not complete, and so few changes that most rows stay."""
    rng = np.random.default_rng(3)
    table = rng.integers(1, 6, (60, 90)) * (rng.random((60, 90)) < 0.6)
    before, cache = None, None
    for _ in range(4):
        plain, again, cache, n_anew = both(snapshot_of(table), "cosine", before, cache, 8)
        assert np.array_equal(plain.top, again.top)
        assert np.array_equal(plain.candidates, again.candidates)
        before = some_lists(rng, plain, table.shape[1])
        rows, columns = rng.integers(0, 60, 2), rng.integers(0, 90, 2)
        table[rows, columns] = rng.integers(1, 6, 2)
    assert n_anew < table.shape[1] / 2


def updates(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each update from now on: were sums of changed pairs recalled?"""
    noted: list[bool] = []
    update = incremental_ranking._update

    def noting(*given: Any) -> None:
        noted.append(given[-2])
        update(*given)

    monkeypatch.setattr(incremental_ranking, "_update", noting)
    return noted


@pytest.mark.parametrize("name", ["cosine", "jaccard"])
def test_few_changes_and_many_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of changed pairs are recalled if they are few and there is room, else added up anew."""
    rng = np.random.default_rng(8)
    table = rng.integers(1, 6, (60, 90)) * (rng.random((60, 90)) < 0.4)
    plain, _, cache, _ = both(snapshot_of(table), name, None, None, 6)
    noted = updates(monkeypatch)
    for n_changed, room in ((2, 64), (40, 64), (2, 0)):
        monkeypatch.setattr(incremental_ranking, "_LEAST_ROOM", room)
        later = table.copy()
        later[:3, :n_changed] = 1 + later[:3, :n_changed] % 5
        again = both(snapshot_of(later), name, plain.top, cache, 6)
        np.testing.assert_array_equal(again[0].top, again[1].top)
        np.testing.assert_array_equal(again[0].candidates, again[1].candidates)
    assert noted == [False, True, False, False, False, False]


def test_few_changes_take_no_more_memory_than_ranking_all() -> None:
    ratings = synthesize("ml-100k", users=500, items=2_000, ratings=20_000, seed=4)
    ratings = replace(ratings, times=np.zeros(ratings.n_ratings, np.int64))
    earlier = ratings.keep(np.arange(ratings.n_ratings) % 4_000 > 0)
    cosine = SIMILARITIES.get("cosine")()

    def ranked(some: Ratings, content: bytes | None) -> tuple[IncrementalRanking, int]:
        snapshot = Timeline(some, b"key" * 10 + b"32").at(some.n_ratings)
        tracemalloc.start()
        again = rank_incrementally(
            snapshot, cosine, 5, depth=50, delta=Fraction(1, 10), cache=from_bytes(content)
        )
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return again, peak

    content = to_bytes(ranked(earlier, None)[0].cache)
    ranked(ratings, content)  # compiles what the next one needs
    (_, everything), (again, changes) = ranked(ratings, None), ranked(ratings, content)
    assert again.n_reranked < 50
    assert changes <= 1.02 * everything


def test_rows_of_some_items_are_those_under_a_mask() -> None:
    ratings = synthesize("ml-100k", users=30, items=20, ratings=200, seed=4)
    wanted = np.random.default_rng(1).random(ratings.n_items) < 0.4
    units = np.arange(ratings.n_ratings, dtype=np.int32)
    mask = wanted[ratings.items]
    kept = ratings.keep(mask)
    offsets, items, left = only_items(ratings.offsets, ratings.items, units, wanted)
    assert 0 < len(items) < ratings.n_ratings
    np.testing.assert_array_equal(offsets, kept.offsets)
    np.testing.assert_array_equal(items, kept.items)
    np.testing.assert_array_equal(left, units[mask])
