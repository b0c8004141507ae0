"""Rows may come in any order: the same ratings, parameters and seed give the same bytes."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from recloak.clustering.binned import Binned
from recloak.methods.synthetic import _exact_fit
from recloak.publishing.run import publish
from recloak.releases.parts import TableParts
from tests.publishing.on_disk import timed_ratings
from tests.support.block_recipes import GROUPED, MADE_UP, RECIPES, SEED, digests

ALL = RECIPES | MADE_UP | GROUPED


@pytest.fixture(scope="module")
def made() -> pl.DataFrame:
    return timed_ratings().to_polars()


@pytest.mark.parametrize("recipe", ALL)
def test_the_order_of_rows_makes_no_difference(
    made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """By people, backwards and in a random order, which no other engine or order can tell."""
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    monkeypatch.setattr(Binned, "size_for", lambda self, k: 25)
    monkeypatch.setattr("recloak.methods._blocks.SAMPLE_RATINGS", 3000)
    for steps in ("_POWER_STEPS", "_EM_STEPS"):
        monkeypatch.setattr(_exact_fit, steps, 1)
    name, parameters = ALL[recipe]
    shuffled = made.sample(fraction=1, shuffle=True, seed=4)
    given = {"seed": SEED, "audited": False, **parameters}
    tables = {"people": (made, "memory"), "back": (made.reverse(), "memory")}
    tables |= {"shuffled": (shuffled, "memory"), "disk": (shuffled.reverse(), "disk")}
    found = [
        digests(publish(table, name, out=tmp_path / at, engine=engine, **given).folder)
        for at, (table, engine) in tables.items()
    ]
    assert not made.equals(shuffled)
    assert found[1:] == found[:1] * 3
