"""Stated items: about which items something is stated of a person; of very many, some for all.

Of a person the adversary could state of every item that it was rated. Where items are very many,
nearly all of these statements are alike: no fitting row lists the item, and hardly anybody rated
it. Of those that are false some are drawn, and each counts for as many as it stands for, when the
adversary learns as well as when statements are counted. All others are made one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.core.arrays import Codes, Indices, Values

FAMOUS = 500
DRAWN = 500


@dataclass(frozen=True, eq=False)
class StatedItems:
    """For each person the items of statements, and as how many statements each counts.

    ``famous`` are items that so many people rated that they are never drawn from; without a
    generator ``rng`` all items are stated.
    """

    asked: AskedGroup
    famous: Indices
    rng: np.random.Generator | None

    @classmethod
    def of(cls, asked: AskedGroup, rng: np.random.Generator | None) -> StatedItems:
        famous = np.argsort(-asked.attacked.rated, kind="stable")[:FAMOUS]
        return cls(asked, famous, rng)

    def about(self, person: int, rated: Codes, known: Codes) -> tuple[Indices, Values]:
        """Those of somebody who ``rated`` these items, some of which are ``known``; ascending."""
        n_items = len(self.asked.attacked.rated)
        if self.rng is None:
            stated = np.setdiff1d(np.arange(n_items), known, assume_unique=True)
            return stated, np.ones(len(stated), np.float32)
        surely = np.unique(np.concatenate([self._listed(person), self.famous, rated]))
        drawn = np.setdiff1d(self.rng.integers(0, n_items, DRAWN), surely)
        stands_for = (n_items - len(surely)) / max(len(drawn), 1)
        one_by_one = np.setdiff1d(surely, known, assume_unique=True)
        items = np.concatenate([one_by_one, drawn])
        times = np.repeat(np.array([1, stands_for], np.float32), [len(one_by_one), len(drawn)])
        order = np.argsort(items)
        return items[order], times[order]

    def _listed(self, person: int) -> Indices:
        """What the best rows of a person list."""
        rows, best = self.asked.attacked.rows, self.asked.posteriors.rows[person]
        parts = [rows.items[rows.offsets[row] : rows.offsets[row + 1]] for row in best[best >= 0]]
        return np.concatenate([np.empty(0, np.int64), *parts])
