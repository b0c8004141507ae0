"""Kernel of projections: which clusters hold sub-records that are just what somebody gave."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Floats, Indices, Integers, Mask, Offsets
from recloak.core.kernels import inner_kernel, kernel


class _Counts(NamedTuple):
    """What is known of one person, by row and by chunk, and which of them were touched."""

    in_row: Integers
    in_chunk: Integers
    last: Integers
    fits: Mask
    rows: Indices
    chunks: Indices


@kernel
def explained_by_clusters(
    known_offsets: Offsets,
    known_pairs: Integers,
    pair_offsets: Offsets,
    pair_rows: Indices,
    lengths: Integers,
    chunk_of: Integers,
    cluster_of: Integers,
    found: Floats,
) -> None:
    """What the chunks of each cluster (-1: of none) say of each person's known ratings.

    ``pair_rows`` are the rows that hold each pair of an item and a value. A chunk explains the
    known ratings that it holds if one of its rows consists of just these. For each person and
    cluster ``found`` gets how many are explained and how many held; the same where a chunk holds
    two of them or more; and the number of chunks that do not explain theirs.
    """
    n_rows, n_chunks = len(lengths), len(cluster_of)
    counts = _Counts(
        np.zeros(n_rows, np.int64),
        np.zeros(n_chunks, np.int64),
        np.full(n_chunks, -1, np.int64),
        np.zeros(n_chunks, np.bool_),
        np.empty(n_rows, np.int64),
        np.empty(n_chunks, np.int64),
    )
    for person in range(len(known_offsets) - 1):
        rows, chunks = 0, 0
        for at in range(known_offsets[person], known_offsets[person + 1]):
            pair = known_pairs[at]
            held_by = pair_rows[pair_offsets[pair] : pair_offsets[pair + 1]]
            rows, chunks = _count(at, held_by, chunk_of, counts, rows, chunks)
        for row in counts.rows[:rows]:
            held, chunk = counts.in_row[row], chunk_of[row]
            counts.fits[chunk] |= held == lengths[row] and held == counts.in_chunk[chunk]
            counts.in_row[row] = 0
        for chunk in counts.chunks[:chunks]:
            held, fits = counts.in_chunk[chunk], counts.fits[chunk]
            if cluster_of[chunk] >= 0:
                _add(found[person, cluster_of[chunk]], held, fits)
            counts.in_chunk[chunk], counts.last[chunk], counts.fits[chunk] = 0, -1, False


@inner_kernel
def _count(
    at: int, held_by: Indices, chunk_of: Integers, counts: _Counts, rows: int, chunks: int
) -> tuple[int, int]:
    """Count the ``at``-th known rating for all rows that hold it, and once for their chunks."""
    for row in held_by:
        chunk = chunk_of[row]
        if counts.in_row[row] == 0:
            counts.rows[rows] = row
            rows += 1
        counts.in_row[row] += 1
        if counts.in_chunk[chunk] == 0:
            counts.chunks[chunks] = chunk
            chunks += 1
        if counts.last[chunk] != at:
            counts.last[chunk] = at
            counts.in_chunk[chunk] += 1
    return rows, chunks


@inner_kernel
def _add(found: Floats, held: int, fits: bool) -> None:
    """Add one chunk that holds so many known ratings."""
    several = held if held > 1 else 0
    found[1] += held
    found[3] += several
    if fits:
        found[0] += held
        found[2] += several
    else:
        found[4] += 1
