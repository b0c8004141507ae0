"""Sets of items and the groups whose profiles hold them all; which sets too few groups hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from recloak.core.arrays import (
    Codes,
    Indices,
    Integers,
    Mask,
    Offsets,
    Words,
)
from recloak.core.kernels import inner_kernel, kernel
from recloak.core.kernels.bits import bits_of, popcount
from recloak.core.kernels.layout import transpose
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings


@inner_kernel
def _few_hold_both(one: Words, other: Words, wanted: int) -> bool:
    held = 0
    for word in range(len(one)):
        held += popcount(one[word] & other[word])
        if held >= wanted:
            return False
    return True


@kernel
def has_short_pairs(first: int, end: int, bits: Words, rated: Mask, wanted: int) -> Mask:
    """Which of the items first..end make a pair with a later one that few groups hold.

    Only pairs of ``rated`` items count.
    """
    short = np.zeros(end - first, np.bool_)
    for item in range(first, end):
        if not rated[item]:
            continue
        for other in range(item + 1, len(bits)):
            if rated[other] and _few_hold_both(bits[item], bits[other], wanted):
                short[item - first] = True
                break
    return short


@kernel
def short_pair(
    item: int,
    holders: Codes,
    offsets: Offsets,
    items: Codes,
    bits: Words,
    wanted: int,
) -> int:
    """The first later item that one of the rows ``holders`` has and few groups hold with ``item``.

    -1 if there is none.
    """
    looked_at = np.zeros(len(bits), np.bool_)
    best = -1
    for row in holders:
        for at in range(offsets[row], offsets[row + 1]):
            other = items[at]
            if other <= item or looked_at[other]:
                continue
            looked_at[other] = True
            if (best < 0 or other < best) and _few_hold_both(bits[item], bits[other], wanted):
                best = other
    return best


@kernel
def row_holders(
    first: int, end: int, offsets: Offsets, items: Codes, bits: Words, held: Offsets
) -> None:
    """How many groups hold all items of each of the rows first..end."""
    common = np.empty(bits.shape[1], np.uint64)
    for row in range(first, end):
        common[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for at in range(offsets[row], offsets[row + 1]):
            mine = bits[items[at]]
            for word in range(len(common)):
                common[word] &= mine[word]
        held[row] = 0
        if offsets[row + 1] > offsets[row]:
            for word in range(len(common)):
                held[row] += popcount(common[word])


ITEMS_PER_BLOCK = 64
RATINGS_PER_BLOCK = 1_000_000
ROWS_SAMPLED = 2000
SETS_PER_ROW = 10


@dataclass(frozen=True)
class Shortage:
    """What was found: a set that too few groups hold, or none.

    ``items`` are codes of the reference; ``groups`` hold all of them. ``proven`` tells that there
    can be no such set.
    """

    looked_at: str
    result: str
    proven: bool = False
    items: Indices | None = None
    groups: Indices = field(default_factory=lambda: np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class Coverage:
    """For each item of the ``reference`` a bit for every group whose profile holds it.

    The reference says which items were rated together: the original, or the profiles themselves.
    """

    reference: Ratings
    groups: int
    bits: Words

    @classmethod
    def of(
        cls, profiles: Ratings, reference: Ratings, code: Indices, progress: Progress
    ) -> Coverage:
        """``code`` is the item of the profiles for each item of the reference, -1 for none."""
        with progress.task("Looking up who holds which items", 1) as task:
            index = profiles.by_item
            bits = bits_of(
                index.offsets, index.users, np.arange(profiles.n_items), profiles.n_users
            )
            none = np.zeros((1, bits.shape[1]), np.uint64)
            task.advance()
        return cls(reference, profiles.n_users, np.concatenate([bits, none])[code])

    def holders(self, items: Indices) -> Indices:
        """The groups that hold all of these items."""
        common = np.bitwise_and.reduce(self.bits[items], axis=0)
        little_end_first = common.astype("<u8").view(np.uint8)
        return np.flatnonzero(np.unpackbits(little_end_first, bitorder="little")[: self.groups])

    def short_pair(self, wanted: int, progress: Progress) -> Shortage:
        """A pair that someone rated and fewer than ``wanted`` groups hold; exact."""
        rated, n_items = self.reference.item_support > 0, self.reference.n_items
        starts = range(0, n_items, ITEMS_PER_BLOCK)
        blocks = [(start, min(start + ITEMS_PER_BLOCK, n_items)) for start in starts]
        with progress.task("Looking for rare pairs of items", len(blocks)) as task:
            parts = in_threads(
                lambda first, end: has_short_pairs(first, end, self.bits, rated, wanted),
                blocks,
                task,
            )
        short = np.flatnonzero(np.concatenate(parts)) if parts else np.empty(0, np.int64)
        looked_at = "All pairs of items"
        pair = self._rated_pair(short, wanted, progress) if len(short) else None
        if pair is None:
            return Shortage(looked_at, f"Each is in {wanted:,} or more.", proven=True)
        return self._short(looked_at, pair, "A pair falls short.")

    def _rated_pair(self, short: Indices, wanted: int, progress: Progress) -> Indices | None:
        rows = (self.reference.offsets, self.reference.items)
        edges, holders, _ = transpose(*rows, self.reference.values, self.reference.n_items)
        with progress.task("Looking up who rated rare pairs", len(short)) as task:
            for item in short:
                mine = holders[edges[item] : edges[item + 1]]
                other = short_pair(item, mine, *rows, self.bits, wanted)
                if other >= 0:
                    return np.array([item, other])
                task.advance()
        return None

    def short_set(self, b: int, wanted: int, progress: Progress) -> Shortage:
        """A set of ``b`` that someone rated and fewer than ``wanted`` groups hold.

        None can exist if every row as a whole is in that many profiles, as where groups have
        common items. Otherwise sets are sampled.
        """
        long_enough = self.reference.user_counts >= b
        short = np.flatnonzero(long_enough & (self.row_holders(progress) < wanted))
        if len(short) == 0:
            looked_at = f"{int(long_enough.sum()):,} whole rows of {b} items or more"
            return Shortage(looked_at, f"Each is in {wanted:,} or more.", proven=True)
        generator = Randomness.from_seed(0).generator("diversity")
        sampled = generator.permutation(short)[:ROWS_SAMPLED]
        looked_at = f"Up to {len(sampled) * (SETS_PER_ROW + 1):,} sets of {b} items"
        with progress.task("Sampling sets of items", len(sampled)) as task:
            for row in sampled:
                for items in self._sets(int(row), b, generator):
                    if len(self.holders(items)) < wanted:
                        return self._short(looked_at, items, "A set falls short.")
                task.advance()
        how = f"None of them falls short; {len(short):,} whole rows do, so others may."
        return Shortage(looked_at, how)

    def row_holders(self, progress: Progress) -> Integers:
        """How many groups hold each row of the reference as a whole."""
        held = np.empty(self.reference.n_users, np.int64)
        given = (self.reference.offsets, self.reference.items, self.bits, held)
        blocks = row_blocks(self.reference.offsets, RATINGS_PER_BLOCK)
        with progress.task("Looking for profiles that hold whole rows", len(blocks)) as task:
            in_threads(lambda first, end: row_holders(first, end, *given), blocks, task)
        return held

    def _sets(self, row: int, b: int, generator: np.random.Generator) -> list[Indices]:
        """The rarest items of a row, and some drawn from it."""
        items = self.reference.row(row)[0].astype(np.int64)
        rarest = items[np.argsort(self._counts[items], kind="stable")[:b]]
        drawn = [generator.choice(items, b, replace=False) for _ in range(SETS_PER_ROW)]
        return [np.sort(found) for found in (rarest, *drawn)]

    @cached_property
    def _counts(self) -> Integers:
        counts: Integers = np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)
        return counts

    def _short(self, looked_at: str, items: Indices, result: str) -> Shortage:
        return Shortage(looked_at, result, items=items, groups=self.holders(items))
