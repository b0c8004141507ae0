"""Incremental ranking: the nearest items of each item, updated by the ratings that changed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import (
    Bytes,
    Labels,
    Mask,
    match_labels,
    offsets_from,
)
from recloak.core.kernels.neighbours import work_of
from recloak.core.kernels.related_items import CORRELATION, ItemRatings
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.timeline import DIGEST_BYTES, Snapshot
from recloak.lists._incremental_kernels import CachedNeighbours, only_items, update_items
from recloak.lists._pair_kernels import ChangedPairs
from recloak.recommenders.similarity import Ranked, Similarity, cells_of
from recloak.releases.lists.related import EMPTY, Slots

_SPARE = 16  # rows are cached longer than they are shown: each change may cost an entry
_BLOCKS = 32


@dataclass(frozen=True, eq=False)
class RankingCache:
    """What a ranking leaves for the next one; ``recipe`` names the settings it was made with."""

    recipe: str
    item_labels: Labels
    digests: Bytes
    near: CachedNeighbours
    few: CachedNeighbours


@dataclass(frozen=True, eq=False)
class IncrementalRanking:
    """A ranking, its cache, and the number of items that were ranked from scratch."""

    ranked: Ranked
    cache: RankingCache
    n_reranked: int


def rank_incrementally(
    snapshot: Snapshot,
    similarity: Similarity,
    top: int,
    *,
    depth: int,
    delta: Fraction,
    before: Slots | None = None,
    cache: RankingCache | None = None,
    progress: Progress = SILENT,
) -> IncrementalRanking:
    """As `recloak.recommenders.similarity.rank`, at the cost of the items that changed.

    The similarity of two items is computed again only if a rating of one of them was added,
    changed or erased since the ``cache`` was made.
    """
    ratings = snapshot.ratings
    cells = cells_of(snapshot, similarity)
    recipe = f"{similarity.spec} top={top} depth={depth} delta={delta}"
    digests = _digests_for(snapshot, similarity, cells)
    if similarity.by_value and len(cells.units):  # in which unit ratings are counted
        recipe += f" unit={cells.units.max()}/{ratings.values.max()}"
    known = np.full((ratings.n_items, 1), EMPTY, np.int32) if before is None else before.copy()
    parts = 3 if similarity.kind == CORRELATION else 1
    changed, near, few = _reusable(cache, recipe, ratings.item_labels, digests, top, depth, parts)
    del cache  # it is laid out in the current codes now, and is as large again
    anew = changed | _too_little(near, top) | _too_little(few, depth)
    anew |= _unknown(known, changed, near, few, ratings.item_support > 0)
    if 2 * int(ratings.item_support[changed].sum()) > ratings.n_ratings:
        anew[:] = True  # what changed would be merged into the rest at more cost than ranking it
    for cached in (near, few):
        cached.items[anew], cached.complete[anew] = EMPTY, 1
    candidates = np.full((ratings.n_items, depth), EMPTY, np.int32)
    share = (delta.numerator, delta.denominator)
    pairs = _pairs_of(changed, similarity, ratings.n_ratings)
    rows = (known, near, few, candidates)
    _update(cells, similarity, anew, anew, share, *rows, pairs, False, progress)
    if not anew.all():
        noted = len(pairs.changed) > 0 or not changed.any()
        partly = cells if noted else _only_changed(cells, changed)
        _update(partly, similarity, ~anew, changed, share, *rows, pairs, noted, progress)
    ranked = Ranked(np.ascontiguousarray(near.items[:, :top]), candidates)
    return IncrementalRanking(
        ranked, RankingCache(recipe, ratings.item_labels, digests, near, few), int(anew.sum())
    )


def _pairs_of(changed: Mask, similarity: Similarity, n_ratings: int) -> ChangedPairs:
    """Room for what changed items share with others, unless it takes more than the ratings do."""
    which = np.flatnonzero(changed).astype(np.int32)
    if similarity.kind == CORRELATION or len(which) * len(changed) > n_ratings:
        which = which[:0]
    place = np.full(len(changed), EMPTY, np.int32)
    place[which] = np.arange(len(which), dtype=np.int32)
    return ChangedPairs(place, which, np.zeros((len(changed), len(which), 2), np.int64))


def _only_changed(cells: ItemRatings, changed: Mask) -> ItemRatings:
    rows = only_items(cells.offsets, cells.items, cells.units, changed)
    return cells._replace(offsets=rows[0], items=rows[1], units=rows[2])


def _digests_for(snapshot: Snapshot, similarity: Similarity, cells: ItemRatings) -> Bytes:
    """Digests of what a similarity is computed from: ratings as they are, if that is enough."""
    if snapshot.key and similarity.by_value:
        return snapshot.value_digests
    return column_digests(snapshot, cells.units)


def column_digests(snapshot: Snapshot, values: NDArray[Any]) -> Bytes:
    """A digest for each item of who rated it and how: ``values`` by user and then by item.

    They are made with the key of the snapshot, if it has one; an older recloak had none.
    """
    if snapshot.key:
        return snapshot.keyed_digests(values)
    offsets, what = snapshot.postings.offsets, values[snapshot.item_order]
    digests = np.zeros((len(offsets) - 1, DIGEST_BYTES), np.uint8)
    for item, (start, end) in enumerate(pairwise(offsets.tolist())):
        digest = snapshot.rater_hashes[item].copy()
        digest.update(what[start:end].tobytes())
        digests[item] = np.frombuffer(digest.digest(), np.uint8)
    return digests


def _blank(n_items: int, wide: int, parts: int) -> CachedNeighbours:
    return CachedNeighbours(
        np.full((n_items, wide), EMPTY, np.int32),
        np.zeros((n_items, wide, parts), np.int64),
        np.zeros(n_items, np.uint8),
    )


def _reusable(
    cache: RankingCache | None,
    recipe: str,
    labels: Labels,
    digests: Bytes,
    top: int,
    depth: int,
    parts: int,
) -> tuple[Mask, CachedNeighbours, CachedNeighbours]:
    """Which items changed, and the cached neighbours of the others, in the current codes."""
    changed = np.ones(len(labels), bool)
    near, few = (_blank(len(labels), wide + _SPARE, parts) for wide in (top, depth))
    if cache is None or cache.recipe != recipe:
        return changed, near, few
    moved = match_labels(cache.item_labels, labels).astype(np.int32)
    there = np.flatnonzero(moved >= 0)
    same = there[(cache.digests[there] == digests[moved[there]]).all(axis=1)]
    if (np.diff(moved[same]) < 0).any():  # of equals the first is nearer: another order, other rows
        return changed, near, few
    changed[moved[same]] = False
    recode = np.full(len(moved) + 1, EMPTY, np.int32)
    recode[same] = moved[same]
    for cached, old in ((near, cache.near), (few, cache.few)):
        cached.items[moved[same]] = recode[old.items[same]]
        cached.parts[moved[same]] = old.parts[same]
        cached.complete[moved[same]] = old.complete[same]
    return changed, near, few


def _too_little(cached: CachedNeighbours, wanted: int) -> Mask:
    return np.asarray((cached.complete == 0) & ((cached.items != EMPTY).sum(axis=1) < wanted))


def _unknown(
    before: Slots,
    changed: Mask,
    near: CachedNeighbours,
    few: CachedNeighbours,
    rated: Mask,
) -> Mask:
    """The items whose last list shows one whose similarity is neither cached nor computed."""
    asked = (before != EMPTY) & ~changed[before] & rated[before]
    for slot in range(before.shape[1]):
        entry = before[:, slot : slot + 1]
        asked[:, slot] &= ~((near.items == entry).any(axis=1) | (few.items == entry).any(axis=1))
    return np.asarray(asked.any(axis=1))


def _update(
    cells: ItemRatings,
    similarity: Similarity,
    chosen: Mask,
    changed: Mask,
    share: tuple[int, int],
    before: Slots,
    near: CachedNeighbours,
    few: CachedNeighbours,
    candidates: Slots,
    pairs: ChangedPairs,
    noted: bool,
    progress: Progress,
) -> None:
    which = np.flatnonzero(chosen).astype(np.int32)
    effort = np.ones(len(which), np.int64)
    if not noted:
        effort += work_of(cells.item_offsets, cells.item_users, cells.offsets, which)
    effort = offsets_from(effort)
    blocks = row_blocks(effort, max(1, -(-int(effort[-1]) // _BLOCKS)))
    marks = changed.astype(np.uint8)

    def one_block(start: int, end: int) -> None:
        numerator, denominator = share
        update_items(
            cells,
            similarity.kind,
            which[start:end],
            marks,
            numerator,
            denominator,
            before,
            near,
            few,
            candidates,
            pairs,
            noted,
        )

    with progress.task("Ranking related items", len(blocks)) as task:
        in_threads(one_block, blocks, task)
