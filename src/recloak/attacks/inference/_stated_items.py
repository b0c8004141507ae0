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
from recloak.core.arrays import Bytes, Codes, Floats, Indices, Values

FAMOUS = 500
DRAWN = 500
LIKELY = 0.1  # the least chance of a row to be theirs from which all its items are stated
_MARKED, _NEW = 1, 2


@dataclass(frozen=True, eq=False)
class StatedItems:
    """For each person the items of statements, and as how many statements each counts.

    ``famous`` are items that so many people rated that they are never drawn from; without a
    generator ``rng`` all items are stated.
    """

    asked: AskedGroup
    famous: Indices
    rng: np.random.Generator | None
    marks: Bytes
    """One for each item, all of them 0 between people."""

    @classmethod
    def of(cls, asked: AskedGroup, rng: np.random.Generator | None) -> StatedItems:
        rated = asked.attacked.rated
        famous = np.argsort(-rated, kind="stable")[:FAMOUS]
        return cls(asked, famous, rng, np.zeros(len(rated), np.uint8))

    def about(
        self, person: int, own_chance: Floats, rated: Codes, known: Codes
    ) -> tuple[Indices, Values]:
        """Those of somebody who ``rated`` these items, some of which are ``known``; ascending.

        ``own_chance`` is the chance of each of the best rows to be theirs.
        """
        self.marks[:] = 0
        if self.rng is None:
            self.marks[known] = _MARKED
            stated = np.flatnonzero(self.marks == 0)
            return stated, np.ones(len(stated), np.float32)
        best = self.asked.posteriors.rows[person]
        likely = (best >= 0) & (own_chance >= LIKELY)
        surely = self._new(np.concatenate([self._listed(best[likely]), self.famous, rated]))
        listed = self._new(self._listed(best[(best >= 0) & ~likely]))
        some = listed
        if len(listed) > DRAWN:
            some = self.rng.choice(listed, DRAWN, replace=False)
        drawn = self._new(self.rng.integers(0, len(self.marks), DRAWN))
        elsewhere = len(self.marks) - len(surely) - len(listed)
        self.marks[known] = 0
        parts = [surely[self.marks[surely] == _MARKED], some, drawn]
        stands_for = [1.0, len(listed) / max(len(some), 1), elsewhere / max(len(drawn), 1)]
        items = np.concatenate(parts)
        times = np.repeat(np.array(stands_for, np.float32), [len(part) for part in parts])
        order = np.argsort(items)
        return items[order], times[order]

    def _new(self, items: Indices) -> Indices:
        """Those that are not marked yet, each once and ascending; from now on they are.

        To look through the marks of all items takes a tenth of what sorting these takes.
        """
        self.marks[items[self.marks[items] == 0]] = _NEW
        found = np.flatnonzero(self.marks == _NEW)
        self.marks[found] = _MARKED
        return found

    def _listed(self, best: Indices) -> Indices:
        """What these rows list."""
        rows = self.asked.attacked.rows
        parts = [rows.items[rows.offsets[row] : rows.offsets[row + 1]] for row in best]
        return np.concatenate([np.empty(0, np.int64), *parts])
