"""Guarantee `k-anonymity`: every row occurs at least k times."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.findings import Verdict
from recloak.guarantees.base import Guarantee
from recloak.identical import identical_groups
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings

WITNESS_ITEMS = 10


class KAnonymityParameters(Parameters):
    """How many rows must be alike, and in what."""

    k: int = Field(default=2, ge=2)
    """Each row must be identical to at least k − 1 others."""

    values: bool = True
    """Must the ratings be the same too (yes), or only the items that were rated (no)?"""


class KAnonymity(Guarantee):
    """Each row of the release occurs at least k times.

    Whoever knows everything about a person still faces k rows. It counts rows, not people: where
    one person may have several rows it says less. It says nothing about what the k have in common.
    """

    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "Every row is identical to at least k − 1 others."
    reference: ClassVar[str] = "Sweeney: k-Anonymity: A Model for Protecting Privacy. IJUFKS 2002."
    Parameters: ClassVar[type[Parameters]] = KAnonymityParameters
    parameters: KAnonymityParameters

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        k = self.parameters.k
        with progress.task("Looking for rows that stand alone") as task:
            group, sizes = identical_groups(rows, values=self.parameters.values)
            task.advance()
        alike = "items and ratings" if self.parameters.values else "items"
        if rows.n_users == 0:
            return Verdict(self.spec, "holds", "There are no rows.")
        smallest = int(sizes.min())
        how = f"All {rows.n_users:,} rows were compared by their {alike}: {len(sizes):,} groups."
        if smallest >= k:
            return Verdict(self.spec, "holds", f"{how} The smallest has {smallest:,} rows.")
        short = int(sizes[sizes < k].sum())
        witness = _witness(rows, int(np.flatnonzero(sizes[group] == smallest)[0]), smallest)
        return Verdict(self.spec, "broken", f"{how} {short:,} rows have fewer than {k}.", witness)


def _witness(rows: Ratings, row: int, size: int) -> dict[str, Any]:
    items, values = rows.row(row)
    shown = items[:WITNESS_ITEMS]
    return {
        "row": str(rows.user_labels[row]),
        "rows like it": size,
        "ratings": len(items),
        "first items": [str(rows.item_labels[item]) for item in shown],
        "their values": [round(float(value), 6) for value in values[:WITNESS_ITEMS]],
    }
