"""Levels behind cells: what rows and items tell counts as much as makes known levels likeliest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from recloak.attacks import _cell_levels
from recloak.attacks._cell_levels import CellLevels, TaughtCells, learnt_weights
from recloak.core.arrays import Codes, Floats
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale

LEVELS, NOISE = 5, 1.2


class Published(NamedTuple):
    """A full table of ratings under noise, with the states that it shows and the truth."""

    rows: Ratings
    states: Codes
    by_level: Floats
    shares: Floats
    taught: TaughtCells

    def cell_levels(self) -> CellLevels:
        return CellLevels.learnt(self.rows, self.states, self.by_level, self.shares, self.taught)


def published(noise: float, people: int = 60, items: int = 50) -> Published:
    rng = np.random.default_rng(3)
    taste = rng.normal(0, 0.8, (people, 1)) + rng.normal(0, 0.8, (1, items))
    level = np.clip(np.rint(2 + taste + rng.normal(0, 0.6, (people, items))), 0, 4).astype(int)
    states = np.clip(np.rint(level + rng.normal(0, noise, level.shape)), 0, 4).astype(np.int32)
    by_level = np.zeros((LEVELS, LEVELS))
    np.add.at(by_level, (level.ravel(), states.ravel()), 1)
    by_level = (by_level + 1e-3) / (by_level + 1e-3).sum(axis=1, keepdims=True)
    rows = Ratings(
        offsets=np.arange(people + 1) * items,
        items=np.tile(np.arange(items, dtype=np.int32), people),
        values=states.ravel().astype(np.float32) + 1,
        scale=Scale(1, 5, 1),
        user_labels=np.arange(people),
        item_labels=np.arange(items),
    )
    truth = level.ravel().astype(np.int32)
    taught = TaughtCells(rows.user_codes().astype(np.int64), rows.items, states.ravel(), truth)
    shares = np.bincount(truth, minlength=LEVELS) / truth.size
    return Published(rows, states.ravel(), by_level, shares, taught)


def chance_of_levels(cells: CellLevels, taught: TaughtCells, weights: Floats) -> Floats:
    """The chance of the true level of each cell."""
    told = cells.given_state[taught.states]
    told = told * cells.of_row[taught.rows] ** weights[0]
    told = told * cells.of_item[taught.items] ** weights[1]
    return np.asarray(told[np.arange(len(told)), taught.levels] / told.sum(axis=1))


def test_rows_and_items_count_as_makes_known_levels_likeliest() -> None:
    seen = published(NOISE)
    rng = np.random.default_rng(1)
    cells = CellLevels(*(rng.dirichlet(np.full(5, 3.0), count) for count in (LEVELS, 60, 50)))
    cells = cells._replace(given_state=seen.cell_levels().given_state)
    told = cells.of_row[seen.taught.rows] * np.sqrt(cells.of_item[seen.taught.items])
    told *= cells.given_state[seen.taught.states]
    drawn = (told.cumsum(axis=1) < rng.random((len(told), 1)) * told.sum(axis=1)[:, None]).sum(1)
    taught = seen.taught._replace(levels=drawn.astype(np.int32))
    weights = learnt_weights(cells, taught)
    assert weights == pytest.approx([1.0, 0.5], abs=0.15)
    best = np.log(chance_of_levels(cells, taught, weights)).sum()
    for step in ([0.02, 0], [-0.02, 0], [0, 0.02], [0, -0.02]):
        assert np.log(chance_of_levels(cells, taught, weights + step)).sum() < best


def test_under_noise_rows_and_items_tell_levels_that_cells_do_not() -> None:
    seen, one = published(NOISE), np.ones(2)
    cells = seen.cell_levels()
    alone = CellLevels(cells.given_state, np.ones((60, LEVELS)), np.ones((50, LEVELS)))
    both = chance_of_levels(cells, seen.taught, one)
    assert both.mean() > chance_of_levels(alone, seen.taught, one).mean() + 0.05


@pytest.mark.parametrize("noise", [0.0, NOISE])
def test_what_tells_nothing_counts_for_nothing(
    noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where cells say it all, or where rows and items would make levels hardly likelier."""
    monkeypatch.setattr(_cell_levels, "LEAST_GAIN", np.inf)
    cells = published(noise).cell_levels()
    assert (cells.of_row == 1).all()
    assert (cells.of_item == 1).all()


def test_of_many_known_cells_every_nth_is_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cell_levels, "MOST_TAUGHT", 100)
    codes = np.arange(250, dtype=np.int32)
    taught = TaughtCells(np.arange(250), codes, codes, codes)
    assert taught.some().rows.tolist() == list(range(0, 250, 3))
