"""Attack `scoreboard-rh`: name the row whose score stands out from all others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.crowd import Tries
from recloak.attacks.scoring import (
    Guess,
    Scoring,
    ScoringParameters,
    Table,
    in_blocks,
)
from recloak.attacks.variants import Rule
from recloak.kernels.postings import Asked
from recloak.kernels.scoreboard import best_candidates, owned
from recloak.parameters import Parameters
from recloak.progress import Task

CLOSE = 1e-9


class ScoreboardRHParameters(ScoringParameters):
    """What the adversary knows, how he compares, and when a score stands out."""

    phi: float = Field(default=1.5, ge=0, le=1e6)
    """By how many deviations the best score must exceed the second best."""


class ScoreboardRH(Scoring):
    """Scores rows by the known ratings that they match, rare items weighing more.

    A match counts 1/ln(s + 1) for an item that s rows have. The best row is named if its score
    exceeds the second best by more than φ standard deviations of the scores of all rows, those
    that match nothing included; otherwise nobody is. Any row of the person is a success.
    The same tries are made on the original, to tell how much the release takes from the adversary.
    """

    name: ClassVar[str] = "scoreboard-rh"
    summary: ClassVar[str] = "Names the row that matches best, if it stands out from the others."
    reference: ClassVar[str] = (
        "Narayanan, Shmatikov: Robust De-anonymization of Large Sparse Datasets. IEEE S&P 2008."
    )
    Parameters: ClassVar[type[Parameters]] = ScoreboardRHParameters
    parameters: ScoreboardRHParameters

    def guesses(
        self, table: Table, asked: Asked, tries: Tries, rules: tuple[Rule, ...], task: Task
    ) -> dict[Rule, Guess]:
        best, scores = np.empty(len(tries), np.int64), np.empty((len(tries), 3))

        def score(start: int, end: int) -> None:
            best_candidates(table.postings, table.rows, asked, start, end, best, scores)

        in_blocks(score, tries, task)
        return {rule: self._named(table, tries, best, scores, rule) for rule in rules}

    def _named(
        self,
        table: Table,
        tries: Tries,
        best: NDArray[np.int64],
        scores: NDArray[np.float64],
        rule: Rule,
    ) -> Guess:
        postings, linkage = table.postings, table.scene.linkage
        sizes = postings.sizes[best]
        first, second, deviation = scores.T
        rivals = len(postings.sizes if rule == "one" else postings.candidate_of) - 1
        gap = first - (second if rule == "one" else np.where(sizes > 1, first, second))
        stands_out = (gap > self.parameters.phi * deviation) & (gap > CLOSE * first)
        named = (best >= 0) & (stands_out | (rivals == 0))
        chosen = np.where(named, best, -1)
        own = owned(chosen, postings.candidate_of, linkage.offsets, linkage.rows, tries.users)
        row = np.where(named, postings.first[best], -1)
        found = own > 0
        return Guess(
            own=own / sizes,
            alike=found.astype(np.float64),
            example=np.where(found, row, -1),
            other=np.where(found, -1, row),
        )
