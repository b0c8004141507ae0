"""Worth: what is left of the unprotected lists, counted in entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Codes, Mask, Offsets
from recloak.lists.protection import ProtectionInput
from recloak.lists.protection._bound_kernels import tells_alone
from recloak.releases.lists.history import ProtectionChanges
from recloak.releases.lists.related import EMPTY, Slots


@dataclass(frozen=True)
class ListWorth:
    """Entries of the unprotected lists, and what became of them; see `ReleaseRecord`."""

    n_wanted: int
    n_kept: int
    n_moved: int
    n_attainable: int


def worth_of(
    inputs: ProtectionInput, shown: Slots, changes: ProtectionChanges | None = None
) -> ListWorth:
    """Count what the lists that are ``shown`` keep of those that were ranked.

    How many were moved is what the algorithm says, if it does: one that only takes entries out
    moves none, even if a replacement stands where it stood before in another slot.
    """
    raw = inputs.ranked.top
    same = (raw[:, :, None] == shown[:, None, :]) & (raw != EMPTY)[:, :, None]
    kept = same.any(axis=2)
    moved = kept & (same.argmax(axis=2) != np.arange(raw.shape[1]))
    wanted = raw != EMPTY
    attainable = kept | attainable_entries(inputs)
    return ListWorth(
        int(wanted.sum()),
        int(kept.sum()),
        int(moved.sum()) if changes is None else changes.permuted,
        int((wanted & attainable).sum()),
    )


def attainable_entries(inputs: ProtectionInput) -> Mask:
    """The entries of the unprotected lists that any lists could show which keep the bound.

    An entry that was missing from a list of the window is new there. If more than a share δ of the
    raters of the list's item rated it, that alone tells too much, whatever else is shown.
    """
    raw, earlier = inputs.ranked.top, inputs.earlier.lists
    stood = raw != EMPTY
    for lists in earlier:
        stood &= (raw[:, :, None] == lists[:, None, :]).any(axis=2)
    items, slots = np.nonzero((raw != EMPTY) & ~stood)
    telling = tell_alone(inputs, items, raw[items, slots])
    stood[items[~telling], slots[~telling]] = True
    return np.asarray(stood)


def tell_alone(inputs: ProtectionInput, items: Offsets, entries: Codes) -> Mask:
    """Which entries, if new in the lists of these items, tell too much by themselves."""
    order = np.argsort(entries, kind="stable")  # one target after the other
    since = int(inputs.earlier.since[-1]) if len(inputs.earlier.since) else 0
    found = np.zeros(len(items), np.bool_)
    targets = entries[order].astype(np.int64)
    tells_alone(inputs.raters, inputs.bound, inputs.marks, items[order], targets, since, found)
    telling = np.empty_like(found)
    telling[order] = found
    return telling
