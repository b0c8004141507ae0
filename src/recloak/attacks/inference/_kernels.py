"""Kernels of statements: what the best rows list of every item, its value, how sure that is."""

from __future__ import annotations

import numpy as np

from recloak.attacks._cell_levels import CellLevels
from recloak.core.arrays import Codes, Floats, Indices, Offsets, Values
from recloak.core.kernels import inner_kernel, kernel


@kernel
def listed_by_rows(
    rows: Indices,
    chances: Floats,
    weights: Floats,
    row_offsets: Offsets,
    row_items: Codes,
    row_states: Codes,
    place_of: Codes,
    fame: Codes,
    honest: Floats,
    cell_levels: CellLevels,
    evidence: Floats,
    mass: Floats,
    values: Floats,
) -> None:
    """What the rows of one person say of the items that have a place (others: -1).

    A row is theirs with ``chances``, and what it lists is true with ``honest``: ``evidence`` is the
    chance that one of them lists the item truly, ``mass`` the weight of rows that list it, and
    ``values`` what they say of its level.
    """
    for place in range(len(rows)):
        if rows[place] < 0:
            break
        for cell in range(row_offsets[rows[place]], row_offsets[rows[place] + 1]):
            item, state = row_items[cell], row_states[cell]
            at = place_of[item]
            if at < 0:
                continue
            chance = chances[place] * honest[fame[item], state]
            evidence[at] = 1 - (1 - evidence[at]) * (1 - chance)
            mass[at] += weights[place]
            add_levels(cell_levels, rows[place], item, state, chance, values[at])


@inner_kernel
def add_levels(
    cell_levels: CellLevels, row: int, item: int, state: int, chance: float, values: Floats
) -> None:
    """Add what one cell says of its level, which is as much as ``chance``."""
    given, of_row, of_item = cell_levels
    total = 0.0
    for level in range(len(values)):
        total += given[state, level] * of_row[row, level] * of_item[item, level]
    share = chance / total
    for level in range(len(values)):
        values[level] += given[state, level] * of_row[row, level] * of_item[item, level] * share


@kernel
def best_levels(
    evidence: Floats,
    values: Floats,
    usual: Floats,
    rated: Floats,
    generosity: float,
    guess: Codes,
    certainty: Floats,
) -> None:
    """The most likely level of each item, and how likely it is if the item was rated.

    Where rows say nothing, it is the item's ``usual`` levels, tilted by the person's generosity. If
    the item was rated, it stands in one of their rows the more likely the fewer people rated it:
    anyone does with the chance ``rated``.
    """
    n_levels = values.shape[1]
    tilt = np.exp(generosity * np.arange(n_levels))
    for item in range(len(evidence)):
        in_rows, at_large = 0.0, 0.0
        for level in range(n_levels):
            in_rows += values[item, level]
            at_large += usual[item, level] * tilt[level]
        anyhow = 1 - (1 - evidence[item]) * (1 - rated[item])
        part = evidence[item] / anyhow if in_rows > 0 and anyhow > 0 else 0.0
        for level in range(n_levels):
            chance = (1 - part) * usual[item, level] * tilt[level] / at_large
            if in_rows > 0:
                chance += part * values[item, level] / in_rows
            if chance > certainty[item]:
                guess[item], certainty[item] = level, chance


@kernel
def generosity_of(levels: Codes, usual: Floats, prior: float, rounds: int) -> float:
    """By how much a person's known levels lie above what is usual: the exponent of a tilt."""
    tilt = 0.0
    for _ in range(rounds):
        gap, spread = -prior * tilt, prior
        for at in range(len(levels)):
            total, mean, square = 0.0, 0.0, 0.0
            for level in range(usual.shape[1]):
                weight = usual[at, level] * np.exp(tilt * level)
                total += weight
                mean += weight * level
                square += weight * level * level
            mean /= total
            gap += levels[at] - mean
            spread += square / total - mean * mean
        tilt += gap / spread
    return tilt


@kernel
def curved(features: Values, centre: Floats, spread: Floats, out: Values) -> None:
    """Standardised features, their squares and their products."""
    width = features.shape[1]
    for row in range(len(features)):
        for at in range(width):
            out[row, at] = (features[row, at] - centre[at]) / spread[at]
        place = width
        for one in range(width):
            for two in range(one, width):
                out[row, place] = out[row, one] * out[row, two]
                place += 1


@kernel
def linear_odds(features: Values, slopes: Floats, intercept: float, odds: Floats) -> None:
    """The log-odds of each row of features."""
    for row in range(len(features)):
        total = intercept
        for at in range(len(slopes)):
            total += features[row, at] * slopes[at]
        odds[row] = total
