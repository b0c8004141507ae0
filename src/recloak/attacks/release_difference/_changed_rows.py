"""Changed rows: which rows of a release are new or grew since an earlier one, and by what."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from recloak.attacks._pair_scorer import owners_of
from recloak.core.arrays import Indices, Mask, match_labels
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.releases.linkage import Linkage


@dataclass(frozen=True)
class RowChanges:
    """``rows`` (ascending) of the later release that are new or grew, ``grown`` how many of them
    were there before, and ``cells``: which of its ratings are new.
    """

    rows: Indices
    grown: int
    cells: Mask
    is_changed: Mask

    @classmethod
    def between(cls, earlier: Ratings, later: Ratings) -> RowChanges:
        """Compare rows of the same name, cell by cell."""
        row = match_labels(earlier.user_labels, later.user_labels)[earlier.user_codes()]
        item = match_items(earlier, later)[earlier.items]
        there = (row >= 0) & (item >= 0)
        before = row[there] * later.n_items + item[there]
        now = later.user_codes().astype(np.int64) * later.n_items + later.items
        cells = ~np.isin(now, before)
        is_changed = np.zeros(later.n_users, dtype=np.bool_)
        is_changed[later.user_codes()[cells]] = True
        rows = np.flatnonzero(is_changed)
        old = np.isin(rows, match_labels(earlier.user_labels, later.user_labels))
        return cls(rows, int(old.sum()), cells, is_changed)

    def summary(self) -> str:
        """How many changed, in a sentence."""
        new = len(self.rows) - self.grown
        return (
            f"{self.grown:,} rows grew and {new:,} are new, by {int(self.cells.sum()):,} ratings."
        )


def recent_contexts(
    context: AuditContext, changes: RowChanges, targets: Mask
) -> tuple[AuditContext, AuditContext]:
    """What is new alone, and the whole later release, before an adversary who knows new ratings.

    The original is cut down to what is new of the ``targets``.
    """
    rows, owners = context.rows, owners_of(context)
    owner = owners[rows.user_codes()[changes.cells]]
    item = match_items(rows, context.original)[rows.items[changes.cells]]
    known = (owner >= 0) & (item >= 0) & targets[owner]
    original = context.original
    cells = original.user_codes().astype(np.int64) * original.n_items + original.items
    recent = original.keep(np.isin(cells, owner[known] * original.n_items + item[known]))
    fresh = rows.keep(changes.cells).take_users(changes.rows)
    mine = owners[changes.rows]
    pairs = mine[mine >= 0], np.flatnonzero(mine >= 0)
    linkage = Linkage.from_pairs(*pairs, original.n_users, context.linkage.source, "")
    whole = replace(context, original=recent, previous=None, rehearsal=None)
    return replace(whole, rows=fresh, linkage=linkage), whole
