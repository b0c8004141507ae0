"""Attack `scoreboard-rh`: name the row whose score stands out from all others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._attacked_table import AttackedTable, Identification, in_blocks
from recloak.attacks._postings import KnownRatings
from recloak.attacks._scan_kernels import NO_ROW, Scan
from recloak.attacks._scanned_table import ScannedTable
from recloak.attacks._scoreboard_kernels import best_candidates, owned
from recloak.attacks._scoring import ScoreboardAttack, ScoreboardParameters
from recloak.attacks._strategies import IdenticalRows
from recloak.attacks._trials import Trials
from recloak.core.arrays import Floats, Integers, Mask
from recloak.core.parameters import Parameters
from recloak.core.progress import Task
from recloak.evaluation.context import AuditContext

CLOSE = 1e-9
KNOWN = (5, 10, 20)
WRONG_SHARE = 0.2  # of what is known, in a comparison
DAYS_KNOWN = 31  # an adversary who knows roughly when somebody rated uses times that are published


class ScoreboardRHParameters(ScoreboardParameters):
    """What the adversary knows, how they compare, and when a score stands out."""

    phi: float = Field(default=1.5, ge=0, le=1e6)
    """By how many standard deviations the best score must exceed the second best."""


class ScoreboardRH(ScoreboardAttack):
    """Scores rows by the known ratings that they match, with more weight for rare items. A match
    counts 1/ln(s + 1) for an item that s rows have. The best row is named if its score exceeds
    the second best by more than φ standard deviations of the scores of all rows, including those
    that match nothing; otherwise no row is named. Any row of the person is a success. The same
    tries are made on the original, to show how much less the adversary gets from the release.
    """

    name: ClassVar[str] = "scoreboard-rh"
    summary: ClassVar[str] = "Names the row that matches best, if it stands out from the others."
    reference: ClassVar[str] = (
        "Narayanan, Shmatikov: Robust De-anonymization of Large Sparse Datasets. IEEE S&P 2008."
    )
    audited_with: ClassVar[tuple[str, ...]] = (
        *(f"known={known}" for known in KNOWN),
        f"known=5,days={DAYS_KNOWN}",
    )
    compared_with: ClassVar[tuple[str, ...]] = (
        *(f"known={known}" for known in KNOWN),
        *(f"known={known},wrong={WRONG_SHARE}" for known in KNOWN),
    )
    Parameters: ClassVar[type[Parameters]] = ScoreboardRHParameters
    parameters: ScoreboardRHParameters

    def applies(self, context: AuditContext) -> bool:
        return self.parameters.days == 0 or context.rows.times is not None

    def identify(
        self,
        table: AttackedTable,
        knowledge: KnownRatings,
        trials: Trials,
        treatments: tuple[IdenticalRows, ...],
        task: Task,
    ) -> dict[IdenticalRows, Identification]:
        best, scores = np.empty(len(trials), np.int64), np.empty((len(trials), 3))

        def score(start: int, end: int) -> None:
            best_candidates(table.postings, table.rows, knowledge, start, end, best, scores)

        in_blocks(score, trials, task)
        return {
            identical_rows: self._named(table, trials, best, scores, identical_rows)
            for identical_rows in treatments
        }

    def identify_among_all(
        self,
        table: ScannedTable,
        trials: Trials,
        scan: Scan,
        treatments: tuple[IdenticalRows, ...],
    ) -> dict[IdenticalRows, Identification]:
        scores = np.stack([scan.first, scan.second, table.deviations(scan)], axis=1)
        own, found = table.own_alike(trials, scan), {}
        for identical_rows in treatments:
            alone = scan.size if identical_rows == "one" else np.ones_like(scan.size)
            named = self._stands_out(scores, scan.size, table.n_rows - alone, identical_rows)
            row = np.where(named & (scan.size > 0), scan.leader_id, NO_ROW)
            found[identical_rows] = _identification(
                np.where(row != NO_ROW, own, 0), np.maximum(scan.size, 1), row, NO_ROW
            )
        return found

    def _named(
        self,
        table: AttackedTable,
        trials: Trials,
        best: Integers,
        scores: Floats,
        identical_rows: IdenticalRows,
    ) -> Identification:
        postings, linkage = table.postings, table.context.linkage
        sizes = postings.sizes[best]
        rivals = len(postings.sizes if identical_rows == "one" else postings.candidate_of) - 1
        stands_out = self._stands_out(scores, sizes, np.full(len(best), rivals), identical_rows)
        named = (best >= 0) & stands_out
        chosen = np.where(named, best, -1)
        own = owned(chosen, postings.candidate_of, linkage.offsets, linkage.rows, trials.users)
        return _identification(own, sizes, np.where(named, postings.first[best], -1), -1)

    def _stands_out(
        self, scores: Floats, sizes: Integers, rivals: Integers, identical_rows: IdenticalRows
    ) -> Mask:
        """Is the best score far enough above the second best? Without rivals it always is."""
        first, second, deviation = scores.T
        gap = first - (second if identical_rows == "one" else np.where(sizes > 1, first, second))
        stands_out = (gap > self.parameters.phi * deviation) & (gap > CLOSE * first)
        return np.asarray(stands_out | (rivals == 0))


def _identification(own: Integers, sizes: Integers, row: Integers, nobody: int) -> Identification:
    """What follows from the row that each try names; ``nobody`` stands for none."""
    found = own > 0
    return Identification(
        own=own / sizes,
        alike=found.astype(np.float64),
        example=np.where(found, row, nobody),
        other=np.where(found, nobody, row),
    )
