"""What a cell tells of a rating behind it where every cell is published, with noise on it.

Noise is in units of each item's own deviation, which follows from what is published: around the
rating, or around the middle of the scale if there is none. How likely somebody rated an item at all
follows from how many people did, and from what else this person seems to have rated: who rates what
follows few factors, so a low-rank fit finds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._low_rank import low_rank
from recloak.attacks._noise_density import NOISE, NoiseDensity
from recloak.core.arrays import Floats, Indices, Mask, Values
from recloak.core.cache import PerTableCache
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.units import Units

MOST_VALUES = 21
LEAST_RATED = 1e-6
MOST_RATED = 0.99
LEAST_PART = 0.03  # of the share who rated an item: nobody rates it more rarely than that
MOST_LIKELIER = 1e30
ROUNDS = 2
MOST_CELLS = 60_000_000
LIKELY = 0.1  # the least chance of a rating from which on a cell is taken for one


@dataclass(frozen=True, eq=False)
class GivenInGeneral:
    """How many people rate each item, how often each value is given, and what stands for none.

    Who rates what in general is no secret.
    """

    rated: Floats
    values: Floats
    shares: Floats
    missing: float

    @classmethod
    def of(cls, context: AuditContext) -> GivenInGeneral:
        original, held = context.original, context.item_in_release >= 0
        rated = np.zeros(context.rows.n_items)
        rated[context.item_in_release[held]] = original.item_support[held]
        values, counts = np.unique(original.values.astype(np.float64), return_counts=True)
        if len(values) > MOST_VALUES:
            values = np.quantile(original.values, (np.arange(MOST_VALUES) + 0.5) / MOST_VALUES)
            counts = np.ones(MOST_VALUES, np.int64)
        shares = counts / max(int(counts.sum()), 1)
        rated = np.clip(rated / max(original.n_users, 1), LEAST_RATED, 1 - LEAST_RATED)
        return cls(rated, values, shares, original.scale.middle)

    def share_of(self, value: float) -> float:
        """How often the value is given, or the one next to it."""
        return float(self.shares[np.abs(self.values - value).argmin()]) if len(self.values) else 1.0


class EveryCell:
    """What the cells of each item tell; whatever can be published stands on a grid.

    ``rated`` is for each person and item the chance that there is a rating behind the cell;
    ``by_itself`` the same without a look at the person's other cells.
    """

    def __init__(self, context: AuditContext) -> None:
        rows, sigma = context.rows, float(context.public["sigma"])
        self._table = rows.values.reshape(rows.n_users, rows.n_items)
        self._density = density = NoiseDensity.of(context)
        self._in_general = GivenInGeneral.of(context)
        self._deviation = _deviations(rows) * sigma / np.sqrt(1 + sigma**2)
        steps = int(np.rint((density.high - density.low) / (2 * density.half_width)))
        self._grid: Floats = density.low + 2 * density.half_width * np.arange(steps + 1.0)
        likelier = np.empty(self._table.shape, np.float32)
        for item in range(rows.n_items):
            likelier[:, item] = self._likelier(item)[self._places(item)]
        share = self._in_general.rated.astype(np.float32)
        self.rated, self.by_itself = rated_behind(likelier, share), _after(share, likelier)

    @classmethod
    def of(cls, context: AuditContext) -> EveryCell:
        """Those of a release; made once."""
        return _EVERY_CELL.get(context.rows, "every cell", lambda: cls(context))

    def chances(self, item: int, value: float | None = None) -> Floats:
        """For each person the chance that they rated the item; that they gave it ``value``."""
        rated = self.rated[:, item].astype(np.float64)
        if value is None:
            return rated
        given = self._density.mass(self._grid, value, self._deviation[item])
        given *= self._in_general.share_of(value) / self._by_value(item).sum(axis=1)
        return np.asarray(rated * given[self._places(item)])

    def expected(self, item: int) -> Floats:
        """What is to be expected behind cells by themselves: the middle of the scale for none."""
        masses, general = self._by_value(item), self._in_general
        apart = masses @ (general.values - general.missing) / masses.sum(axis=1)
        return np.asarray(general.missing + self.by_itself[:, item] * apart[self._places(item)])

    def _by_value(self, item: int) -> Floats:
        """The chance of each value on the grid to be published, by the rating that was given."""
        general = self._in_general
        each = self._density.mass(self._grid[:, None], general.values, self._deviation[item])
        return np.asarray(each * general.shares)

    def _likelier(self, item: int) -> Floats:
        """How much likelier each value on the grid is of a rating than of none."""
        missing = self._density.mass(self._grid, self._in_general.missing, self._deviation[item])
        return np.asarray(np.minimum(self._by_value(item).sum(axis=1) / missing, MOST_LIKELIER))

    def _places(self, item: int) -> Indices:
        """Where on the grid the cells of an item stand."""
        column = self._table[:, item].astype(np.float64)
        places = np.rint((column - self._grid[0]) / (2 * self._density.half_width))
        return np.asarray(np.clip(places, 0, len(self._grid) - 1), np.int64)


_EVERY_CELL: PerTableCache[EveryCell] = PerTableCache()


def rated_behind(likelier: Values, share: Values) -> Values:
    """The chance of a rating behind each cell of a table of people and items.

    A cell is so much ``likelier`` if there is one; a ``share`` of people rated each item. What
    these chances have in common is how likely people rated items to begin with.
    """
    before: Values = np.broadcast_to(share, likelier.shape)
    spread = np.sqrt(share * (1 - share))
    for _ in range(ROUNDS if likelier.size <= MOST_CELLS else 0):
        fitted = low_rank((_after(before, likelier) - share) / spread)
        before = np.clip(share + fitted * spread, LEAST_PART * share, MOST_RATED)
    return _after(before, likelier)


def _after(before: Values, likelier: Values) -> Values:
    """Chances after a look at cells."""
    odds = before * likelier
    return np.asarray(odds / (odds + (1 - before)), np.float32)


def lists_every_cell(context: AuditContext) -> bool:
    """Does a release have noise on every cell, on a scale that can be compared?"""
    if context.release is None or context.release.manifest.method not in NOISE:
        return False
    comparable = Units.between(context.original.scale, context.rows.scale).comparable
    return comparable and context.public.get("cells") == "all"


def likely_ratings(context: AuditContext) -> Ratings:
    """The rows, but where every cell has noise only cells that may well stand for a rating.

    Their values are what is to be expected behind them: the farther from the middle of the scale,
    the surer it is a rating. That every cell is listed would hide from an adversary who reads rows
    as they are which of them are ratings. Cells are taken by themselves: what a person's other
    cells tell is looked for in the rows that are left.
    """
    rows = context.rows
    if not lists_every_cell(context):
        return rows
    cells = EveryCell.of(context)
    kept: Mask = cells.by_itself >= LIKELY
    values = np.empty(kept.shape, np.float32)
    for item in range(rows.n_items):
        values[:, item] = cells.expected(item)
    likely = rows.keep(kept.ravel())
    return likely.with_values(values[kept], likely.scale)


def _deviations(rows: Ratings) -> Floats:
    """Of what is published of each item."""
    count = np.maximum(rows.item_support, 1)
    values = rows.values.astype(np.float64)
    mean = np.bincount(rows.items, values, rows.n_items) / count
    spread = np.bincount(rows.items, np.square(values), rows.n_items) / count - np.square(mean)
    return np.sqrt(np.maximum(spread, 1e-6))
