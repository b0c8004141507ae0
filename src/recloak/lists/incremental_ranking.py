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
    Floats,
    Mask,
    offsets_from,
)
from recloak.core.kernels.neighbours import work_of
from recloak.core.kernels.related_items import CORRELATION, ItemRatings
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import SILENT, Progress
from recloak.core.timeline import DIGEST_BYTES, Snapshot
from recloak.lists._cached_row_kernels import CachedNeighbours, least_needed
from recloak.lists._cached_rows import RankingCache, blank, laid_out, unchanged
from recloak.lists._incremental_kernels import only_items, update_items
from recloak.lists._pair_kernels import ChangedPairs
from recloak.recommenders.similarity import Ranked, Similarity, cells_of
from recloak.releases.lists.related import EMPTY, Slots

_SPARE = 16  # rows are cached longer than they are shown: each change may cost an entry
_BLOCKS = 32
_MATTER = 32  # a changed item is near to no more than one of so many others, or all are looked at
_LEAST_ROOM = 64


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
    changed or erased since the ``cache`` was made. The ``cache`` is used up by that.
    """
    ratings = snapshot.ratings
    cells = cells_of(snapshot, similarity)
    recipe = f"{similarity.spec} top={top} depth={depth} delta={delta}"
    digests = _digests_for(snapshot, similarity, cells)
    if similarity.by_value and len(cells.units):  # in which unit ratings are counted
        recipe += f" unit={cells.units.max()}/{ratings.values.max()}"
    known = np.full((ratings.n_items, 1), EMPTY, np.int32) if before is None else before.copy()
    parts = 3 if similarity.kind == CORRELATION else 1
    moved = unchanged(cache, recipe, ratings.item_labels, digests)
    changed, old = np.ones(ratings.n_items, bool), [] if cache is None else [cache.near, cache.few]
    changed[moved[moved >= 0]] = False
    del cache  # so that each array of it can go once it is laid out anew
    if changed.all():
        near, few = (blank(ratings.n_items, wide + _SPARE, parts) for wide in (top, depth))
    else:
        few, near = (laid_out([*old.pop()], moved, ratings.n_items) for _ in range(2))
    anew = changed | _too_little(near, top) | _too_little(few, depth)
    anew |= _unknown(known, changed, near, few, ratings.item_support > 0)
    if 2 * int(ratings.item_support[changed].sum()) > ratings.n_ratings:
        anew[:] = True  # what changed would be merged into the rest at more cost than ranking it
    for cached in (near, few):
        cached.items[anew], cached.complete[anew] = EMPTY, 1
    candidates = np.full((ratings.n_items, depth), EMPTY, np.int32)
    share = (delta.numerator, delta.denominator)
    least = least_needed(cells, similarity.kind, anew, near, few)
    noting = changed & (similarity.kind != CORRELATION)
    pairs = _pairs_of(noting, least, ratings.n_ratings)
    rows = (known, near, few, candidates)
    _update(cells, similarity, anew, anew, share, *rows, pairs, False, progress)
    if not anew.all():
        noted = len(pairs.changed) == changed.sum() and bool((pairs.sizes >= 0).all())
        partly = _without_units(cells) if noted else _only_changed(cells, changed)
        del cells
        _update(partly, similarity, ~anew, changed, share, *rows, pairs, noted, progress)
    ranked = Ranked(np.ascontiguousarray(near.items[:, :top]), candidates)
    return IncrementalRanking(
        ranked, RankingCache(recipe, ratings.item_labels, digests, near, few), int(anew.sum())
    )


def _pairs_of(changed: Mask, least: Floats, n_ratings: int) -> ChangedPairs:
    """Room for what changed items share with others, unless it takes as much as the ratings."""
    which, wide = np.flatnonzero(changed).astype(np.int32), len(changed) // _MATTER + _LEAST_ROOM
    if 4 * len(which) * wide > n_ratings:
        which = which[:0]
    place = np.full(len(changed), EMPTY, np.int32)
    place[which] = np.arange(len(which), dtype=np.int32)
    kinds = (np.int32, np.int32, np.int64)
    rows = (np.empty((len(which), wide), kind) for kind in kinds)
    return ChangedPairs(place, which, least, np.zeros(len(which), np.int64), *rows)


def _without_units(cells: ItemRatings) -> ItemRatings:
    """For what asks for no rating any more: they are as much as all that was cached."""
    none = np.empty(0, np.int32)
    return cells._replace(units=none, item_units=none)


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
    offsets = snapshot.postings.offsets
    what = snapshot.by_item(np.ascontiguousarray(values).view(np.int32))
    digests = np.zeros((len(offsets) - 1, DIGEST_BYTES), np.uint8)
    for item, (start, end) in enumerate(pairwise(offsets.tolist())):
        digest = snapshot.rater_hashes[item].copy()
        digest.update(what[start:end].tobytes())
        digests[item] = np.frombuffer(digest.digest(), np.uint8)
    return digests


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
