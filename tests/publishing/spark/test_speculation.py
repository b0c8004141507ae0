"""Speculation: Spark starts a copy of a slow task, and one of both writes the part."""

from __future__ import annotations

from pathlib import Path

import pytest

import recloak
import recloak.spark
from recloak.core.progress import SILENT
from recloak.releases.parts import TableParts
from recloak.simulation import synthesize
from tests.support.block_recipes import SEED, digests
from tests.support.clusters import standalone_cluster

EAGER = {
    "spark.speculation": "true",
    "spark.speculation.interval": "200ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.minTaskRuntime": "2s",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_a_copy_of_a_slow_task_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first attempt has written its file, too, and is ended before it can say so."""
    monkeypatch.setattr(TableParts, "ratings_per_part", 1000)
    table = synthesize("ml-1m", users=150, items=120, ratings=4_000, seed=1).to_polars()
    given = {"seed": SEED, "audited": False, "progress": SILENT}
    place = tmp_path / "cluster"
    place.mkdir()
    with standalone_cluster(place, EAGER) as spark:
        (place / "switches/slow attempt").touch()
        frame = spark.createDataFrame(table.to_arrow())
        done = recloak.spark.publish(frame, "gaussian-noise", out=tmp_path / "r", **given)
    assert {path.name for path in (place / "switches").glob("attempt *")} == {
        "attempt 0",
        "attempt 1",
    }
    here = recloak.publish(table, "gaussian-noise", out=tmp_path / "m", engine="memory", **given)
    assert digests(done.folder) == digests(here.folder)
