"""Audits over all rows: tasks read them, and what they find is what one machine finds.

`test_cluster` imports these tests, so that they share its session of Spark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from recloak.core.ratings import Ratings
from recloak.publishing._disk_audit import SampledPeople
from recloak.releases.parts import TableParts
from tests.publishing.spark.publishing import on_one_machine, published
from tests.support.rivals import Guesses, context_of_audit, guesses_among_all


class Stopped(Exception):
    """Raised in the place of an audit."""


def test_the_audit_looks_at_the_people_and_the_rows_that_the_disk_engine_takes(
    spark: Any, made: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same people are sought among all rows, and every try guesses the same."""
    asked: list[tuple[Ratings, Any, Any]] = []
    guesses: list[Guesses] = []

    def caught(original: Ratings, release: Any, *, secret: Any, everyone: Any, **_: Any) -> None:
        asked.append((original, release, secret))
        context = context_of_audit(original, release, secret, everyone)
        guesses.append(guesses_among_all(context, bayes=True))
        raise Stopped

    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    with pytest.raises(Stopped):
        published(spark, made, "gaussian-noise", tmp_path / "r", audited=True)
    with pytest.raises(Stopped):
        on_one_machine(made, "gaussian-noise", tmp_path, engine="disk", audited=True)
    here, there = asked
    assert 0 < here[0].n_users < made["user"].n_unique()
    assert here[0].equals(there[0])
    assert here[1].as_ratings().equals(there[1].as_ratings())
    assert here[2].table().equals(there[2].table())
    assert guesses[0].keys() == guesses[1].keys()
    for name, columns in guesses[0].items():
        for one, other in zip(columns, guesses[1][name], strict=True):
            assert one == pytest.approx(other)
