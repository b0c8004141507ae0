"""All rows of tables in blocks, as engines hand them over to attacks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from recloak.core.arrays import Indices, Integers
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import Everyone, Found, Merge, OfRows, RowsBlock
from recloak.evaluation.context import AuditContext, in_codes
from recloak.releases.linkage import Linkage


@dataclass(frozen=True, eq=False)
class RowsInBlocks:
    """The rows of a table in so many blocks, merged in an order of their own."""

    rows: Ratings
    ids: Integers
    blocks: int
    seed: int = 0

    @property
    def blank(self) -> Ratings:
        return self.rows.take_users(np.empty(0, np.int64))

    @property
    def n_rows(self) -> int:
        return self.rows.n_users

    def gathered(self, work: OfRows, merged: Merge, label: str, progress: Progress) -> Found:
        parts = np.array_split(np.arange(self.n_rows), self.blocks)
        found = [
            work(RowsBlock(at, self.ids[part], self.rows.take_users(part)))
            for at, part in enumerate(parts)
        ]
        order = np.random.default_rng(self.seed).permutation(len(found))
        return reduce(merged, [found[at] for at in order])

    def called(self, ids: Integers) -> Ratings:
        return self.rows.take_users(np.searchsorted(self.ids, ids))


def sampled(context: AuditContext, people: Indices, blocks: int, seed: int = 0) -> AuditContext:
    """What an audit of a sample of people has: their ratings and rows, and a way to read all."""
    original = context.original
    mine = np.concatenate([context.linkage.rows_of(user) for user in people.tolist()])
    rows = np.unique(mine)
    counts = np.diff(context.linkage.offsets)[people]
    linkage = Linkage.from_pairs(
        np.repeat(np.arange(len(people)), counts),
        np.searchsorted(rows, mine),
        len(people),
        "mapping",
        "by hand",
    )
    everywhere = in_items_of(context.rows, original, context.item_in_release)
    everyone = Everyone(
        original=RowsInBlocks(original, np.arange(original.n_users), blocks, seed),
        released=RowsInBlocks(everywhere, everywhere.user_labels.astype(np.int64), blocks, seed),
        people=people,
        item_support=original.item_support,
    )
    theirs = everywhere.take_users(rows)
    return replace(
        context,
        original=original.take_users(people),
        rows=theirs,
        linkage=linkage,
        item_in_release=np.arange(original.n_items),
        everyone=everyone,
    )


def in_items_of(rows: Ratings, original: Ratings, item_in_release: Indices) -> Ratings:
    """The rows in the items of the original; every item of the release is one of these."""
    code = np.full(rows.n_items, -1)
    held = item_in_release >= 0
    code[item_in_release[held]] = np.flatnonzero(held)
    moved = in_codes(rows, code, original.item_labels)
    assert moved.n_ratings == rows.n_ratings
    return replace(moved, times=rows.times)
