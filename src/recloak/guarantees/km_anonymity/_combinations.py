"""Combinations inside one chunk of disassociated data: each is held by no sub-record or by k."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Codes, Integers, Offsets
from recloak.core.ordering import frozen
from recloak.core.progress import Progress
from recloak.guarantees.km_anonymity import _terms as km_terms
from recloak.guarantees.km_anonymity._combination_kernels import FOUND, NONE, weak_combination
from recloak.guarantees.km_anonymity._terms import (
    CheckResult,
    TermTables,
    set_counts,
    unproven,
    where,
)
from recloak.releases.disassociated import DisassociatedRelease

BLOCKS = 64

SearchResult = tuple[int, int, Integers, Integers]


@dataclass(frozen=True)
class ItemsOfChunks:
    """Some items of each chunk: those of chunk ``c`` are ``items[offsets[c]:offsets[c + 1]]``."""

    offsets: Offsets
    items: Codes

    @classmethod
    def of(cls, table: pl.DataFrame, n_chunks: int) -> ItemsOfChunks:
        """From a table of chunks and items, in order."""
        offsets = np.searchsorted(table["at"].to_numpy(), np.arange(n_chunks + 1))
        return cls(offsets.astype(np.int64), table["item"].to_numpy().astype(np.int32))

    def __getitem__(self, chunk: int) -> set[int]:
        return set(self.items[self.offsets[chunk] : self.offsets[chunk + 1]].tolist())


def weak_sets(
    release: DisassociatedRelease, tables: TermTables, k: int, m: int, progress: Progress
) -> CheckResult | None:
    """A combination that some sub-record holds but fewer than k do; None if there is none."""
    elsewhere = ItemsOfChunks.of(tables.elsewhere(), len(tables.chunks))
    repeated = ItemsOfChunks.of(tables.repeated(), len(tables.chunks))
    for status, chunk, terms, lacked in _searched(tables, elsewhere, repeated, k, m, progress):
        if status == FOUND:
            absent = set(lacked.tolist()) | repeated[chunk]
            return _broken(release, tables, k, chunk, terms, absent)
        if status != NONE:
            return _undecided(tables, elsewhere, m)
    return None


def _undecided(tables: TermTables, elsewhere: ItemsOfChunks, m: int) -> CheckResult:
    return CheckResult(
        "undecided",
        f"To look at all combinations of {m} terms in chunks may take up to about "
        f"{_steps(tables, elsewhere, m):.1g} steps, and the budget is {km_terms.BUDGET:.1g}. "
        "A smaller m, or smaller chunks, can be decided.",
    )


def _steps(tables: TermTables, elsewhere: ItemsOfChunks, m: int) -> float:
    """What the search takes at most: all sets of terms and of items that may be absent."""
    ratings = np.diff(tables.rows.offsets[tables.chunk_offsets])
    chunk = np.repeat(np.arange(len(tables.chunks)), ratings)
    held = np.unique(chunk * len(tables.terms) + tables.terms.of_rating)
    counts = np.bincount(held // max(len(tables.terms), 1), minlength=len(tables.chunks))
    choices = counts + np.diff(elsewhere.offsets)
    words = -(-tables.chunks["size"].to_numpy() // 64)
    return float((set_counts(choices, m) * words).sum())


def _searched(
    tables: TermTables,
    elsewhere: ItemsOfChunks,
    repeated: ItemsOfChunks,
    k: int,
    m: int,
    progress: Progress,
) -> list[SearchResult]:
    """What came of each range of chunks, up to the first that is not fine."""
    rows = tables.rows
    sizes, capacity = tables.chunks["size"].to_numpy(), tables.chunks["records"].to_numpy()
    terms = tables.terms
    layout = (tables.chunk_offsets, frozen(rows.offsets), frozen(terms.of_rating), terms.item)
    absent = (elsewhere.offsets, elsewhere.items, repeated.offsets, repeated.items)
    ranges = _ranges(rows.offsets[tables.chunk_offsets])
    share = int(km_terms.BUDGET // max(len(ranges), 1))

    def search(first: int, last: int) -> SearchResult:
        return weak_combination(first, last, *layout, capacity - sizes, *absent, k, m, share)

    done: list[SearchResult] = []
    with (
        progress.task("Counting combinations in chunks", len(ranges)) as task,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        running = [pool.submit(search, *block) for block in ranges]
        try:
            for block in running:
                done.append(block.result())
                task.advance()
                if done[-1][0] == FOUND:
                    break
        finally:
            pool.shutdown(cancel_futures=True)
    return sorted(done, key=lambda found: found[0] != FOUND)


def _ranges(ratings_before: Integers) -> list[tuple[int, int]]:
    """Ranges of chunks with about equally many ratings."""
    number = ratings_before[:-1] * BLOCKS // max(int(ratings_before[-1]), 1)
    ends = [0, *(np.flatnonzero(np.diff(number, append=BLOCKS)) + 1).tolist()]
    return list(itertools.pairwise(ends)) if len(number) else []


def _broken(
    release: DisassociatedRelease,
    tables: TermTables,
    k: int,
    chunk: int,
    terms: Integers,
    absent: set[int],
) -> CheckResult:
    terms = np.sort(terms)
    absent = absent - set(tables.terms.item[terms].tolist())
    witness: dict[str, Any] = {
        **where(release, tables.chunks.row(chunk, named=True)),
        **tables.terms.labelled(tables.rows, terms.tolist()),
    }
    how = f"Terms occur together in a chunk, but fewer than {k:,} times."
    plain = _count(tables, chunk, set(terms.tolist()), set())
    if plain >= k:
        how = (
            f"Fewer than {k:,} sub-records of a chunk hold these terms without the items that "
            "stand elsewhere too: whoever holds both is one of few."
        )
        witness["without items"] = [str(tables.rows.item_labels[item]) for item in sorted(absent)]
        plain = _count(tables, chunk, set(terms.tolist()), absent)
        return unproven(how, {**witness, "sub-records": plain})
    return CheckResult("broken", how, {**witness, "sub-records": plain})


def _count(tables: TermTables, chunk: int, terms: set[int], absent: set[int]) -> int:
    """How many sub-records of a chunk, empty ones included, hold the terms and no absent item."""
    start, end = tables.chunk_offsets[chunk : chunk + 2]
    line = tables.chunks.row(chunk, named=True)
    count = 0 if terms else line["records"] - line["size"]
    for row in range(start, end):
        held = slice(tables.rows.offsets[row], tables.rows.offsets[row + 1])
        has = terms <= set(tables.terms.of_rating[held].tolist())
        count += has and not absent & set(tables.rows.items[held].tolist())
    return count
