"""A scorer of pairs of rows, trained on a release that an adversary made of people they know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from recloak.attacks._logistic import Logistic, chances
from recloak.attacks._postings import RowArrays, rows_of
from recloak.attacks._row_pair_kernels import (
    KNOWN_FACTORS,
    MISPLACED,
    PAIR,
    VIOLATES,
    RowTraits,
    best_partners,
    describe_pairs,
    gaps_to,
    row_traits,
)
from recloak.core.arrays import (
    Codes,
    Floats,
    Indices,
    Mask,
    Values,
    places_within,
)
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress, Task
from recloak.evaluation.context import AuditContext, match_items
from recloak.recommenders.factorization import presence_factors

DIMENSIONS = 64
FEWER_DIMENSIONS, MANY_ROWS = 16, 1_000_000  # so that the places of all rows fit into memory
TRAINING_ROWS = 2000
SHORTLISTED_ROWS = 500
PARTNERS = 40
STRANGERS_PER_ROW = 100
SAMPLE = 256
ROWS_PER_BLOCK = 32
PRODUCTS_PER_BLOCK = 20_000_000
NEAR_ZERO = 1e-9


@dataclass(frozen=True)
class PairTable:
    """Rows that are compared with each other."""

    context: AuditContext
    rows: RowArrays
    traits: RowTraits

    @classmethod
    def of(
        cls,
        context: AuditContext,
        vectors: Values,
        factors: Values,
        rows_each: float = 2.0,
    ) -> PairTable:
        """``vectors`` and ``factors`` have a row for each item of the context's rows; people have
        about ``rows_each`` rows.
        """
        rows, read = context.rows, rows_of(context.rows)
        support = np.maximum(rows.item_support, 1)
        means = np.bincount(rows.items, rows.values, minlength=rows.n_items) / support
        numbers, rarest, places, times = row_traits(read, rows.values, support, means, vectors)
        places -= places.mean(axis=0, dtype=np.float64).astype(np.float32)
        lengths = np.linalg.norm(places, axis=1, keepdims=True)
        places /= np.where(lengths > NEAR_ZERO, lengths, 1)
        borders = _regions(read, rarest, factors, rows_each)
        return cls(context, read, RowTraits(numbers, rarest, places, times, factors, *borders))

    def pair_features(self, ones: Indices, others: Indices) -> Floats:
        """The features of pairs."""
        known = PAIR + (KNOWN_FACTORS if self.traits.factors.shape[1] else 0)
        features = np.zeros((len(ones), known))
        describe_pairs(self.rows, self.traits, ones, others, features)
        return features


@dataclass(frozen=True)
class PairScorer:
    """Two models: ``first`` shortlists partners of a row, ``second`` scores the shortlisted."""

    first: Logistic
    second: Logistic
    never_violates: bool
    never_misplaced: bool

    @classmethod
    def trained(cls, table: PairTable, rng: np.random.Generator, task: Task) -> PairScorer | None:
        """Train on pairs of rows whose people are known; None if nobody has several rows."""
        ones = sibling_rows(table.context, TRAINING_ROWS, rng)
        if len(ones) == 0:
            return None
        own = table.pair_features(*siblings(table.context, ones))
        others = table.pair_features(*strangers(table.context, ones, rng))
        truth = np.repeat([True, False], [len(own), len(others)])
        first = Logistic.fit(np.concatenate([own, others]), truth)
        task.advance()
        never_misplaced = own.shape[1] > PAIR and not own[:, MISPLACED].any()
        scorer = cls(first, first, not own[:, VIOLATES].any(), never_misplaced)
        seen, partners = scorer.shortlist(table, ones[rng.permutation(len(ones))], task)
        owners = owners_of(table.context)
        same = owners[seen] == owners[partners]
        if same.all() or not same.any():
            return scorer
        return replace(scorer, second=Logistic.fit(table.pair_features(seen, partners), same))

    def odds(self, features: Floats) -> Floats:
        """The log-odds of any pairs by their features; hopeless where centroids contradict."""
        odds = self.first.odds(features)
        hopeless = (features[:, VIOLATES] > 0) & self.never_violates
        if self.never_misplaced:
            hopeless |= features[:, MISPLACED] > 0
        return np.where(hopeless, -np.inf, odds)

    def shortlist(self, table: PairTable, queries: Indices, task: Task) -> tuple[Indices, Indices]:
        """Pairs of each row and its shortlisted partners."""
        found = self._best_partners(table, queries[:SHORTLISTED_ROWS], task)
        there = found >= 0
        return np.repeat(queries[:SHORTLISTED_ROWS], there.sum(axis=1)), found[there]

    def partners(self, table: PairTable, queries: Indices, task: Task) -> tuple[Indices, Floats]:
        """For each row those that fit best (-1: none), best first, and how likely they belong."""
        found = self._best_partners(table, queries, task)
        features = table.pair_features(
            np.repeat(queries, found.shape[1]), np.maximum(found, 0).ravel()
        )
        chance = np.where(
            found >= 0, chances(self.second.odds(features)).reshape(found.shape), -1.0
        )
        order = np.argsort(-chance, axis=1, kind="stable")
        return np.take_along_axis(found, order, 1), np.take_along_axis(chance, order, 1)

    def _best_partners(self, table: PairTable, queries: Indices, task: Task) -> Indices:
        slopes = self.first.weights[1:] / self.first.spread
        found = np.full((len(queries), PARTNERS), -1, dtype=np.int64)
        odds = np.full(found.shape, -np.inf)
        given = (table.rows, table.traits, slopes, self.never_violates, self.never_misplaced)
        directions = table.traits.directions

        def one_block(start: int, end: int) -> None:
            these = queries[start:end]
            alike = directions[these] @ directions.T
            best_partners(*given, these, alike, found[start:end], odds[start:end])

        size = max(1, min(ROWS_PER_BLOCK, PRODUCTS_PER_BLOCK // max(len(directions), 1)))
        starts = range(0, len(queries), size)
        in_threads(one_block, [(start, min(start + size, len(queries))) for start in starts], task)
        return found


def _regions(
    rows: RowArrays, rarest: Codes, factors: Values, rows_each: float
) -> tuple[Values, Values]:
    """How far items lie from a sample of what is rated, and what a row around each would hold.

    An item stands in the row around another if none of the person's other rare items lies nearer:
    as many as people have, and each like any row's rarest.
    """
    sample = rows.items[:: max(len(rows.items) // SAMPLE, 1)] if factors.shape[1] else rarest[:0]
    gaps = np.empty((len(factors), len(sample)), dtype=np.float32)
    gaps_to(factors, sample, gaps)
    founding = np.bincount(rarest[rarest >= 0], minlength=len(factors))
    region_weights = np.empty_like(gaps)
    for at in range(len(sample)):
        order = np.argsort(gaps[:, at], kind="stable")
        nearer = np.cumsum(founding[order]) - founding[order]
        region_weights[order, at] = (1 - nearer / max(founding.sum(), 1)) ** max(rows_each - 1, 0)
    region_weights /= np.maximum(region_weights.sum(axis=1, keepdims=True), NEAR_ZERO)
    return gaps, region_weights


def co_rating_vectors(
    rehearsal: AuditContext, contexts: tuple[AuditContext, ...], seed: int, progress: Progress
) -> list[Values]:
    """Where items lie by who rates them together, in the rehearsal's people's whole rows.

    One table for each of ``contexts``, in the codes of its rows; the direction in which all items
    lie is left out, and items that nobody of the rehearsal rated lie nowhere.
    """
    original = rehearsal.original
    many = max(context.rows.n_users for context in contexts) > MANY_ROWS
    dimensions = FEWER_DIMENSIONS if many else DIMENSIONS
    vectors = presence_factors(original, dimensions + 1, seed, progress)
    vectors = np.delete(vectors, np.square(vectors).sum(axis=0).argmax(), axis=1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > NEAR_ZERO, lengths, 1)
    return [
        _in_codes_of(vectors, match_items(original, context.rows), context) for context in contexts
    ]


def _in_codes_of(vectors: Values, code: Indices, context: AuditContext) -> Values:
    placed = np.zeros((context.rows.n_items, vectors.shape[1]), dtype=np.float32)
    placed[code[code >= 0]] = vectors[code >= 0]
    return placed


def sibling_rows(
    context: AuditContext,
    most: int,
    rng: np.random.Generator,
    among: Mask | None = None,
) -> Indices:
    """Rows of people (of ``among``) who have several, drawn at random."""
    counts = np.diff(context.linkage.offsets)
    people = (counts > 1) if among is None else (counts > 1) & among
    rows = context.linkage.rows[np.repeat(people, counts)]
    return np.sort(rng.permutation(rows)[:most])


def owners_of(context: AuditContext) -> Indices:
    """Whose each row is; -1 for rows of nobody."""
    owners = np.full(context.rows.n_users, -1, dtype=np.int64)
    linkage = context.linkage
    owners[linkage.rows] = np.repeat(np.arange(len(linkage.offsets) - 1), np.diff(linkage.offsets))
    return owners


def siblings(context: AuditContext, ones: Indices) -> tuple[Indices, Indices]:
    """All pairs of a row of ``ones`` and another row of the same person."""
    owners, linkage = owners_of(context)[ones], context.linkage
    starts, counts = linkage.offsets[owners], np.diff(linkage.offsets)[owners]
    first = np.repeat(ones, counts)
    second = linkage.rows[np.repeat(starts, counts) + places_within(counts)]
    return first[first != second], second[first != second]


def strangers(
    context: AuditContext, ones: Indices, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Pairs of each row of ``ones`` with ``STRANGERS_PER_ROW`` rows of other people."""
    owners = owners_of(context)
    first = np.repeat(ones, STRANGERS_PER_ROW)
    second = rng.integers(0, context.rows.n_users, len(first))
    never_misplaced = owners[first] != owners[second]
    return first[never_misplaced], second[never_misplaced]
