"""Growing fragments: which rows take the new ratings of known and new people, and which wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from recloak.core.arrays import (
    Codes,
    Indices,
    Values,
    offsets_from,
    places_within,
)
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.parameters import Parameters
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.fragmentation import Fragmentation
from recloak.methods.fragmentation._centroids import RATINGS_PER_BLOCK, CentroidCandidates
from recloak.methods.fragmentation._fragment_kernels import assign
from recloak.releases.extension_state import ExtensionState


class GrowthParameters(Parameters):
    """What hides which rows grow together."""

    rows_per_person: int = Field(default=1, ge=0, le=1_000_000)
    """How many rows of a person may change in one extension; ratings for their other rows wait in
    the new secret for a later one. 0: all at once, which links the rows that change."""

    grow: Literal["rows", "siblings"] = "rows"
    """Do new ratings join the rows where they belong (`rows`), or do published rows stay as they
    are and only gain new ones beside them (`siblings`)?"""

    at_least: int = Field(default=20, ge=1, le=1_000_000_000)
    """How many people's rows must change together; if fewer would, nothing is published."""


@dataclass(frozen=True)
class Grown:
    """The ``row`` of each rating, and the ``owners`` and ``founders`` of all rows.

    Published ratings keep their row, new rows are numbered after these, and -1 waits.
    """

    row: Indices
    owners: Indices
    founders: Indices


class _OpenRows(NamedTuple):
    """The rows that new ratings may join, by person: ``row[offsets[u]:offsets[u + 1]]`` of user u.

    ``rank`` is the rank of each row's founder. ``all_owners`` and ``all_founders`` are those of
    every row, published ones first, then new ones.
    """

    offsets: Indices
    row: Indices
    rank: Codes
    all_owners: Indices
    all_founders: Indices


def grow(
    method: Fragmentation,
    state: ExtensionState,
    rules: GrowthParameters,
    randomness: Randomness,
    progress: Progress,
) -> Grown:
    """Put each new rating into the row whose founder is most like it.

    An item that founds a fragment by the method's rule, applied to all ratings of the person,
    founds a new row; nothing that is published moves. Features are learnt anew from all ratings,
    so that new items have their place too.
    """
    ratings, new = state.ratings, state.row < 0
    candidates = method.candidates(ratings, progress)
    counts = candidates.counts(method.strength(candidates, progress), progress)
    features = method.comparable(method.features(ratings, randomness, progress))
    fresh = ratings.keep(new)
    open_rows = _open_rows(state, rules, candidates, counts, fresh)
    target_row = _nearest_rows(fresh, candidates, open_rows, features, progress)
    if rules.rows_per_person:
        target_row = _limit_changed_rows(target_row, open_rows.all_owners, rules.rows_per_person)
    row = state.row.copy()
    row[new] = target_row
    return _numbered(row, open_rows, len(state.owners))


def _open_rows(
    state: ExtensionState,
    rules: GrowthParameters,
    candidates: CentroidCandidates,
    counts: Indices,
    fresh: Ratings,
) -> _OpenRows:
    users, items = _new_founders(state, candidates, counts)
    grows = np.flatnonzero(fresh.user_counts)
    can_grow = np.zeros(fresh.n_users, dtype=np.bool_)
    can_grow[state.owners] = rules.grow == "rows"
    can_grow[users] = True
    without_row = grows[~can_grow[grows]]
    rarest = replace(candidates, ratings=fresh).rarest()[without_row]
    users, items = np.concatenate([users, without_row]), np.concatenate([items, rarest])
    order = np.lexsort((candidates.rank[items], users))
    owners = np.concatenate([state.owners, users[order]])
    founders = np.concatenate([state.founders, items[order]])
    numbers = np.arange(len(owners))
    if rules.grow == "siblings":
        numbers = numbers[len(state.owners) :]
    row = numbers[np.argsort(owners[numbers], kind="stable")]
    offsets = offsets_from(np.bincount(owners[row], minlength=fresh.n_users))
    return _OpenRows(offsets, row, candidates.rank[founders[row]], owners, founders)


def _new_founders(
    state: ExtensionState, candidates: CentroidCandidates, counts: Indices
) -> tuple[Indices, Indices]:
    """The new ratings (person, item) that found a fragment by the method's rule."""
    ratings = state.ratings
    users = np.repeat(np.arange(ratings.n_users), counts)
    ranks = candidates.ranks[candidates.offsets[users] + places_within(counts)]
    items = candidates.item_of_rank[ranks]
    items = items.astype(np.int64)
    keys = ratings.user_codes().astype(np.int64) * ratings.n_items + ratings.items
    new = state.row[np.searchsorted(keys, users * ratings.n_items + items)] < 0
    return users[new], items[new]


def _nearest_rows(
    fresh: Ratings,
    candidates: CentroidCandidates,
    open_rows: _OpenRows,
    features: Values,
    progress: Progress,
) -> Indices:
    """The row of each new rating, by the method's own rule: that of the nearest founder."""
    blocks = row_blocks(fresh.offsets, RATINGS_PER_BLOCK)
    within = np.empty(fresh.n_ratings, dtype=np.int32)
    cells = (fresh.offsets, fresh.items, candidates.rank, candidates.item_of_rank)
    given = (
        *cells,
        open_rows.offsets,
        open_rows.rank,
        np.diff(open_rows.offsets),
        features,
        within,
    )
    with progress.task("Growing rows", len(blocks)) as task:
        in_threads(lambda first, end: assign(first, end, *given), blocks, task)
    return np.asarray(open_rows.row[open_rows.offsets[fresh.user_codes()] + within])


def _limit_changed_rows(target_row: Indices, owners: Indices, most: int) -> Indices:
    """Only ``most`` rows of a person change, those with most new ratings; the others wait (-1)."""
    sizes = np.bincount(target_row, minlength=len(owners))
    touched = np.flatnonzero(sizes)
    touched = touched[np.lexsort((touched, -sizes[touched], owners[touched]))]
    counts = np.bincount(owners[touched])
    waits = np.zeros(len(owners), dtype=np.bool_)
    waits[touched[places_within(counts) >= most]] = True
    return np.where(waits[target_row], -1, target_row)


def _numbered(row: Indices, open_rows: _OpenRows, published: int) -> Grown:
    """Without the new rows that nothing was put into."""
    kept = np.zeros(len(open_rows.all_owners), dtype=np.bool_)
    kept[row[row >= 0]] = True
    kept[:published] = True
    number = np.append(np.cumsum(kept) - 1, -1)
    return Grown(number[row], open_rows.all_owners[kept], open_rows.all_founders[kept])
