"""Noise on every cell: which cells are taken for ratings, and what is expected behind them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recloak.attacks._every_cell import (
    LIKELY,
    MOST_VALUES,
    GivenInGeneral,
    likely_ratings,
    lists_every_cell,
)
from recloak.attacks._row_posterior import AttackedRows
from recloak.core.progress import SILENT
from recloak.core.scale import Scale
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.control_group import control_of
from recloak.testing import context_of, controlled, random_ratings
from tests.attacks.bayes_linkage import plain
from tests.attacks.plain_every_cell import every_cell

SIGMA = 0.5


def beside_an_item_that_nobody_rated() -> AuditContext:
    """Noise on every cell; codes of items are one higher in the original than in the release."""
    context = context_of(random_ratings(40, 9, 0.3), "gaussian-noise", sigma=SIGMA, cells="all")
    original = context.original
    original = replace(
        original,
        items=original.items + np.int32(1),
        item_labels=np.append(original.item_labels[:1] - 1, original.item_labels),
    )
    codes = match_items(original, context.rows)
    return replace(context, original=original, item_in_release=codes)


def test_cells_that_may_well_stand_for_a_rating_are_kept() -> None:
    context = beside_an_item_that_nobody_rated()
    likely, cells = plain.rows_of(likely_ratings(context)), every_cell(context, SIGMA)
    for row, kept in enumerate(likely):
        for item in range(context.rows.n_items):
            chance = cells.by_itself[row, item]
            assert (item in kept) == (chance >= LIKELY)
            if item in kept:
                masses = cells.masses(row, item)
                rating = sum(true * mass for true, mass in masses.items()) / sum(masses.values())
                expected = chance * rating + (1 - chance) * 3.0
                assert kept[item] == pytest.approx(expected, rel=1e-3)
    assert 0 < sum(map(len, likely)) < context.rows.n_ratings


@pytest.mark.parametrize(
    "given", [("gaussian-noise", {"sigma": SIGMA}), ("pseudonymize", {})], ids=lambda one: one[0]
)
def test_other_rows_are_read_as_they_are(given: tuple[str, dict[str, float]]) -> None:
    context = context_of(random_ratings(20, 9, 0.3), given[0], **given[1])
    assert likely_ratings(context) is context.rows
    assert not lists_every_cell(replace(context, release=None))


def test_rows_are_attacked_without_what_was_filled_in() -> None:
    context = controlled(random_ratings(60, 15, 0.3), "gaussian-noise", sigma=SIGMA, cells="all")
    group = control_of(context, SILENT)
    attacked = AttackedRows.of(group, np.random.default_rng(1))
    assert attacked.rows.n_ratings == likely_ratings(group.rehearsed).n_ratings
    assert attacked.rows.n_ratings < group.rehearsed.rows.n_ratings


def test_of_very_many_values_equal_shares_are_told_apart() -> None:
    original = random_ratings(40, 9, 0.5)
    values = np.random.default_rng(1).uniform(1, 5, original.n_ratings).astype(np.float32)
    original = original.with_values(values, Scale(1, 5, None))
    general = GivenInGeneral.of(context_of(original))
    assert len(general.values) == MOST_VALUES
    between = np.diff(np.searchsorted(np.sort(values), general.values))
    assert between.min() > 0
    assert between.max() - between.min() <= 1
    assert general.shares == pytest.approx(np.full(MOST_VALUES, 1 / MOST_VALUES))
