"""Kernels that draw by weight: alias tables, races, slots of one's own."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import kernel


@kernel
def alias_table(weight: Values, acceptance: Values, alias: Codes) -> None:
    """Fill Walker's alias table of one distribution, so that a draw costs the same for any."""
    count = len(weight)
    level = weight.astype(np.float64)
    level *= count / level.sum()
    low, high = np.empty(count, np.int32), np.empty(count, np.int32)
    n_low, n_high = 0, 0
    for item in range(count):
        acceptance[item], alias[item] = 1.0, item
        if level[item] < 1.0:
            low[n_low] = item
            n_low += 1
        else:
            high[n_high] = item
            n_high += 1
    while n_low > 0 and n_high > 0:
        n_low -= 1
        poor, rich = low[n_low], high[n_high - 1]
        acceptance[poor], alias[poor] = level[poor], rich
        level[rich] -= 1.0 - level[poor]
        if level[rich] < 1.0:
            n_high -= 1
            low[n_low] = rich
            n_low += 1


@kernel
def allot_slots(rng: np.random.Generator, limits: Offsets, n_slots: int) -> Offsets:
    """A slot of its own for each entry, below its limit while there is a free one near."""
    taken = np.zeros(n_slots, np.bool_)
    slots = np.empty(len(limits), np.int64)
    for entry in range(len(limits)):
        slot = int(rng.random() * limits[entry])
        while taken[slot]:
            slot = slot + 1 if slot + 1 < n_slots else 0
        taken[slot] = True
        slots[entry] = slot
    return slots


@kernel
def race(rng: np.random.Generator, weight: Floats) -> Offsets:
    """The order in which all with a weight are drawn without replacement; then the others."""
    finish = np.empty(len(weight), np.float64)
    for at in range(len(weight)):
        finish[at] = rng.standard_exponential() / weight[at] if weight[at] > 0 else np.inf
    return np.argsort(finish)
