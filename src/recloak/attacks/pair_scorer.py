"""A scorer of pairs of rows, trained on a release that an adversary made of people he knows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.logistic import Logistic, chances
from recloak.attacks.postings import rows_of
from recloak.kernels.postings import Rows
from recloak.kernels.row_pairs import (
    KNOWN_FACTORS,
    MISPLACED,
    PAIR,
    VIOLATES,
    best_partners,
    describe_pairs,
)
from recloak.kernels.row_traits import Traits, gaps_to, row_traits
from recloak.progress import Progress, Task
from recloak.recommenders.presence import presence_factors
from recloak.scene import Scene, match_items
from recloak.threads import in_threads

Codes = NDArray[np.int64]

DIMENSIONS = 64
FEWER_DIMENSIONS, MANY_ROWS = 16, 1_000_000  # so that the places of all rows fit into memory
TRAINING_ROWS = 2000
LOOKED_AT = 500
PARTNERS = 40
OTHERS = 100
SAMPLE = 256
ROWS_PER_BLOCK = 8
NEAR_ZERO = 1e-9


@dataclass(frozen=True)
class PairTable:
    """Rows that are compared with each other."""

    scene: Scene
    rows: Rows
    traits: Traits

    @classmethod
    def of(
        cls,
        scene: Scene,
        vectors: NDArray[np.float32],
        factors: NDArray[np.float32],
        rows_each: float = 2.0,
    ) -> PairTable:
        """``vectors`` and ``factors`` have a row for each item of the scene's rows; people have
        about ``rows_each`` rows.
        """
        rows, read = scene.rows, rows_of(scene.rows)
        support = np.maximum(rows.item_support, 1)
        means = np.bincount(rows.items, rows.values, minlength=rows.n_items) / support
        numbers, rarest, places, times = row_traits(read, rows.values, support, means, vectors)
        places -= places.mean(axis=0, dtype=np.float64).astype(np.float32)
        lengths = np.linalg.norm(places, axis=1, keepdims=True)
        places /= np.where(lengths > NEAR_ZERO, lengths, 1)
        borders = _borders(read, rarest, factors, rows_each)
        return cls(scene, read, Traits(numbers, rarest, places, times, factors, *borders))

    def described(self, ones: Codes, others: Codes) -> NDArray[np.float64]:
        """The features of pairs."""
        known = PAIR + (KNOWN_FACTORS if self.traits.factors.shape[1] else 0)
        told = np.zeros((len(ones), known))
        describe_pairs(self.rows, self.traits, ones, others, told)
        return told


@dataclass(frozen=True)
class PairScorer:
    """Two models: ``first`` finds those worth a closer look, ``second`` judges among these."""

    first: Logistic
    second: Logistic
    strict: bool
    apart: bool

    @classmethod
    def trained(cls, table: PairTable, rng: np.random.Generator, task: Task) -> PairScorer | None:
        """Learn from pairs of rows whose people are known; None if they tell nothing."""
        ones = sibling_rows(table.scene, TRAINING_ROWS, rng)
        if len(ones) == 0:
            return None
        own = table.described(*siblings(table.scene, ones))
        others = table.described(*strangers(table.scene, ones, rng))
        truth = np.repeat([True, False], [len(own), len(others)])
        first = Logistic.fit(np.concatenate([own, others]), truth)
        task.advance()
        apart = own.shape[1] > PAIR and not own[:, MISPLACED].any()
        looking = cls(first, first, not own[:, VIOLATES].any(), apart)
        seen, partners = looking.closer_look(table, ones[rng.permutation(len(ones))], task)
        owners = owners_of(table.scene)
        same = owners[seen] == owners[partners]
        if same.all() or not same.any():
            return looking
        return replace(looking, second=Logistic.fit(table.described(seen, partners), same))

    def odds(self, told: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log-odds of any pairs by their features; hopeless where centroids contradict."""
        odds = self.first.odds(told)
        hopeless = (told[:, VIOLATES] > 0) & self.strict
        if self.apart:
            hopeless |= told[:, MISPLACED] > 0
        return np.where(hopeless, -np.inf, odds)

    def closer_look(self, table: PairTable, asked: Codes, task: Task) -> tuple[Codes, Codes]:
        """Pairs of each row and those worth a closer look."""
        found = self._found(table, asked[:LOOKED_AT], task)
        there = found >= 0
        return np.repeat(asked[:LOOKED_AT], there.sum(axis=1)), found[there]

    def partners(
        self, table: PairTable, asked: Codes, task: Task
    ) -> tuple[Codes, NDArray[np.float64]]:
        """For each row those that fit best (-1: none), best first, and how likely they belong."""
        found = self._found(table, asked, task)
        told = table.described(np.repeat(asked, found.shape[1]), np.maximum(found, 0).ravel())
        chance = np.where(found >= 0, chances(self.second.odds(told)).reshape(found.shape), -1.0)
        order = np.argsort(-chance, axis=1, kind="stable")
        return np.take_along_axis(found, order, 1), np.take_along_axis(chance, order, 1)

    def _found(self, table: PairTable, asked: Codes, task: Task) -> Codes:
        slopes = self.first.weights[1:] / self.first.spread
        found = np.full((len(asked), PARTNERS), -1, dtype=np.int64)
        odds = np.full(found.shape, -np.inf)
        given = (table.rows, table.traits, slopes, self.strict, self.apart, asked)
        starts = range(0, len(asked), ROWS_PER_BLOCK)
        blocks = [(start, min(start + ROWS_PER_BLOCK, len(asked))) for start in starts]
        in_threads(lambda a, b: best_partners(*given, a, b, found, odds), blocks, task)
        return found


