"""Reconstructing: one original that a disassociated release may have come from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Indices, Mask, Words
from recloak.core.errors import InputError
from recloak.core.kernels.layout import expand, offsets_of, stable_order
from recloak.core.ratings import Ratings
from recloak.releases.disassociated._reconstruction_kernels import fill_empty, place_all

TRIES = 20


class Segments(NamedTuple):
    """Rows by chunk: ``rows[starts[s]:starts[s + 1]]`` belong to records ``low[s]:high[s]``."""

    rows: Indices
    starts: Indices
    low: Indices
    high: Indices
    are_terms: Mask
    n_records: int


def reconstructed(rows: Ratings, segments: Segments, rng: np.random.Generator) -> Ratings:
    """Chunks put together at random, so that no record holds an item twice.

    None is empty, unless nothing is listed: then some may have held only what was left out.
    """
    state = rng.integers(0, 2**64, 1, dtype=np.uint64)
    shape = (segments.starts, segments.low, segments.high, segments.are_terms)
    for _ in range(TRIES):
        record_of = place_all(state, segments.rows, *shape, rows.offsets, rows.items, rows.n_items)
        if (record_of >= 0).all():
            extra_rows, extra_records = _filled(segments, record_of, state)
            every = np.append(np.arange(len(record_of)), extra_rows)
            return _joined(rows, every, np.append(record_of, extra_records), segments.n_records)
    raise InputError(
        f"in {TRIES} tries no records were found that its chunks could have come from",
        hint="The release was edited or damaged.",
    )


def _filled(segments: Segments, record_of: Indices, state: Words) -> tuple[Indices, Indices]:
    """Make empty records hold something; returns terms that are held once more, and by whom."""
    pieces = np.bincount(record_of, minlength=segments.n_records)
    extra = np.empty((2, int((pieces == 0).sum())), dtype=np.int64)
    count = 0
    for at in np.argsort(~segments.are_terms, kind="stable").tolist():
        low, high = int(segments.low[at]), int(segments.high[at])
        if (pieces[low:high] == 0).any():
            here = segments.rows[segments.starts[at] : segments.starts[at + 1]]
            terms = bool(segments.are_terms[at])
            filling = (record_of, pieces, extra[0], extra[1], count)
            count = fill_empty(state, here, low, high, terms, *filling)
    if (pieces == 0).any() and segments.are_terms.any():
        raise InputError(
            "a cluster has more records than its chunks can fill",
            hint="The release was edited or damaged.",
        )
    return extra[0, :count], extra[1, :count]


def _joined(rows: Ratings, chosen: Indices, record: Indices, n_records: int) -> Ratings:
    """The ratings of the chosen rows, each in its record, items ascending."""
    parts = rows.take_users(chosen)
    record_of = record[expand(parts.offsets)].astype(np.int32)
    by_item = stable_order(parts.items, rows.n_items)
    order = by_item[stable_order(record_of[by_item], n_records)]
    return Ratings(
        offsets=offsets_of(record_of, n_records),
        items=parts.items[order],
        values=parts.values[order],
        scale=rows.scale,
        user_labels=np.arange(1, n_records + 1),
        item_labels=rows.item_labels,
    )
