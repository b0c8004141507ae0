"""A real cluster of Spark for tests: two executors on this machine, everything encrypted."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextmanager
def cluster(place: Path) -> Iterator[Any]:
    """A session whose workers run as `spark_workers/sitecustomize.py` says; all files in place."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("no Java here: the Spark engine is not tried")
    home, switches = place / "home", place / "switches"
    for folder in (home, switches, place / "local"):
        folder.mkdir()
    for part in ("bin", "jars", "python"):
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))  # where local-cluster puts the logs of executors
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = _session(place, switches)
        try:
            yield session
        finally:
            session.stop()
            _end_gateway()


def _session(place: Path, switches: Path) -> Any:
    from pyspark.sql import SparkSession

    path = os.pathsep.join(map(str, (ROOT / "tests/support/spark_workers", ROOT / "src", ROOT)))
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": QUICK_JAVA,
        "spark.executor.extraJavaOptions": QUICK_JAVA,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(place / "local"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(place / "warehouse"),
        "spark.io.encryption.enabled": "true",
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(16),
        "spark.network.crypto.enabled": "true",
        "spark.task.maxFailures": "2",
        "spark.executorEnv.PYTHONPATH": path,
        "spark.executorEnv.RECLOAK_SWITCHES": str(switches),
        "spark.executorEnv.POLARS_MAX_THREADS": "1",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _end_gateway() -> None:
    """End the Java of the session as well, which pyspark keeps for the next one."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(30)
        SparkContext._gateway = SparkContext._jvm = None


def executors(session: Any) -> list[int]:
    """The processes of the executors of this session, and of no other."""
    port = session.conf.get("spark.driver.port")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        ours = f"spark://CoarseGrainedScheduler@127.0.0.1:{port}" in words
        if ours and "org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
            found.append(int(folder.name))
    return found
