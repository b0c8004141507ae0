"""Growing fragments: which rows take the new ratings of known and new people, and which wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.kernels.fragments import assign
from recloak.methods.centroids import RATINGS_PER_BLOCK, Candidates
from recloak.methods.fragmentation import Fragmentation
from recloak.parameters import Parameters
from recloak.progress import Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.standing import Standing
from recloak.threads import in_threads, row_blocks

Codes = NDArray[np.int64]


class GrowthParameters(Parameters):
    """What hides which rows grow together."""

    rows_per_person: int = Field(default=1, ge=0, le=1_000_000)
    """So many rows of a person change in one extension at most; ratings for others wait in the new
    secret for a later one. 0: all at once, which links the rows that change."""

    grow: Literal["rows", "siblings"] = "rows"
    """Do new ratings join the rows where they belong (`rows`), or do published rows stay as they
    are and only gain new ones beside them (`siblings`)?"""

    at_least: int = Field(default=20, ge=1, le=1_000_000_000)
    """Rows of so many people must change together, else nothing is published."""


@dataclass(frozen=True)
class Grown:
    """``row`` of each rating: published ones keep theirs, new rows are numbered after these, and
    -1 waits. ``owners`` and ``founders`` are those of all rows.
    """

    row: Codes
    owners: Codes
    founders: Codes


class _Places(NamedTuple):
    """Where new ratings may go: rows by person, ``offsets`` their runs; new ones have new numbers.

    ``all_owners`` and ``all_founders`` tell of every row, published ones first.
    """

    offsets: Codes
    row: Codes
    rank: NDArray[np.int32]
    all_owners: Codes
    all_founders: Codes


def grow(
    method: Fragmentation,
    standing: Standing,
    rules: GrowthParameters,
    randomness: Randomness,
    progress: Progress,
) -> Grown:
    """Put each new rating into the row whose founder is most like it.

    An item that founds a fragment by the method's rule, applied to all ratings of the person,
    founds a new row; nothing that is published moves. Features are learnt anew from all ratings,
    so that new items have their place too.
    """
    ratings, new = standing.ratings, standing.row < 0
    candidates = method.candidates(ratings, progress)
    counts = candidates.counts(method.strength(candidates, progress), progress)
    features = method.comparable(method.features(ratings, randomness, progress))
    fresh = ratings.keep(new)
    places = _places(standing, rules, candidates, counts, fresh)
    aimed = _aimed(fresh, candidates, places, features, progress)
    if rules.rows_per_person:
        aimed = _held_back(aimed, places.all_owners, rules.rows_per_person)
    row = standing.row.copy()
    row[new] = aimed
    return _numbered(row, places, len(standing.owners))


def _places(
    standing: Standing,
    rules: GrowthParameters,
    candidates: Candidates,
    counts: Codes,
    fresh: Ratings,
) -> _Places:
    users, items = _new_founders(standing, candidates, counts)
    grows = np.flatnonzero(fresh.user_counts)
    can_grow = np.zeros(fresh.n_users, dtype=np.bool_)
    can_grow[standing.owners] = rules.grow == "rows"
    can_grow[users] = True
    homeless = grows[~can_grow[grows]]
    rarest = replace(candidates, ratings=fresh).rarest()[homeless]
    users, items = np.concatenate([users, homeless]), np.concatenate([items, rarest])
    order = np.lexsort((candidates.rank[items], users))
    owners = np.concatenate([standing.owners, users[order]])
    founders = np.concatenate([standing.founders, items[order]])
    open_rows = np.arange(len(owners))
    if rules.grow == "siblings":
        open_rows = open_rows[len(standing.owners) :]
    row = open_rows[np.argsort(owners[open_rows], kind="stable")]
    offsets = np.zeros(fresh.n_users + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners[row], minlength=fresh.n_users), out=offsets[1:])
    return _Places(offsets, row, candidates.rank[founders[row]], owners, founders)


def _new_founders(standing: Standing, candidates: Candidates, counts: Codes) -> tuple[Codes, Codes]:
    """The new ratings (person, item) that found a fragment by the method's rule."""
    ratings = standing.ratings
    users = np.repeat(np.arange(ratings.n_users), counts)
    within = np.arange(len(users)) - np.repeat(np.cumsum(counts) - counts, counts)
    items = candidates.item_of_rank[candidates.ranks[candidates.offsets[users] + within]]
    items = items.astype(np.int64)
    keys = ratings.user_codes().astype(np.int64) * ratings.n_items + ratings.items
    new = standing.row[np.searchsorted(keys, users * ratings.n_items + items)] < 0
    return users[new], items[new]


def _aimed(
    fresh: Ratings,
    candidates: Candidates,
    places: _Places,
    features: NDArray[np.float32],
    progress: Progress,
) -> Codes:
    """The row of each new rating, by the method's own rule: that of the nearest founder."""
    blocks = row_blocks(fresh.offsets, RATINGS_PER_BLOCK)
    within = np.empty(fresh.n_ratings, dtype=np.int32)
    cells = (fresh.offsets, fresh.items, candidates.rank, candidates.item_of_rank)
    given = (*cells, places.offsets, places.rank, np.diff(places.offsets), features, within)
    with progress.task("Growing rows", len(blocks)) as task:
        in_threads(lambda first, end: assign(first, end, *given), blocks, task)
    return np.asarray(places.row[places.offsets[fresh.user_codes()] + within])


def _held_back(aimed: Codes, owners: Codes, most: int) -> Codes:
    """Only ``most`` rows of a person change, those with most new ratings; the others wait (-1)."""
    sizes = np.bincount(aimed, minlength=len(owners))
    touched = np.flatnonzero(sizes)
    touched = touched[np.lexsort((touched, -sizes[touched], owners[touched]))]
    counts = np.bincount(owners[touched])
    turn = np.arange(len(touched)) - (np.cumsum(counts) - counts)[owners[touched]]
    waits = np.zeros(len(owners), dtype=np.bool_)
    waits[touched[turn >= most]] = True
    return np.where(waits[aimed], -1, aimed)


def _numbered(row: Codes, places: _Places, published: int) -> Grown:
    """Without the new rows that nothing was put into."""
    kept = np.zeros(len(places.all_owners), dtype=np.bool_)
    kept[row[row >= 0]] = True
    kept[:published] = True
    number = np.append(np.cumsum(kept) - 1, -1)
    return Grown(number[row], places.all_owners[kept], places.all_founders[kept])
