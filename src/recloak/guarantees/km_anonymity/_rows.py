"""k^m-anonymity of plain rows: every set of at most m terms occurs in no row or in k rows."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import (
    Codes,
    Floats,
    Indices,
    Integers,
    Offsets,
    offsets_from,
    offsets_of_runs,
)
from recloak.core.kernels.layout import expand, offsets_of, stable_order, transpose
from recloak.core.kernels.people_sharing import count_people_sharing
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups
from recloak.guarantees.km_anonymity import _terms as km_terms
from recloak.guarantees.km_anonymity._itemset_kernels import rare_set
from recloak.guarantees.km_anonymity._terms import CheckResult, TermCodes, set_counts

WITNESS_ROWS = 5
SAMPLED_ROWS = 1_000
DRAWS_PER_ROW = 3
BLOCKS = 64


@dataclass(frozen=True)
class TermRows:
    """Rows as ascending codes of their terms, the rarest term first, and who holds each term."""

    offsets: Offsets
    terms: Codes
    index_offsets: Offsets
    index_rows: Codes
    original: Codes

    @classmethod
    def of(cls, rows: Ratings, terms: TermCodes) -> TermRows:
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
    def support(self) -> Integers:
        return np.diff(self.index_offsets)

    def holders(self, terms: Codes) -> Codes:
        """The rows that hold all of ``terms``."""
        found = self._having(terms[0])
        for term in terms[1:]:
            found = np.intersect1d(found, self._having(term), assume_unique=True)
        return found

    def _having(self, term: np.int32) -> Codes:
        return self.index_rows[self.index_offsets[term] : self.index_offsets[term + 1]]


def check_rows(rows: Ratings, k: int, m: int, values: bool, progress: Progress) -> CheckResult:
    """Look for a set that too few rows hold: single terms, then a sample, then all sets."""
    if rows.n_ratings == 0:
        return CheckResult("holds", "There are no ratings.")
    terms = TermCodes.of(rows, values)
    with progress.task("Looking for combinations that few rows hold", 2) as task:
        term_rows = TermRows.of(rows, terms)
        group, sizes = identical_groups(rows, values=values, times=values)
        task.advance()
        rare = _rare_term(term_rows, k)
        rare = (
            rare
            if len(rare) or m == 1
            else _rare_set_in_sample(term_rows, np.flatnonzero(sizes[group] < k), k, m)
        )
        task.advance()
    if not len(rare) and m > 1 and sizes.min() < k:
        first = np.unique(group, return_index=True)[1]
        needed = float(set_counts(rows.user_counts[first], m).sum())
        if needed > km_terms.BUDGET:
            return _undecided(needed, m)
        rare = _rare_set_in_all(term_rows, first, sizes, k, m, progress)
    if not len(rare):
        return CheckResult("holds", _held(rows, len(terms), k, m, int(sizes.min())))
    return _broken(rows, terms, term_rows, rare, k)


def _held(rows: Ratings, n_terms: int, k: int, m: int, smallest: int) -> str:
    if smallest >= k:
        return f"Each of {rows.n_users:,} rows is there at least {smallest:,} times."
    looked = f"All sets of up to {m} of {n_terms:,} terms in {rows.n_users:,} rows were looked at."
    return f"{looked} Each that occurs is held by {k:,} rows or more."


def _broken(
    rows: Ratings, terms: TermCodes, term_rows: TermRows, rare: Codes, k: int
) -> CheckResult:
    holders = term_rows.holders(rare)
    named = [str(rows.user_labels[row]) for row in holders[:WITNESS_ROWS]]
    count = len(holders)
    witness = {
        **terms.labelled(rows, np.sort(term_rows.original[rare]).tolist()),
        "rows that hold all of it": count,
        "rows": named,
    }
    what = "A single term" if len(rare) == 1 else f"A set of {len(rare)} terms"
    what += "" if terms.time is None else ", with times,"
    return CheckResult("broken", f"{what} is held by fewer than {k:,} rows.", witness)


def _undecided(needed: float, m: int) -> CheckResult:
    return CheckResult(
        "undecided",
        f"No violation was found in a sample of rows; to look at all sets of {m} terms would take "
        f"about {needed:.1g} steps, and the budget is {km_terms.BUDGET:.1g}. "
        "A smaller m, or fewer ratings in a row, can be decided.",
    )


def _rare_term(term_rows: TermRows, k: int) -> Codes:
    """The rarest term, if fewer than k rows hold it."""
    return np.flatnonzero(term_rows.support[:1] < k).astype(np.int32)


def _rare_set_in_sample(term_rows: TermRows, rows: Indices, k: int, m: int) -> Codes:
    """A set that too few rows hold, from the rarest and from random terms of some rows.

    It decides nothing but spares the search where data are far from the claim, and only speed
    hangs on what is drawn: the same rows are drawn every time.
    """
    rng = np.random.default_rng(0)
    chosen = rows if len(rows) <= SAMPLED_ROWS else rng.choice(rows, SAMPLED_ROWS, replace=False)
    drawn = []
    for row in chosen:
        start, length = (
            term_rows.offsets[row],
            int(term_rows.offsets[row + 1] - term_rows.offsets[row]),
        )
        size = min(m, length)
        drawn.append(start + np.arange(size))
        drawn += [start + rng.permutation(length)[:size] for _ in range(DRAWS_PER_ROW - 1)]
    known = [places for places in drawn if len(places)]
    if not known:
        return np.empty(0, dtype=np.int32)
    bounds = offsets_of_runs(known)
    nothing = np.empty(len(term_rows.terms), dtype=np.float32)
    arrays = (
        term_rows.offsets,
        term_rows.terms,
        nothing,
        term_rows.index_offsets,
        term_rows.index_rows,
    )
    sizes = count_people_sharing(bounds, np.concatenate(known), *arrays, False, k)
    short = np.flatnonzero(sizes < k)
    return np.sort(term_rows.terms[known[short[0]]]) if len(short) else np.empty(0, dtype=np.int32)


def _rare_set_in_all(
    term_rows: TermRows,
    first: Integers,
    sizes: Integers,
    k: int,
    m: int,
    progress: Progress,
) -> Codes:
    """A set that too few rows hold, by looking at all; identical rows are looked at once."""
    lengths = (term_rows.offsets[first + 1] - term_rows.offsets[first]).astype(np.int64)
    offsets = offsets_from(lengths)
    picked = np.repeat(term_rows.offsets[first] - offsets[:-1], lengths) + np.arange(offsets[-1])
    terms, row_of = term_rows.terms[picked], expand(offsets)
    n_terms = len(term_rows.original)
    index_offsets, index = offsets_of(terms, n_terms), stable_order(terms, n_terms)
    later = offsets[row_of + 1] - np.arange(len(terms))
    work = np.bincount(terms, later.astype(np.float64) ** (m - 1), n_terms)
    blocks = _blocks(work.astype(np.float64))

    def search(block: tuple[int, int]) -> Codes:
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


def _blocks(work: Floats) -> list[tuple[int, int]]:
    """Ranges of terms of about equal work, in order."""
    number = np.floor(np.cumsum(work) / work.sum() * (BLOCKS - 0.5))
    ends = [0, *(np.flatnonzero(np.diff(number, append=BLOCKS)) + 1).tolist()]
    return list(itertools.pairwise(ends))
