"""k^m-anonymity of plain rows: every set of at most m terms occurs in no row or in k rows."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.guarantees import km_terms
from recloak.guarantees.km_terms import Outcome, Terms, set_counts
from recloak.identical import identical_groups
from recloak.kernels.crowds import crowd_sizes
from recloak.kernels.itemsets import rare_set
from recloak.kernels.layout import expand, offsets_of, stable_order, transpose
from recloak.progress import Progress
from recloak.ratings import Ratings

WITNESS_ROWS = 5
SAMPLED_ROWS = 1_000
DRAWS_PER_ROW = 3
BLOCKS = 64


@dataclass(frozen=True)
class TermRows:
    """Rows as ascending codes of their terms, the rarest term first, and who holds each term."""

    offsets: NDArray[np.int64]
    terms: NDArray[np.int32]
    index_offsets: NDArray[np.int64]
    index_rows: NDArray[np.int32]
    original: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Ratings, terms: Terms) -> TermRows:
        """Every row, its terms renamed by how many rows hold them."""
        support = np.bincount(terms.of_rating, minlength=len(terms))
        original = np.argsort(support, kind="stable").astype(np.int32)
        rank = np.empty(len(original), dtype=np.int32)
        rank[original] = np.arange(len(original), dtype=np.int32)
        nothing = np.empty(rows.n_ratings, dtype=np.float32)
        index = transpose(rows.offsets, rank[terms.of_rating], nothing, len(terms))
        offsets, ordered, _ = transpose(index[0], index[1], nothing, rows.n_users)
        return cls(offsets, ordered, index[0], index[1], original)

    @property
    def support(self) -> NDArray[np.int64]:
        return np.diff(self.index_offsets)

    def holders(self, terms: NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows that hold all of ``terms``."""
        found = self._having(terms[0])
        for term in terms[1:]:
            found = np.intersect1d(found, self._having(term), assume_unique=True)
        return found

    def _having(self, term: np.int32) -> NDArray[np.int32]:
        return self.index_rows[self.index_offsets[term] : self.index_offsets[term + 1]]


def check_rows(rows: Ratings, k: int, m: int, values: bool, progress: Progress) -> Outcome:
    """Look for a set that too few rows hold: single terms, then a sample, then all sets."""
    if rows.n_ratings == 0:
        return Outcome("holds", "There are no ratings.")
    terms = Terms.of(rows, values)
    with progress.task("Looking for combinations that few rows hold", 2) as task:
        told = TermRows.of(rows, terms)
        group, sizes = identical_groups(rows, values=values)
        task.advance()
        rare = _rare_term(told, k)
        rare = (
            rare if len(rare) or m == 1 else _sampled(told, np.flatnonzero(sizes[group] < k), k, m)
        )
        task.advance()
    if not len(rare) and m > 1 and sizes.min() < k:
        first = np.unique(group, return_index=True)[1]
        needed = float(set_counts(rows.user_counts[first], m).sum())
        if needed > km_terms.BUDGET:
            return _undecided(needed, m)
        rare = _searched(told, first, sizes, k, m, progress)
    if not len(rare):
        return Outcome("holds", _held(rows, len(terms), k, m, int(sizes.min())))
    return _broken(rows, terms, told, rare, k)


def _held(rows: Ratings, n_terms: int, k: int, m: int, smallest: int) -> str:
    if smallest >= k:
        return f"Each of {rows.n_users:,} rows is there at least {smallest:,} times."
    looked = f"All sets of up to {m} of {n_terms:,} terms in {rows.n_users:,} rows were looked at."
    return f"{looked} Each that occurs is held by {k:,} rows or more."


def _broken(
    rows: Ratings, terms: Terms, told: TermRows, rare: NDArray[np.int32], k: int
) -> Outcome:
    holders = told.holders(rare)
    named = [str(rows.user_labels[row]) for row in holders[:WITNESS_ROWS]]
    count = len(holders)
    witness = {
        **terms.shown(rows, np.sort(told.original[rare]).tolist()),
        "rows that hold all of it": count,
        "rows": named,
    }
    what = "A single term" if len(rare) == 1 else f"A set of {len(rare)} terms"
    return Outcome("broken", f"{what} is held by fewer than {k:,} rows.", witness)


