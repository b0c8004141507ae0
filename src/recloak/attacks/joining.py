"""Joining rows: Scoreboard-RH names one of a person, and those that likely belong to it follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.comparing import asked, ways_of
from recloak.attacks.crowd import Crowd, Tries
from recloak.attacks.gains import Outcome
from recloak.attacks.multi_figures import outcome_of_many
from recloak.attacks.pair_scorer import PARTNERS
from recloak.attacks.postings import postings_of, rows_of
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.attacks.scoring import Table
from recloak.findings import Figure
from recloak.kernels.taking_rows import take_apart
from recloak.progress import Task
from recloak.scene import Scene
from recloak.statistics import mean_figure, ratio_figure

LIKELY = 0.5

Partners = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.float64]]]
"""For each row those that may be the same person's (-1: none), best first, and how likely."""


@dataclass(frozen=True)
class Named:
    """Tries, and the row that Scoreboard-RH names in each; -1 where none stands out."""

    table: Table
    tries: Tries
    rows: NDArray[np.int64]

    @classmethod
    def by_scoreboard(
        cls,
        scene: Scene,
        known: int,
        targets: NDArray[np.bool_],
        tries: int,
        rng: np.random.Generator,
        task: Task,
    ) -> Named | None:
        """Let it name rows with ``known`` ratings of each of the ``targets``; None if nobody of
        them has so many.
        """
        crowd = Crowd.of(scene, known, among=targets)
        if len(crowd) == 0:
            return None
        drawn = crowd.draw(tries, 0.0, rng)
        way = ways_of(scene, "values")[0]
        table = Table(scene, [way], postings_of(scene.rows, distinct=False), rows_of(scene.rows))
        guess = ScoreboardRH().guesses(table, asked(scene, drawn, way, 0), drawn, ("tie",), task)
        return cls(table, drawn, np.maximum(guess["tie"].example, guess["tie"].other))

    def alone(self) -> Outcome:
        """What the rows that were named tell."""
        return outcome_of_many(self.table, self.tries, self.rows[:, None])

    def outcome(self, partners: Partners) -> Outcome:
        """What they tell together with their partners."""
        taken = np.full((len(self.tries), PARTNERS + 1), -1, dtype=np.int64)
        seen = np.flatnonzero(self.rows >= 0)
        taken[seen] = _join(self.table, *partners(self.rows[seen]), self.rows[seen])
        return outcome_of_many(self.table, self.tries, taken)


def _join(
    table: Table, partners: NDArray[np.int64], likely: NDArray[np.float64], named: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows that were named, with the partners that are likely and share no item."""
    picked = np.column_stack([named, partners])
    sure = np.column_stack([np.ones(len(named)), likely])
    taken = np.full(picked.shape, -1, dtype=np.int64)
    n_items = table.scene.rows.n_items
    take_apart(table.postings, table.rows, n_items, 0, len(named), picked, sure, LIKELY, taken)
    return taken


def joined_figures(joined: Outcome, alone: Outcome) -> tuple[Figure, ...]:
    """The gain from rows that were joined, beside that from one row."""
    with_row = "further items from a row that Scoreboard-RH names"
    meaning = "of the further items in the joined rows, the share that the person rated"
    return (
        *mean_figure("gain_joined", joined.gain, "count", f"{with_row}, and rows joined to it"),
        *mean_figure("gain_single", alone.gain, "count", f"{with_row}, alone"),
        ratio_figure("precision_joined", joined.gain, joined.gain + joined.false_items, meaning),
    )
