"""Whether a cluster of a disassociated release can hold somebody, of whom all ratings are known.

Who is in a cluster has a sub-record in each of its chunks: all that they gave of what the chunk
holds, and nothing else. Somebody else's ratings often combine in ways that no sub-record does.
"""

from __future__ import annotations

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks._chunk_numbers import numbered_chunks
from recloak.attacks.membership._projection_kernels import explained_by_clusters
from recloak.core.arrays import Floats, Integers, offsets_from
from recloak.core.ratings import Ratings
from recloak.releases.disassociated import SHARED, DisassociatedRelease

PRICE_OF_A_MISS = 3.0  # in ratings that are explained


def projections(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """What the cluster explains that explains most; nothing of another kind of release."""
    release = asked.group.rehearsed.release
    if not isinstance(release, DisassociatedRelease):
        return []
    attacked, placed = asked.attacked, release.clusters
    chunk = numbered_chunks(placed)
    cluster_of = np.full(int(chunk.max(initial=-1)) + 1, -1, np.int64)
    cluster_of[chunk] = np.where(placed.kind == SHARED, -1, placed.group)
    states = len(attacked.states)
    pairs = attacked.rows.items.astype(np.int64) * states + attacked.row_states
    order = np.argsort(pairs, kind="stable")
    found = np.zeros((known.n_users, len(placed), 5))
    explained_by_clusters(
        known.offsets,
        known.items.astype(np.int64) * states + attacked.states.codes(known.values),
        offsets_from(np.bincount(pairs, minlength=attacked.rows.n_items * states)),
        attacked.rows.user_codes().astype(np.int64)[order],
        attacked.rows.user_counts.astype(np.int64),
        chunk,
        cluster_of,
        found,
    )
    return _of_the_best(found, known.user_counts)


def _of_the_best(found: Floats, counts: Integers) -> list[Floats]:
    """Shares of what clusters explain: of all that is known, and of what they hold of it."""
    explained, held, several, held_several, missed = np.moveaxis(found, 2, 0)
    known = np.maximum(counts, 1).astype(np.float64)
    score = explained - PRICE_OF_A_MISS * missed
    best = score.argmax(axis=1)
    everyone = np.arange(len(known))
    ranked = np.sort(score, axis=1)
    lead = ranked[:, -1] - ranked[:, -2] if score.shape[1] > 1 else np.zeros(len(known))
    return [
        (explained / np.maximum(held, 1)).max(axis=1),
        explained.max(axis=1) / known,
        missed[everyone, best] / known,
        ranked[:, -1] / known,
        lead / known,
        several.max(axis=1) / known,
        (several / np.maximum(held_several, 1)).max(axis=1),
    ]
