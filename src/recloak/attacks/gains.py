"""What an attack brings: outcomes of its tries, and what the rows that it names tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.findings import Figure
from recloak.kernels.knowledge import told_by_rows
from recloak.scale import Scale
from recloak.scene import Scene
from recloak.statistics import mean_figure

_SLACK = 1e-6  # of a tolerance: what float32 cannot tell apart
_NEVER = -1.0

GAIN_MEANINGS = {
    "gain": "further items of the person that the row gave away",
    "gain_values": "of these, with a rating within half a step",
    "false_items": "items in the row that was named which the person never rated",
}


class Outcome(NamedTuple):
    """One number for each try."""

    success: NDArray[np.float64]
    inconclusive: NDArray[np.float64]
    wrong: NDArray[np.float64]
    gain: NDArray[np.float64]
    gain_values: NDArray[np.float64]
    false_items: NDArray[np.float64]


def joined(parts: Sequence[Outcome]) -> Outcome:
    """The tries of all parts, one after the other."""
    if not parts:
        return Outcome(*(np.empty(0) for _ in Outcome._fields))
    return Outcome(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def gain_figures(outcome: Outcome) -> list[Figure]:
    """What was learned, on average, true and false."""
    return [
        figure
        for name, meaning in GAIN_MEANINGS.items()
        for figure in mean_figure(name, getattr(outcome, name), "count", meaning)
    ]


@dataclass(frozen=True)
class Units:
    """How a rating ``v`` of the original reads in the release: ``factor * v + shift``.

    A release on another scale is no obstacle to an adversary, who sees its range; one without
    values leaves only the items, and is not ``comparable``.
    """

    comparable: bool
    factor: float
    shift: float
    tolerance: float

    @classmethod
    def between(cls, mine: Scale, theirs: Scale) -> Units:
        """From the scale of the original to that of the release."""
        half_step = mine.tolerance * (1 + _SLACK)
        if mine.span == 0 or theirs.span == 0:
            told = mine.implicit or not theirs.implicit
            return cls(False, 1.0, 0.0, half_step if told else _NEVER)
        within = mine.low <= theirs.low and theirs.high <= mine.high
        if within and theirs.span >= mine.span / 2:
            return cls(True, 1.0, 0.0, half_step)
        factor = theirs.span / mine.span
        return cls(True, factor, theirs.low - factor * mine.low, half_step * factor)

    def converted(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Ratings of the original, on the scale of the release."""
        if (self.factor, self.shift) == (1.0, 0.0):
            return values
        return (values * self.factor + self.shift).astype(np.float32)


def told(
    scene: Scene,
    users: NDArray[np.int64],
    known_offsets: NDArray[np.int64],
    known_positions: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    """For each try what the row named in it tells: true items, true values, false items."""
    units = Units.between(scene.original.scale, scene.rows.scale)
    return told_by_rows(
        rows,
        users,
        known_offsets,
        known_positions,
        scene.original.offsets,
        scene.original.items,
        scene.original.values,
        scene.item_in_release,
        scene.rows.offsets,
        scene.rows.items,
        scene.rows.values,
        scene.rows.n_items,
        units.factor,
        units.shift,
        units.tolerance,
    )