def _undecided(needed: float, m: int) -> Outcome:
    return Outcome(
        "undecided",
        f"No violation was found in a sample of rows; to look at all sets of {m} terms would take "
        f"about {needed:.1g} steps, and the budget is {km_terms.BUDGET:.1g}. "
        "A smaller m, or fewer ratings in a row, can be decided.",
    )


def _rare_term(told: TermRows, k: int) -> NDArray[np.int32]:
    """The rarest term, if fewer than k rows hold it."""
    return np.flatnonzero(told.support[:1] < k).astype(np.int32)


def _sampled(told: TermRows, rows: NDArray[np.int64], k: int, m: int) -> NDArray[np.int32]:
    """A set that too few rows hold, from the rarest and from random terms of some rows.

    It decides nothing but spares the search where data are far from the claim, and only speed
    hangs on what is drawn: the same rows are drawn every time.
    """
    rng = np.random.default_rng(0)
    chosen = rows if len(rows) <= SAMPLED_ROWS else rng.choice(rows, SAMPLED_ROWS, replace=False)
    drawn = []
    for row in chosen:
        start, length = told.offsets[row], int(told.offsets[row + 1] - told.offsets[row])
        size = min(m, length)
        drawn.append(start + np.arange(size))
        drawn += [start + rng.permutation(length)[:size] for _ in range(DRAWS_PER_ROW - 1)]
    known = [places for places in drawn if len(places)]
    if not known:
        return np.empty(0, dtype=np.int32)
    bounds = np.cumsum([0, *map(len, known)], dtype=np.int64)
    nothing = np.empty(len(told.terms), dtype=np.float32)
    arrays = (told.offsets, told.terms, nothing, told.index_offsets, told.index_rows)
    sizes = crowd_sizes(bounds, np.concatenate(known), *arrays, False, k)
    short = np.flatnonzero(sizes < k)
    return np.sort(told.terms[known[short[0]]]) if len(short) else np.empty(0, dtype=np.int32)


def _searched(
    told: TermRows,
    first: NDArray[np.int64],
    sizes: NDArray[np.int64],
    k: int,
    m: int,
    progress: Progress,
) -> NDArray[np.int32]:
    """A set that too few rows hold, by looking at all; identical rows are looked at once."""
    lengths = (told.offsets[first + 1] - told.offsets[first]).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    picked = np.repeat(told.offsets[first] - offsets[:-1], lengths) + np.arange(offsets[-1])
    terms, row_of = told.terms[picked], expand(offsets)
    n_terms = len(told.original)
    index_offsets, index = offsets_of(terms, n_terms), stable_order(terms, n_terms)
    later = offsets[row_of + 1] - np.arange(len(terms))
    work = np.bincount(terms, later.astype(np.float64) ** (m - 1), n_terms)
    blocks = _blocks(work.astype(np.float64))

    def search(block: tuple[int, int]) -> NDArray[np.int32]:
        return rare_set(*block, index_offsets, index, row_of, offsets, terms, sizes, k, m)

    with (
        progress.task("Counting all combinations", len(blocks)) as task,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        running = [pool.submit(search, block) for block in blocks]
        try:
            for block in running:
                found = block.result()
                task.advance()
                if len(found):
                    return found
        finally:
            pool.shutdown(cancel_futures=True)
    return np.empty(0, dtype=np.int32)


def _blocks(work: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Ranges of terms of about equal work, in order."""
    number = np.floor(np.cumsum(work) / work.sum() * (BLOCKS - 0.5))
    ends = [0, *(np.flatnonzero(np.diff(number, append=BLOCKS)) + 1).tolist()]
    return list(itertools.pairwise(ends))
