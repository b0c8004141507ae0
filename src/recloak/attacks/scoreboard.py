"""Attack `scoreboard`: name the rows that match everything that is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.attacks._attacked_table import AttackedTable, Identification, in_blocks
from recloak.attacks._postings import KnownRatings
from recloak.attacks._scan_kernels import Scan
from recloak.attacks._scanned_table import ScannedTable
from recloak.attacks._scoreboard_kernels import containing_candidates
from recloak.attacks._scoring import ScoreboardAttack
from recloak.attacks._strategies import IdenticalRows
from recloak.attacks._trials import Trials
from recloak.core.progress import Task


class Scoreboard(ScoreboardAttack):
    """Scores a row by its worst match, so that only rows that match everything are candidates.

    Among these the adversary guesses: the right one of three is a third of a success. No candidate
    is inconclusive; candidates none of which is the person's are wrong.
    The same tries are made on the original, to show how much less the adversary gets from the
    release.
    """

    name: ClassVar[str] = "scoreboard"
    summary: ClassVar[str] = "Guesses among the rows that match everything that is known."
    reference: ClassVar[str] = (
        "Narayanan, Shmatikov: Robust De-anonymization of Large Sparse Datasets. IEEE S&P 2008."
    )

    audited_with: ClassVar[tuple[str, ...]] = ("known=4",)
    compared_with: ClassVar[tuple[str, ...]] = ()

    def identify(
        self,
        table: AttackedTable,
        knowledge: KnownRatings,
        trials: Trials,
        treatments: tuple[IdenticalRows, ...],
        task: Task,
    ) -> dict[IdenticalRows, Identification]:
        found = np.empty((5, len(trials)), np.int64)
        own_rows = (table.context.linkage.offsets, table.context.linkage.rows)

        def shortlist(start: int, end: int) -> None:
            containing_candidates(
                table.postings, table.rows, knowledge, *own_rows, trials.users, start, end, found
            )

        in_blocks(shortlist, trials, task)
        size, own, alike, example, other = found
        fitting = np.maximum(size, 1)
        telling = {"one": alike / fitting, "tie": own / fitting}
        return {
            identical_rows: Identification(own / fitting, telling[identical_rows], example, other)
            for identical_rows in treatments
        }

    def identify_among_all(
        self,
        table: ScannedTable,
        trials: Trials,
        scan: Scan,
        treatments: tuple[IdenticalRows, ...],
    ) -> dict[IdenticalRows, Identification]:
        fitting = np.maximum(scan.fitting, 1)
        telling = {"one": scan.alike / fitting, "tie": scan.own / fitting}
        own = scan.own / fitting
        return {
            identical_rows: Identification(own, telling[identical_rows], scan.example, scan.other)
            for identical_rows in treatments
        }
