"""Shadows: rehearsals of a release from which a probe was held out first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.linkage import Linkage
from recloak.methods.base import Method
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.scene import Codes, Shadow, match_items

PROBE_SHARE = 0.1


def rehearsed(
    original: Ratings, method: Method, seed: int = 0, progress: Progress = SILENT
) -> Shadow:
    """Hold out a probe, then run the same method with the same parameters on the rest.

    The published release uses all data; what it is worth is measured on this rehearsal.
    """
    randomness = Randomness.from_seed(seed)
    probe = randomness.generator("probe").random(original.n_ratings) < PROBE_SHARE
    known = original.keep(~probe)
    given = known.compact()
    applied = method.apply(given, randomness.child("shadow"), progress)
    released = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, released)
    items_given = match_items(original, given)
    return Shadow(
        known=known,
        released=released,
        users=original.user_codes()[probe].astype(np.int64),
        items=original.items[probe].astype(np.int64),
        truth=original.values[probe].astype(np.float64),
        row_for=applied.secret.row_for(linkage, original, released, items_given),
        item_in_release=match_items(original, released),
        linkage=linkage,
        note=(
            f"Measured on a rehearsal: {PROBE_SHARE:.0%} of the ratings were held out, the same "
            "method ran on the rest, and a recommender trained on that predicted what was held out."
        ),
    )


def held_out(original: Ratings, rows: Ratings, linkage: Linkage, seed: int = 0) -> Shadow:
    """For a release that cannot be rehearsed: hold cells out of the release itself.

    Only cells that stand in the release in a row known to be the person's can be held out, and
    whatever the method learned from them stays in the rest: kinder than a rehearsal.
    """
    rng = Randomness.from_seed(seed).generator("probe")
    candidates = np.flatnonzero(rng.random(original.n_ratings) < PROBE_SHARE)
    item_in_release = match_items(original, rows)
    cells, places, owners = _cells_in_release(original, rows, linkage, candidates, item_in_release)
    probe, first = np.unique(cells, return_index=True)
    hidden = np.ones(rows.n_ratings, dtype=np.bool_)
    hidden[places] = False
    known = np.ones(original.n_ratings, dtype=np.bool_)
    known[probe] = False
    predicting = owners[first]

    def row_for(users: Codes, items: Codes) -> Codes:
        return predicting

    return Shadow(
        known=original.keep(known),
        released=rows.keep(hidden),
        users=original.user_codes()[probe].astype(np.int64),
        items=original.items[probe].astype(np.int64),
        truth=original.values[probe].astype(np.float64),
        row_for=row_for,
        item_in_release=item_in_release,
        linkage=linkage,
        note=(
            "This release could not be rehearsed, so cells were held out of the release itself; "
            "what its maker learned from them is still in the rest, which flatters it."
        ),
    )


def _cells_in_release(
    original: Ratings,
    rows: Ratings,
    linkage: Linkage,
    candidates: NDArray[np.int64],
    item_in_release: Codes,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cells of the original that stand in the release: cell, place in the release, row."""
    users = np.searchsorted(original.offsets, candidates, side="right") - 1
    owned = np.diff(linkage.offsets)[users]
    cells = np.repeat(candidates, owned)
    within = np.arange(len(cells)) - np.repeat(np.cumsum(owned) - owned, owned)
    owners = linkage.rows[np.repeat(linkage.offsets[users], owned) + within]
    items = item_in_release[original.items[cells]]
    keys = rows.user_codes().astype(np.int64) * rows.n_items + rows.items
    wanted = owners * rows.n_items + items
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    found = (items >= 0) & (keys[places] == wanted) if len(keys) else np.zeros(len(items), bool)
    return cells[found], places[found], owners[found]
