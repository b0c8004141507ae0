"""A scorer of rows that an adversary trains on a release of his own, made of people he knows."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.comparing import Way, asked
from recloak.attacks.crowd import Tries
from recloak.attacks.gains import Units
from recloak.attacks.logistic import Logistic, chances
from recloak.attacks.scoring import Table, in_blocks
from recloak.attacks.togetherness import Pairs, Togetherness
from recloak.kernels.many_rows import (
    EVIDENCE,
    Habits,
    Taste,
    describe_rows,
    evidence,
)
from recloak.kernels.rivalry import RIVALRY, rivalry
from recloak.kernels.scoreboard import owned
from recloak.kernels.taking_rows import found_as_known
from recloak.progress import Task
from recloak.scene import Scene

CLOSER_LOOK = 64
SELDOM = exp(-8)  # a release contradicts what is right, too: about so much, by trial
_SQUARED = ((0, 0), (1, 1), (0, 3), (3, 3), (0, 1), (6, 6))  # of the features of `evidence`


@dataclass(frozen=True)
class Ground:
    """A table under attack, how it is compared, and what it tells before anyone is sought."""

    table: Table
    way: Way
    taste: Taste

    @classmethod
    def of(cls, table: Table, way: Way, together: Togetherness, wrong: float) -> Ground:
        """Describe all rows of a table to one who knows a share of ratings ``wrong``."""
        rows, postings = table.scene.rows, table.postings
        support = np.maximum(rows.item_support, 1)
        means = np.bincount(rows.items, rows.values, minlength=rows.n_items) / support
        sizes, count = np.maximum(rows.user_counts[postings.first], 1), len(postings.first)
        empty = (np.zeros(count), np.zeros(count), np.zeros(count, np.int32))
        habits = Habits(np.log(sizes), np.log(postings.sizes), *empty)
        describe_rows(postings.first, table.rows, rows.values, support, means, habits)
        price = -log(max(wrong, SELDOM))
        return cls(table, way, Taste(means, habits, together.place, together.chances, price))


@dataclass(frozen=True)
class Look:
    """For each try the rows worth a closer look (candidates, -1: none) and what speaks for them."""

    picked: NDArray[np.int64]
    masks: NDArray[np.uint64]
    features: NDArray[np.float64]

    @classmethod
    def at(cls, ground: Ground, tries: Tries, task: Task) -> Look:
        """Look at a table with what is known in each try."""
        table, scene = ground.table, ground.table.scene
        most = int(np.diff(tries.offsets).max(initial=1))
        shape = (len(tries), CLOSER_LOOK)
        picked = np.full(shape, -1, np.int64)
        masks = np.zeros((*shape, (most + 63) // 64), np.uint64)
        features = np.zeros((*shape, EVIDENCE))
        known = asked(scene, tries, ground.way, 0)
        values = Units.between(scene.original.scale, scene.rows.scale).converted(tries.values)
        given = (table.postings, table.rows, known, values, ground.taste)

        def look(start: int, end: int) -> None:
            evidence(*given, start, end, picked, masks, features)

        in_blocks(look, tries, task)
        products = [features[..., one] * features[..., two] for one, two in _SQUARED]
        return cls(picked, masks, np.concatenate([features, np.stack(products, -1)], -1))

    def own(self, table: Table, tries: Tries) -> NDArray[np.bool_]:
        """Which of the rows are the person's."""
        linkage, postings = table.scene.linkage, table.postings
        columns = [
            owned(
                np.ascontiguousarray(column),
                postings.candidate_of,
                linkage.offsets,
                linkage.rows,
                tries.users,
            )
            for column in self.picked.T
        ]
        return np.column_stack(columns) > 0

    def beside_rivals(self, first: Logistic, tries: Tries, task: Task) -> NDArray[np.float64]:
        """All features, the odds by ``first``, and how these compare with those of rivals."""
        odds = first.odds(self.features)
        rivals = np.zeros((*self.picked.shape, RIVALRY))

        def compare(start: int, end: int) -> None:
            rivalry(start, end, self.picked, self.masks, odds, rivals)

        in_blocks(compare, tries, task)
        ahead = odds[..., None] - rivals[..., :2]
        behind = np.minimum(ahead[..., 1:], 0)
        return np.concatenate([self.features, rivals, odds[..., None], ahead, behind], -1)


@dataclass(frozen=True)
class RowScorer:
    """Two models: the first judges a row by itself, the second beside those that rival it.

    ``wrong`` is the share of what is known that is wrong, ``contradicted``, of what people's own
    rows held in training, the share that differed from what was known.
    """

    first: Logistic
    second: Logistic
    pairs: Pairs
    wrong: float
    contradicted: float

    def chances(self, look: Look, tries: Tries, task: Task) -> NDArray[np.float64]:
        """How likely each row of a look is the person's; 0 where there is none."""
        odds = self.second.odds(look.beside_rivals(self.first, tries, task))
        return np.where(look.picked >= 0, chances(odds), 0.0)


@dataclass(frozen=True)
class Lesson:
    """A release whose answers are known, tries in it with a share of what is known ``wrong``, and
    pairs counted among other people.
    """

    scene: Scene
    tries: Tries
    wrong: float
    pairs: Pairs

    def learnt(self, way: Way, task: Task) -> RowScorer | None:
        """Train on what one way to compare shows; None if that tells nothing."""
        table, tries = Table.of(self.scene, [way], 0), self.tries
        ground = Ground.of(table, way, self.pairs.in_rows(self.scene), self.wrong)
        look = Look.at(ground, tries, task)
        there, own = look.picked >= 0, look.own(table, tries)
        truth = own[there]
        if truth.all() or not truth.any():
            return None
        first = Logistic.fit(look.features[there], truth)
        task.advance()
        second = Logistic.fit(look.beside_rivals(first, tries, task)[there], truth)
        return RowScorer(first, second, self.pairs, self.wrong, self._contradicted(table, way))

    def _contradicted(self, table: Table, way: Way) -> float:
        linkage, known = self.scene.linkage, asked(self.scene, self.tries, way, 0)
        links = (linkage.offsets, linkage.rows, self.tries.users)
        held, matching = found_as_known(table.rows, known, *links)
        return 1 - matching / max(held, 1)
