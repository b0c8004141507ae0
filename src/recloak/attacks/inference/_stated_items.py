"""Stated items: about which items something is stated of a person; of very many, some for all.

Of a person the adversary could state of every item that it was rated. Where items are very many,
nearly all of these statements are alike: no row that may well be the person's lists the item, and
hardly anybody rated it. Of those that are false some are drawn, apart for items that other fitting
rows list and for items that none does, and each counts for as many as it stands for, when the
adversary learns as well as when statements are counted. All others are made one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._asked_people import AskedGroup
from recloak.core.arrays import Codes, Floats, Indices, Values

FAMOUS = 500
DRAWN = 500
LIKELY = 0.1  # the least chance of a row to be theirs from which all its items are stated


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

    def about(
        self, person: int, own_chance: Floats, rated: Codes, known: Codes
    ) -> tuple[Indices, Values]:
        """Those of somebody who ``rated`` these items, some of which are ``known``; ascending.

        ``own_chance`` is the chance of each of the best rows to be theirs.
        """
        n_items = len(self.asked.attacked.rated)
        if self.rng is None:
            stated = np.setdiff1d(np.arange(n_items), known, assume_unique=True)
            return stated, np.ones(len(stated), np.float32)
        best = self.asked.posteriors.rows[person]
        likely = (best >= 0) & (own_chance >= LIKELY)
        surely = np.unique(np.concatenate([self._listed(best[likely]), self.famous, rated]))
        listed = np.setdiff1d(self._listed(best[(best >= 0) & ~likely]), surely)
        some = listed
        if len(listed) > DRAWN:
            some = self.rng.choice(listed, DRAWN, replace=False)
        drawn = np.setdiff1d(self.rng.integers(0, n_items, DRAWN), np.append(surely, listed))
        elsewhere = n_items - len(surely) - len(listed)
        one_by_one = np.setdiff1d(surely, known, assume_unique=True)
        parts = [one_by_one, some, drawn]
        stands_for = [1.0, len(listed) / max(len(some), 1), elsewhere / max(len(drawn), 1)]
        items = np.concatenate(parts)
        times = np.repeat(np.array(stands_for, np.float32), [len(part) for part in parts])
        order = np.argsort(items)
        return items[order], times[order]

    def _listed(self, best: Indices) -> Indices:
        """What these rows list."""
        rows = self.asked.attacked.rows
        parts = [rows.items[rows.offsets[row] : rows.offsets[row + 1]] for row in best]
        return np.concatenate([np.empty(0, np.int64), *parts])
