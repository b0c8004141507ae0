"""Spark Connect: a client without a context of Spark publishes the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = """
import sys
import recloak, recloak.spark
from recloak.methods import _blocks
from recloak.publishing.spark._staged import SparkRatings
from pathlib import Path
from pyspark.sql import SparkSession
from recloak.core.progress import SILENT
from recloak.releases.parts import files_of

builder = SparkSession.builder.remote("local[2]").config("spark.io.encryption.enabled", "true")
spark = builder.config("spark.driver.memory", "1g").getOrCreate()
table = recloak.synthesize("ml-1m", users=150, items=120, ratings=4000, seed=1).to_polars()
frame, out = spark.createDataFrame(table.to_arrow()), Path(sys.argv[1])
given = {"seed": "0x" + "5a" * 16, "audited": False, "progress": SILENT}
recipes = {
    "fragmentation": {"factors": 4},
    "synthetic": {"epsilon": 40.0},
    "predictive": {"k": 3},
}

def contents(folder):
    return {name: path.read_bytes() for name, path in files_of(folder)}

_blocks.SAMPLE_RATINGS = 3000  # so that people are folded in
SparkRatings.most_entries = 0  # so that sums are added up by tasks
same = []
for method, more in recipes.items():
    there = recloak.spark.publish(frame, method, out=out / method, **given, **more)
    place = out / f"{method} in memory"
    here = recloak.publish(table, method, out=place, engine="memory", **given, **more)
    same.append(contents(there.folder) == contents(here.folder))
spark.stop()
print(type(spark).__module__, *same)
"""


@pytest.mark.slow
def test_a_client_of_connect_publishes_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    if shutil.which("java") is None:
        pytest.skip("no Java here: the Spark engine is not tried")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    words = [sys.executable, "-c", CLIENT, str(tmp_path)]
    ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    assert ended.stdout.split()[-4:] == ["pyspark.sql.connect.session", *["True"] * 3]
