"""A real cluster of Spark for tests: two executors on this machine, everything encrypted."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


LOCAL = "local-cluster[2,1,1024]"


@contextmanager
def cluster(place: Path) -> Iterator[Any]:
    """A session whose workers run as `spark_workers/sitecustomize.py` says; all files in place."""
    with _home(place) as switches:
        session = _session(place, switches, LOCAL)
        try:
            yield session
        finally:
            session.stop()
            _end_gateway()


@contextmanager
def standalone_cluster(place: Path, settings: Mapping[str, str]) -> Iterator[Any]:
    """The same with a master and two workers of their own, which seem to be different machines."""
    with _home(place) as switches, ExitStack() as daemons:
        port, secret = _free_port(), {"spark.authenticate.secret": secrets.token_hex(16)}
        _write_defaults(place / "home/conf", secret)
        classes = "org.apache.spark.deploy"
        master = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        daemons.enter_context(_daemon(place, f"{classes}.master.Master", *master))
        _wait_for(port)
        for host in ("127.0.0.2", "127.0.0.3"):
            words = ["--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0"]
            url = f"spark://127.0.0.1:{port}"
            daemons.enter_context(_daemon(place, f"{classes}.worker.Worker", *words, url))
        session = _session(place, switches, url, {**settings, **secret})
        try:
            yield session
        finally:
            session.stop()
            _end_gateway()


def _write_defaults(folder: Path, secret: Mapping[str, str]) -> None:
    """What master and workers have to know to talk to the driver."""
    known = {"spark.authenticate": "true", "spark.network.crypto.enabled": "true", **secret}
    folder.mkdir()
    lines = [f"{key} {value}\n" for key, value in known.items()]
    (folder / "spark-defaults.conf").write_text("".join(lines))


@contextmanager
def _daemon(place: Path, *words: str) -> Iterator[None]:
    command = [str(place / "home/bin/spark-class"), *words]
    environment = {
        **os.environ,
        "SPARK_WORKER_DIR": str(place / "work"),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the master of Spark did not start")


@contextmanager
def _home(place: Path) -> Iterator[Path]:
    """A home of Spark in place, and the folder of switches."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("no Java here: the Spark engine is not tried")
    home, switches = place / "home", place / "switches"
    for folder in (home, switches, place / "local"):
        folder.mkdir()
    for part in ("bin", "jars"):  # without "python", whose zip every worker would read and compile
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))  # where local-cluster puts the logs of executors
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        yield switches


def _session(
    place: Path, switches: Path, master: str, more: Mapping[str, str] | None = None
) -> Any:
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
    builder = SparkSession.builder.master(master).appName("tests")
    for key, value in {**settings, **(more or {})}.items():
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