def _borders(
    rows: Rows, rarest: NDArray[np.int32], factors: NDArray[np.float32], rows_each: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How far items lie from a sample of what is rated, and what a row around each would hold.

    An item stands in the row around another if none of the person's other rare items lies nearer:
    as many as people have, and each like any row's rarest.
    """
    sample = rows.items[:: max(len(rows.items) // SAMPLE, 1)] if factors.shape[1] else rarest[:0]
    gaps = np.empty((len(factors), len(sample)), dtype=np.float32)
    gaps_to(factors, sample, gaps)
    founding = np.bincount(rarest[rarest >= 0], minlength=len(factors))
    holds = np.empty_like(gaps)
    for at in range(len(sample)):
        order = np.argsort(gaps[:, at], kind="stable")
        nearer = np.cumsum(founding[order]) - founding[order]
        holds[order, at] = (1 - nearer / max(founding.sum(), 1)) ** max(rows_each - 1, 0)
    holds /= np.maximum(holds.sum(axis=1, keepdims=True), NEAR_ZERO)
    return gaps, holds


def co_rating_vectors(
    shadow: Scene, scenes: tuple[Scene, ...], seed: int, progress: Progress
) -> list[NDArray[np.float32]]:
    """Where items lie by who rates them together, in the shadow people's whole rows.

    One table for each of ``scenes``, in the codes of its rows; the direction in which all items
    lie is left out, and items that nobody of the shadow rated lie nowhere.
    """
    original = shadow.original
    many = max(scene.rows.n_users for scene in scenes) > MANY_ROWS
    dimensions = FEWER_DIMENSIONS if many else DIMENSIONS
    vectors = presence_factors(original, dimensions + 1, seed, progress)
    vectors = np.delete(vectors, np.square(vectors).sum(axis=0).argmax(), axis=1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > NEAR_ZERO, lengths, 1)
    return [_in_codes_of(vectors, match_items(original, scene.rows), scene) for scene in scenes]


def _in_codes_of(vectors: NDArray[np.float32], code: Codes, scene: Scene) -> NDArray[np.float32]:
    placed = np.zeros((scene.rows.n_items, vectors.shape[1]), dtype=np.float32)
    placed[code[code >= 0]] = vectors[code >= 0]
    return placed


def sibling_rows(
    scene: Scene, most: int, rng: np.random.Generator, among: NDArray[np.bool_] | None = None
) -> Codes:
    """Rows of people (of ``among``) who have several, drawn at random."""
    counts = np.diff(scene.linkage.offsets)
    people = (counts > 1) if among is None else (counts > 1) & among
    rows = scene.linkage.rows[np.repeat(people, counts)]
    return np.sort(rng.permutation(rows)[:most])


def owners_of(scene: Scene) -> Codes:
    """Whose each row is; -1 for rows of nobody."""
    owners = np.full(scene.rows.n_users, -1, dtype=np.int64)
    linkage = scene.linkage
    owners[linkage.rows] = np.repeat(np.arange(len(linkage.offsets) - 1), np.diff(linkage.offsets))
    return owners


def siblings(scene: Scene, ones: Codes) -> tuple[Codes, Codes]:
    """All pairs of a row of ``ones`` and another row of the same person."""
    owners, linkage = owners_of(scene)[ones], scene.linkage
    starts, counts = linkage.offsets[owners], np.diff(linkage.offsets)[owners]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first, second = np.repeat(ones, counts), linkage.rows[np.repeat(starts, counts) + within]
    return first[first != second], second[first != second]


def strangers(scene: Scene, ones: Codes, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Pairs of each row of ``ones`` with ``OTHERS`` rows of other people."""
    owners = owners_of(scene)
    first = np.repeat(ones, OTHERS)
    second = rng.integers(0, scene.rows.n_users, len(first))
    apart = owners[first] != owners[second]
    return first[apart], second[apart]
