"""Remembering: the nearest items of each, brought up to date by what changed since then."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.kernels.neighbours import work_of
from recloak.kernels.related_changes import Remembered, update_items
from recloak.kernels.related_items import Cells
from recloak.lists.related import EMPTY, Slots
from recloak.lists.similarity import Ranked, Similarity, cells_of
from recloak.lists.timeline import Snapshot
from recloak.progress import SILENT, Progress
from recloak.ratings import Labels, Ratings
from recloak.threads import in_threads, row_blocks

_SPARE = 16  # rows are remembered longer than they are shown: each change may cost an entry
_BLOCKS = 32
DIGEST_BYTES = 16


@dataclass(frozen=True, eq=False)
class Memory:
    """What a ranking leaves for the next one; ``recipe`` says by which settings it was made."""

    recipe: str
    item_labels: Labels
    digests: NDArray[np.uint8]
    near: Remembered
    few: Remembered


@dataclass(frozen=True, eq=False)
class Again:
    """A ranking, what to remember of it, and for how many items all pairs were added up anew."""

    ranked: Ranked
    memory: Memory
    n_anew: int


def rank_again(
    snapshot: Snapshot,
    similarity: Similarity,
    top: int,
    *,
    depth: int,
    delta: Fraction,
    before: Slots | None = None,
    memory: Memory | None = None,
    progress: Progress = SILENT,
) -> Again:
    """The same as `recloak.lists.similarity.rank`, with the work of what changed alone.

    The similarity of two items that nobody rated, rated otherwise or was erased from since the
    ``memory`` was made is not added up again. The cost is that of the items that changed.
    """
    ratings = snapshot.ratings
    cells = cells_of(snapshot, similarity)
    recipe = f"{similarity.spec} top={top} depth={depth} delta={delta}"
    digests = column_digests(snapshot, cells.item_units)
    known = np.full((ratings.n_items, 1), EMPTY, np.int32) if before is None else before.copy()
    changed, near, few = _carried(memory, recipe, ratings.item_labels, digests, top, depth)
    anew = changed | _too_little(near, top) | _too_little(few, depth)
    anew |= _unknown(known, changed, near, few, ratings.item_support > 0)
    for kept in (near, few):
        kept.items[anew], kept.complete[anew] = EMPTY, 1
    candidates = np.full((ratings.n_items, depth), EMPTY, np.int32)
    share = (delta.numerator, delta.denominator)
    _update(cells, similarity, anew, anew, share, known, near, few, candidates, progress)
    if not anew.all():
        partly = _only(cells, ratings, changed)
        rest = ~anew
        _update(partly, similarity, rest, changed, share, known, near, few, candidates, progress)
    ranked = Ranked(np.ascontiguousarray(near.items[:, :top]), candidates)
    return Again(ranked, Memory(recipe, ratings.item_labels, digests, near, few), int(anew.sum()))


def column_digests(snapshot: Snapshot, values: NDArray[Any]) -> NDArray[np.uint8]:
    """A digest for each item of who rated it and how: ``values`` by item and then by user."""
    offsets, users, _ = snapshot.postings
    by, what = snapshot.user_digests[users], np.ascontiguousarray(values)
    digests = np.zeros((len(offsets) - 1, DIGEST_BYTES), np.uint8)
    for item, (start, end) in enumerate(pairwise(offsets.tolist())):
        told = hashlib.blake2b(by[start:end].tobytes(), digest_size=DIGEST_BYTES)
        told.update(what[start:end].tobytes())
        digests[item] = np.frombuffer(told.digest(), np.uint8)
    return digests


def _blank(n_items: int, wide: int) -> Remembered:
    return Remembered(
        np.full((n_items, wide), EMPTY, np.int32),
        np.zeros((n_items, wide, 3), np.int64),
        np.zeros(n_items, np.uint8),
    )


def _carried(
    memory: Memory | None,
    recipe: str,
    labels: Labels,
    digests: NDArray[np.uint8],
    top: int,
    depth: int,
) -> tuple[NDArray[np.bool_], Remembered, Remembered]:
    """Which items changed, and what is remembered of the others, in the codes of now."""
    changed = np.ones(len(labels), bool)
    near, few = (_blank(len(labels), wide + _SPARE) for wide in (top, depth))
    if memory is None or memory.recipe != recipe:
        return changed, near, few
    code_of = {str(label): code for code, label in enumerate(labels)}
    moved = np.array([code_of.get(str(label), -1) for label in memory.item_labels], dtype=np.int32)
    there = np.flatnonzero(moved >= 0)
    same = there[(memory.digests[there] == digests[moved[there]]).all(axis=1)]
    if (np.diff(moved[same]) < 0).any():  # of equals the first is nearer: another order, other rows
        return changed, near, few
    changed[moved[same]] = False
    recode = np.full(len(moved) + 1, EMPTY, np.int32)
    recode[same] = moved[same]
    for kept, old in ((near, memory.near), (few, memory.few)):
        kept.items[moved[same]] = recode[old.items[same]]
        kept.parts[moved[same]] = old.parts[same]
        kept.complete[moved[same]] = old.complete[same]
    return changed, near, few


def _too_little(kept: Remembered, wanted: int) -> NDArray[np.bool_]:
    return np.asarray((kept.complete == 0) & ((kept.items != EMPTY).sum(axis=1) < wanted))


def _unknown(
    before: Slots,
    changed: NDArray[np.bool_],
    near: Remembered,
    few: Remembered,
    rated: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """The items whose last list shows one whose similarity is neither remembered nor made anew."""
    asked = (before != EMPTY) & ~changed[before] & rated[before]
    for slot in range(before.shape[1]):
        entry = before[:, slot : slot + 1]
        asked[:, slot] &= ~((near.items == entry).any(axis=1) | (few.items == entry).any(axis=1))
    return np.asarray(asked.any(axis=1))


def _only(cells: Cells, ratings: Ratings, changed: NDArray[np.bool_]) -> Cells:
    """The same cells, where people's rows have the changed items alone."""
    mask = changed[ratings.items]
    few = ratings.keep(mask)
    return cells._replace(offsets=few.offsets, items=few.items, units=cells.units[mask])


def _update(
    cells: Cells,
    similarity: Similarity,
    chosen: NDArray[np.bool_],
    fresh: NDArray[np.bool_],
    share: tuple[int, int],
    before: Slots,
    near: Remembered,
    few: Remembered,
    candidates: Slots,
    progress: Progress,
) -> None:
    which = np.flatnonzero(chosen).astype(np.int32)
    work = work_of(cells.item_offsets, cells.item_users, cells.offsets)[which] + 1
    effort = np.concatenate([np.zeros(1, np.int64), np.cumsum(work)])
    blocks = row_blocks(effort, max(1, -(-int(effort[-1]) // _BLOCKS)))
    marks = fresh.astype(np.uint8)

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
        )

    with progress.task("Ranking related items", len(blocks)) as task:
        in_threads(one_block, blocks, task)
