"""Cell levels: which rating a cell of somebody's own row stands for.

What a cell shows tells of the rating behind it. So does what the item usually gets, and so does
what the person of the row usually gives. How far these two count beside the cell is learnt from
people whom the adversary knows: noise leaves them all to say, while the profile of a group has
them in it already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices, Offsets
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import put
from recloak.core.ordering import frozen
from recloak.core.ratings import Ratings

PRIOR_OF_A_ROW = 10.0  # ratings: how many what people give in general counts for beside their own
PRIOR_OF_AN_ITEM = 5.0
ROUNDS = 10
MOST_TAUGHT = 20_000
NEWTON_STEPS = 8
MOST_WEIGHT = 2.0
SURELY = 0.99  # what cells tell of levels, if values are as they were
LEAST_GAIN = 0.01  # of the logarithm of a level's chance, on average
RIDGE = 1e-3
LEAST = 1e-9


class TaughtCells(NamedTuple):
    """Cells of known people's own rows that they rated, and the levels of these ratings."""

    rows: Indices
    items: Codes
    states: Codes
    levels: Codes

    def some(self) -> TaughtCells:
        """All of them, or every n-th if they are many."""
        some = slice(None, None, 1 + len(self.rows) // MOST_TAUGHT)
        return TaughtCells(self.rows[some], self.items[some], self.states[some], self.levels[some])


class CellLevels(NamedTuple):
    """What a cell's state tells of its level, and what its row and its item tell beside that.

    A cell in state ``s`` of row ``i`` and item ``j`` stands for level ``v`` in proportion to
    ``given_state[s, v] * of_row[i, v] * of_item[j, v]``.
    """

    given_state: Floats
    of_row: Floats
    of_item: Floats

    @classmethod
    def learnt(
        cls, rows: Ratings, states: Codes, by_level: Floats, levels: Floats, taught: TaughtCells
    ) -> CellLevels:
        """``by_level[v, s]`` is how often level ``v`` shows state ``s``, ``levels`` how often it is
        given at all.
        """
        joint = by_level * levels[:, None]
        given_state = np.ascontiguousarray((joint / joint.sum(axis=0)).T)
        if given_state.max(axis=1).min() > SURELY:
            sizes = (rows.n_users, len(levels)), (rows.n_items, len(levels))
            return cls(given_state, *(np.ones(size) for size in sizes))
        masses = np.ascontiguousarray(by_level.T)
        of_row = shares_by_row(rows.offsets, states, masses, levels, PRIOR_OF_A_ROW, ROUNDS)
        by_item = states[np.argsort(rows.items, kind="stable")]
        columns = rows.by_item.offsets
        of_item = shares_by_row(columns, by_item, masses, levels, PRIOR_OF_AN_ITEM, ROUNDS)
        of_row, of_item = of_row / levels, of_item / levels
        weights = learnt_weights(cls(given_state, of_row, of_item), taught.some())
        return cls(given_state, of_row ** weights[0], of_item ** weights[1])


def learnt_weights(cells: CellLevels, taught: TaughtCells) -> Floats:
    """The exponents of what rows and items tell that make known people's levels likeliest.

    They are 0 where that makes levels hardly likelier than what cells tell alone.
    """
    weights = np.zeros(2)
    if len(taught.rows) == 0:
        return weights
    offset = np.log(cells.given_state[taught.states] + LEAST)
    tell = np.log(np.stack([cells.of_row[taught.rows], cells.of_item[taught.items]]) + LEAST)
    every = np.arange(len(taught.levels))
    by_cells = _chances(offset)[every, taught.levels]
    for _ in range(NEWTON_STEPS):
        chance = _chances(offset + np.tensordot(weights, tell, 1))
        expected = (tell * chance).sum(axis=2)
        apart = tell - expected[:, :, None]
        spread = np.einsum("anl,bnl,nl->ab", apart, apart, chance) + RIDGE * np.eye(2)
        gap = (tell[:, every, taught.levels] - expected).sum(axis=1)
        weights = np.clip(weights + np.linalg.solve(spread, gap), 0.0, MOST_WEIGHT)
    with_both = _chances(offset + np.tensordot(weights, tell, 1))[every, taught.levels]
    gain = float(np.log(with_both / by_cells).mean())
    return weights if gain > LEAST_GAIN else np.zeros(2)


def _chances(odds: Floats) -> Floats:
    """Of each level, from log-odds."""
    found = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def shares_by_row(
    offsets: Offsets, codes: Codes, masses: Floats, shares: Floats, weight: float, rounds: int
) -> Floats:
    """How often each row's person gives each true value, from the published ones, by EM.

    ``masses[c, v]`` is the chance of the published value with code c if the true one is the v-th;
    people in general give the v-th with ``shares[v]``, which counts as so many ratings as
    ``weight`` says.
    """
    return _shares_by_row(frozen(offsets), codes, masses, shares, weight, rounds)


@kernel
def _shares_by_row(
    offsets: Offsets, codes: Codes, masses: Floats, shares: Floats, weight: float, rounds: int
) -> Floats:
    levels = len(shares)
    found = np.empty((len(offsets) - 1, levels), np.float64)
    sums = np.empty(levels, np.float64)
    for row in range(len(offsets) - 1):
        start, end = offsets[row], offsets[row + 1]
        put(shares, found[row])
        for _ in range(rounds):
            put(weight * shares, sums)
            for at in range(start, end):
                total = 1e-300
                for level in range(levels):
                    total += found[row, level] * masses[codes[at], level]
                for level in range(levels):
                    sums[level] += found[row, level] * masses[codes[at], level] / total
            put(sums / (weight + end - start), found[row])
    return found
