"""The Spark engine beside the memory engine: CPU and shuffle for each rating, memory of workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from benchmarks.suites import Row
from recloak.core.files import digest_of
from recloak.releases.parts import files_of

RECIPES: dict[str, dict[str, object]] = {
    "gaussian-noise": {},
    "fragmentation, paper-1, features learnt": {"preset": "paper-1"},
}
PUBLISH = """
import json, sys
import recloak
from recloak.core.progress import SILENT
source, out, engine, method, parameters, logs = sys.argv[1:]
if engine == "spark":
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g")
    settings = {"io.encryption.enabled": "true", "ui.enabled": "false", "log.level": "ERROR",
        "eventLog.enabled": "true", "eventLog.dir": "file://" + logs,
        "eventLog.compress": "false", "eventLog.rolling.enabled": "false",
        "ui.showConsoleProgress": "false",
        "driver.bindAddress": "127.0.0.1", "driver.host": "127.0.0.1"}
    for key, value in settings.items():
        builder = builder.config("spark." + key, value)
    builder.getOrCreate()
recloak.publish(source, method, out=out, engine=engine, audited=False, progress=SILENT,
    seed="0x" + "5a" * 16, **json.loads(parameters))
"""


def spark_engine(place: Path, n: int) -> Iterator[Row]:
    """Whole publications without audit, start-up of Java and Python included."""
    source = place / "ratings.parquet"
    words = ["simulate", "--like", "ml-10m", "--ratings", str(n), "--seed", "1"]
    subprocess.run(
        [sys.executable, "-m", "recloak", *words, "--quiet", "--out", str(source)], check=True
    )
    for name, parameters in RECIPES.items():
        method = name.partition(",")[0]
        cost = {}
        for engine in ("memory", "spark"):
            logs = place / f"{method}-{engine}"
            logs.mkdir()
            cost[engine] = _published(source, logs, engine, method, parameters)
        if _contents(place / f"{method}-memory") != _contents(place / f"{method}-spark"):
            raise RuntimeError(f"{name}: other bytes than those of the memory engine")
        cpu, worker = cost["spark"]
        shuffled = _shuffled(place / f"{method}-spark") / n
        yield (
            f"{name}: CPU and shuffle a rating",
            f"{n:,}",
            f"{1e6 * cpu / n:.1f} µs, {shuffled:.1f} bytes, {worker / 2**30:.2f} GB a worker",
            f"memory engine: {1e6 * cost['memory'][0] / n:.2f} µs",
            f"{cpu / cost['memory'][0]:.1f}",
        )


def _contents(place: Path) -> dict[str, str]:
    return {name: digest_of(path) for name, path in files_of(place / "out")}


def _published(
    source: Path, place: Path, engine: str, method: str, parameters: dict[str, object]
) -> tuple[float, int]:
    """Seconds of the processor of all processes, and the most that one worker held."""
    logs = place / "events"
    logs.mkdir()
    given = [engine, method, json.dumps(parameters), str(logs)]
    words = [sys.executable, "-c", PUBLISH, str(source), str(place / "out"), *given]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    process = subprocess.Popen(words, env=environment, start_new_session=True)
    watch = _Watch(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watch.over.set()
    watch.join()
    if process.returncode:
        raise RuntimeError(f"{engine} failed")
    others = sum(seconds for pid, seconds in watch.seconds.items() if pid != process.pid)
    own = usage.ru_utime + usage.ru_stime
    return max(own, watch.seconds.get(process.pid, 0.0)) + others, watch.largest


class _Watch(threading.Thread):
    """Looks at all processes of a session of the system: what each used, and how large it was."""

    def __init__(self, session: int) -> None:
        super().__init__(daemon=True)
        self.session, self.over = session, threading.Event()
        self.seconds: dict[int, float] = {}
        self.largest = 0
        self.start()

    def run(self) -> None:
        ticks = os.sysconf("SC_CLK_TCK")
        while not self.over.wait(0.1):
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    fields = (folder / "stat").read_text().rpartition(")")[2].split()
                    if int(fields[3]) != self.session:
                        continue
                    words = (folder / "cmdline").read_bytes()
                    pages = int((folder / "statm").read_text().split()[1])
                except (OSError, IndexError):
                    continue
                pid = int(folder.name)
                self.seconds[pid] = (int(fields[11]) + int(fields[12])) / ticks
                if b"pyspark.daemon" in words.split(b"\0"):
                    self.largest = max(self.largest, pages * os.sysconf("SC_PAGESIZE"))


def _shuffled(place: Path) -> int:
    """Bytes that tasks wrote for others to read, by the log of Spark."""
    total = 0
    for log in (place / "events").rglob("*"):
        if not log.is_file() or log.suffix == ".crc":
            continue
        for line in log.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                total += event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    return total
