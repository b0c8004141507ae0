"""Attack `scoreboard`: name the rows that match everything that is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.attacks.crowd import Tries
from recloak.attacks.scoring import Guess, Scoring, Table, in_blocks
from recloak.attacks.variants import Rule
from recloak.kernels.postings import Asked
from recloak.kernels.scoreboard import fitting_candidates
from recloak.progress import Task


class Scoreboard(Scoring):
    """Scores a row by its worst match, so that only rows that match everything are candidates.

    Among these the adversary guesses: the right one of three is a third of a success. No candidate
    is inconclusive; candidates none of which is the person's are wrong.
    The same tries are made on the original, to tell how much the release takes from the adversary.
    """

    name: ClassVar[str] = "scoreboard"
    summary: ClassVar[str] = "Guesses among the rows that match everything that is known."
    reference: ClassVar[str] = (
        "Narayanan, Shmatikov: Robust De-anonymization of Large Sparse Datasets. IEEE S&P 2008."
    )

    def guesses(
        self, table: Table, asked: Asked, tries: Tries, rules: tuple[Rule, ...], task: Task
    ) -> dict[Rule, Guess]:
        found = np.empty((5, len(tries)), np.int64)
        own_rows = (table.scene.linkage.offsets, table.scene.linkage.rows)

        def look(start: int, end: int) -> None:
            fitting_candidates(
                table.postings, table.rows, asked, *own_rows, tries.users, start, end, found
            )

        in_blocks(look, tries, task)
        size, own, alike, example, other = found
        fitting = np.maximum(size, 1)
        telling = {"one": alike / fitting, "tie": own / fitting}
        return {rule: Guess(own / fitting, telling[rule], example, other) for rule in rules}
