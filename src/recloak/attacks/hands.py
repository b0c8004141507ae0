"""Hands of the adversary who takes many rows: one way to compare, and what was learnt in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.comparing import Way, asked
from recloak.attacks.crowd import Tries
from recloak.attacks.gains import Outcome, joined
from recloak.attacks.multi_figures import outcome_of_many
from recloak.attacks.row_scorer import Ground, Look, RowScorer
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.attacks.scoring import Table, bare, in_blocks, outcome_of
from recloak.kernels.taking_rows import take_apart, take_outstanding
from recloak.progress import Task
from recloak.scene import Scene

MOST_ROWS = 64
LIKELY = 0.5


class Variants(NamedTuple):
    """The same tries by different adversaries; ``learned`` holds none if nothing was learnt."""

    learned: Outcome
    repeated: Outcome
    single: Outcome
    before: Outcome

    @classmethod
    def joined(cls, parts: Iterable[Variants]) -> Variants:
        """The tries of all parts, one after the other."""
        return cls(*(joined(one) for one in zip(*parts, strict=True)))


@dataclass(frozen=True)
class Hand:
    """The release and the original as tables, compared in one way, and what was learnt if any."""

    release: Table
    original: Table
    way: Way
    phi: float
    scorer: RowScorer | None
    ground: Ground | None

    @classmethod
    def of(cls, scene: Scene, way: Way, phi: float, scorer: RowScorer | None) -> Hand:
        release, original = (Table.of(one, [way], 0) for one in (scene, bare(scene)))
        ground = None
        if scorer:
            ground = Ground.of(release, way, scorer.pairs.in_rows(scene), scorer.wrong)
        return cls(release, original, way, phi, scorer, ground)

    def variants(self, tries: Tries, task: Task) -> Variants:
        """What tries come to."""
        learned = np.empty((0, MOST_ROWS), np.int64)
        if self.scorer and self.ground:
            look = Look.at(self.ground, tries, task)
            learned = _likely(self.release, look, tries, self.scorer, task)
        return Variants(
            outcome_of_many(self.release, tries, learned),
            outcome_of_many(self.release, tries, self._outstanding(tries, task)),
            self._single(self.release, tries, task),
            self._single(self.original, tries, task),
        )

    def _outstanding(self, tries: Tries, task: Task) -> NDArray[np.int64]:
        table = self.release
        taken = np.full((len(tries), MOST_ROWS), -1, np.int64)
        known = asked(table.scene, tries, self.way, 0)
        given = (table.postings, table.rows, known, table.scene.rows.n_items, self.phi)
        in_blocks(lambda start, end: take_outstanding(*given, start, end, taken), tries, task)
        return taken

    def _single(self, table: Table, tries: Tries, task: Task) -> Outcome:
        known = asked(table.scene, tries, self.way, 0)
        guess = ScoreboardRH(phi=self.phi).guesses(table, known, tries, ("one",), task)["one"]
        return outcome_of(table.scene, tries, guess)


def _likely(
    table: Table, look: Look, tries: Tries, scorer: RowScorer, task: Task
) -> NDArray[np.int64]:
    """The candidates that are likelier than not and share no item."""
    chances = scorer.chances(look, tries, task)
    order = np.argsort(-chances, axis=1, kind="stable")
    picked = np.take_along_axis(look.picked, order, 1)
    chances = np.take_along_axis(chances, order, 1)
    taken = np.full(picked.shape, -1, np.int64)
    given = (table.postings, table.rows, table.scene.rows.n_items)

    def take(start: int, end: int) -> None:
        take_apart(*given, start, end, picked, chances, LIKELY, taken)

    in_blocks(take, tries, task)
    return taken


def strongest(found: Sequence[Variants]) -> Variants:
    """Of each adversary the way that serves him best; what was not learnt in a way is out."""
    return Variants(*(max(one, key=worth) for one in zip(*found, strict=True)))


def worth(outcome: Outcome) -> float:
    """True further items, less those taken that are false: rows of strangers hold true ones, too,
    and whoever takes many rows gets many of both.
    """
    if len(outcome.success) == 0:
        return -np.inf
    return float(outcome.gain.mean() - outcome.false_items.mean())
