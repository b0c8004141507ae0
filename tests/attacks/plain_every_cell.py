"""What cells with noise on each of them tell, as its definition says it, slowly."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from recloak.attacks._low_rank import low_rank
from recloak.core.arrays import Floats
from recloak.evaluation.context import AuditContext
from tests.attacks.bayes_linkage.plain import noise_mass


@dataclass
class EveryCell:
    """For each person and item the chance of a rating behind the cell, and how it comes about."""

    context: AuditContext
    sigma: float
    table: Floats
    rated: Floats = field(init=False)
    by_itself: Floats = field(init=False)

    def __post_init__(self) -> None:
        people, items = self.table.shape
        likelier, share = np.empty((people, items)), np.empty(items)
        for item in range(items):
            original_item = int(np.flatnonzero(self.context.item_in_release == item)[0])
            original = self.context.original
            share[item] = original.item_support[original_item] / original.n_users
            for row in range(people):
                given = sum(self.masses(row, item).values())
                likelier[row, item] = given / self.mass(row, item, 3.0)
        self.by_itself = share * likelier / (share * likelier + 1 - share)
        before = np.tile(share, (people, 1))
        spread = np.sqrt(share * (1 - share))
        for _ in range(2):
            after = before * likelier / (before * likelier + 1 - before)
            fitted = low_rank(((after - share) / spread).astype(np.float32))
            before = np.clip(share + spread * fitted, 0.03 * share, 0.99)
        self.rated = before * likelier / (before * likelier + 1 - before)

    def mass(self, row: int, item: int, true: float) -> float:
        deviation = float(np.std(self.table[:, item])) * self.sigma / np.sqrt(1 + self.sigma**2)
        return noise_mass(float(self.table[row, item]), true, deviation, 1.0, 5.0)

    def masses(self, row: int, item: int) -> dict[float, float]:
        """The chance of what is published and of each rating, if there is one."""
        values = self.context.original.values
        return {
            true: float((values == true).mean()) * self.mass(row, item, true)
            for true in (1.0, 2.0, 3.0, 4.0, 5.0)
        }

    def given_if_rated(self, item: int, value: float) -> Floats:
        """For each person the chance that a rating of the item is this one."""
        every = [self.masses(row, item) for row in range(len(self.table))]
        return np.array([masses[value] / sum(masses.values()) for masses in every])


def every_cell(context: AuditContext, sigma: float) -> EveryCell:
    """What cells tell where each of them is published, with noise of ``sigma`` deviations."""
    rows = context.rows
    return EveryCell(context, sigma, rows.values.reshape(rows.n_users, -1).astype(np.float64))
