"""What attacks ask of all rows of a release, where an audit has those of a sample in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.cache import PerTableCache
from recloak.core.progress import Progress
from recloak.evaluation.all_rows import AllRows, Everyone, Found, RowsBlock
from recloak.evaluation.context import AuditContext

_SUPPORT: PerTableCache[Integers] = PerTableCache()


def among_all(context: AuditContext, everyone: Everyone) -> AuditContext:
    """The context with none of the rows in memory, and with items as all rows have them."""
    blank = everyone.released.blank
    return replace(context, rows=blank, item_in_release=np.arange(blank.n_items))


def sought_among(every: AllRows) -> str:
    """What a finding says of who was sought where."""
    return f"These people of a sample were sought among all {every.n_rows:,} rows."


def support_of(every: AllRows, progress: Progress) -> Integers:
    """How many rows have each item; they are counted once."""
    return _SUPPORT.get(every, "support", lambda: _counted(every, progress))


def _counted(every: AllRows, progress: Progress) -> Integers:
    return every.gathered(_support, _added, "Counting the rows of each item", progress)[0]


def _support(block: RowsBlock) -> Found:
    return (np.bincount(block.rows.items, minlength=block.rows.n_items),)


def _added(one: Found, other: Found) -> Found:
    return tuple(a + b for a, b in zip(one, other, strict=True))
