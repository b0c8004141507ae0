"""Two releases with a row for each person: rows are recognised, and what they say is averaged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from recloak.core.arrays import Floats, Indices, Values
from recloak.core.progress import Progress, Task
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, EarlierRelease, match_items
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import ratio_figure, share_figure
from recloak.evaluation.units import Units

ROWS_AT_ONCE = 32
CLOSE = 1e-6
FEATURE_SETS = {
    "items": "the items that they have in common",
    "values": "how they rate them, compared with others",
    "both": "items and ratings",
}


class RowMatches(NamedTuple):
    """For each row asked for: the chance that the earlier row named is its own, and which it is."""

    success: Floats
    named: Indices


def compared_tables(
    context: AuditContext,
    previous: EarlierRelease,
    trials: int,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[tuple[Figure, ...], int, tuple[str, ...]]:
    """Figures, on how many people, and how it was done."""
    everyone = np.arange(context.original.n_users)
    later, earlier = context.linkage.first_row(everyone), previous.linkage.first_row(everyone)
    people = np.flatnonzero((later >= 0) & (earlier >= 0))
    people = np.sort(rng.permutation(people)[:trials])
    found = {}
    with progress.task("Recognising rows", len(FEATURE_SETS) * len(people)) as task:
        for feature_set in FEATURE_SETS:
            tables = _comparable(context.rows, previous.rows, feature_set)
            found[feature_set] = _paired(*tables, later[people], earlier[people], task)
    best = max(found, key=lambda feature_set: found[feature_set].success.mean())
    blind = np.full(len(people), 1 / max(previous.rows.n_users, 1))
    figures = (
        share_figure("linked", found[best].success, "rows whose earlier row is named"),
        share_figure("linked_random", blind, "the same for a row taken at random"),
        *_averaged(context, previous, people, later[people], found[best].named),
    )
    note = (
        f"Rows of both releases were compared by {FEATURE_SETS[best]}; what both say was averaged."
    )
    return figures, len(people), (note,)


def _comparable(
    later: Ratings, earlier: Ratings, feature_set: str
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Both tables in the items of the later one, rows of length one."""
    places = match_items(earlier, later)[earlier.items]
    kept = earlier.keep(places >= 0)
    codes = places[places >= 0]
    tables = [_weighted(later, later.items, later.n_items, feature_set)]
    tables.append(_weighted(kept, codes, later.n_items, feature_set))
    return tables[0], tables[1]


def _weighted(
    rows: Ratings, items: NDArray[np.integer], width: int, feature_set: str
) -> sparse.csr_array:
    """A row of ``both`` has each item twice: that it is there, and how it is rated."""
    support = np.bincount(items, minlength=width)
    rarity = 1 / np.log1p(support + 1.0)
    means = np.bincount(items, rows.values, minlength=width) / np.maximum(support, 1)
    shape = (rows.n_users, width)
    parts = []
    if feature_set != "values":
        parts.append(sparse.csr_array((rarity[items], items, rows.offsets), shape=shape))
    if feature_set != "items":
        liked = (rows.values - means[items]) * rarity[items]
        parts.append(sparse.csr_array((liked, items, rows.offsets), shape=shape))
    whole = sparse.hstack([_unit(part) for part in parts], format="csr")
    return sparse.csr_array(whole, dtype=np.float32)


def _unit(table: sparse.csr_array) -> sparse.csr_array:
    lengths = np.sqrt(table.multiply(table).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ table)


def _paired(
    later: sparse.csr_array, earlier: sparse.csr_array, rows: Indices, own: Indices, task: Task
) -> RowMatches:
    """Name for each row the earlier one that is most like it; equals share the chance."""
    success, named = np.zeros(len(rows)), np.full(len(rows), -1, dtype=np.int64)
    turned = earlier.T.tocsr()
    for start in range(0, len(rows), ROWS_AT_ONCE):
        here = slice(start, min(start + ROWS_AT_ONCE, len(rows)))
        likeness = (later[rows[here]] @ turned).toarray()
        best = likeness.max(axis=1, keepdims=True)
        nearest = (likeness >= best - CLOSE) & (best > CLOSE)
        mine = nearest[np.arange(likeness.shape[0]), own[here]]
        success[here] = mine / np.maximum(nearest.sum(axis=1), 1)
        named[here] = np.where(best[:, 0] > CLOSE, nearest.argmax(axis=1), -1)
        task.advance(likeness.shape[0])
    return RowMatches(success, named)


def _averaged(
    context: AuditContext, previous: EarlierRelease, people: Indices, later: Indices, named: Indices
) -> list[Figure]:
    """How many ratings the later row tells within half a step, alone and averaged with the named.

    Only what the person rated and the later row has is counted.
    """
    units = Units.between(context.original.scale, context.rows.scale)
    if not units.comparable or str(previous.rows.scale) != str(context.rows.scale):
        return []
    found = np.zeros((3, len(people)))
    back = match_items(previous.rows, context.rows)
    for at, person in enumerate(people):
        items, truth = context.original.row(int(person))
        codes, wanted = context.item_in_release[items], units.converted(truth)
        shown = _values(*context.rows.row(int(later[at])), codes)
        both = shown
        if named[at] >= 0:
            seen, values = previous.rows.row(int(named[at]))
            order = np.argsort(back[seen], kind="stable")
            other = _values(back[seen][order], values[order], codes)
            both = np.where(np.isnan(other), shown, (shown + other) / 2)
        there = ~np.isnan(shown)
        near = [np.abs(one[there] - wanted[there]) <= units.tolerance for one in (shown, both)]
        found[:, at] = near[0].sum(), near[1].sum(), there.sum()
    meaning = "ratings told within half a step"
    return [
        ratio_figure("half_step_both", found[1], found[2], f"{meaning} by both releases, averaged"),
        ratio_figure(
            "half_step_newer", found[0], found[2], f"{meaning} by the later release alone"
        ),
    ]


def _values(items: NDArray[np.integer], values: Values, wanted: Indices) -> Floats:
    """What a row (items ascending) says of each wanted item; NaN where it says nothing."""
    if len(items) == 0:
        return np.full(len(wanted), np.nan)
    at = np.minimum(np.searchsorted(items, wanted), len(items) - 1)
    return np.where((items[at] == wanted) & (wanted >= 0), values[at], np.nan).astype(np.float64)
