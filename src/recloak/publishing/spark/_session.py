"""Sessions of Spark: found or made, with Java there and what they write and send encrypted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.core.errors import MachineError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLAG = "--engine spark"
OLDEST_JAVA, OLDEST_PYSPARK = 17, (4, 1)
CONNECT = "sc://"


@contextmanager
def session(source: Any, master: str | None) -> Iterator[SparkSession]:
    """The session of a DataFrame, the one that is active, or one that is stopped afterwards."""
    with without_warnings():
        builder = _builder()
    active = source.sparkSession if is_spark_frame(source) else builder.getActiveSession()
    if active is not None:
        if master is not None and _conf(active, "spark.master") != master:
            raise ParameterError(
                f"a session is active already, on {_conf(active, 'spark.master')}",
                where="--master",
                hint="Leave it out, or stop the session first.",
            )
        yield active
        return
    with without_warnings():
        made = _made(builder, master)
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def without_warnings() -> Iterator[None]:
    """Without warnings of pyspark about versions of pandas, of which next to nothing is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        yield


def refuse_unencrypted(spark: SparkSession, *, allowed: bool) -> None:
    """Refuse a session that would write or send original ratings, and the root, as they are."""
    missing = [] if _on(spark, "spark.io.encryption.enabled") else ["spark.io.encryption.enabled"]
    crypto = _on(spark, "spark.authenticate") and _on(spark, "spark.network.crypto.enabled")
    if not (_within_one_process(spark) or crypto or _on(spark, "spark.ssl.rpc.enabled")):
        missing += ["spark.authenticate", "spark.network.crypto.enabled"]
    missing += ["use_ssl in the address of Spark Connect"] if _connected_in_clear(spark) else []
    if missing and not allowed:
        raise ParameterError(
            "Spark would write and send the original ratings, and the root of all draws, "
            f"unencrypted: {', '.join(missing)} not set to true",
            where=FLAG,
            hint="Set this where the session is made, or in spark-defaults.conf. If disks and "
            "network are trusted, say --unencrypted-shuffle.",
        )


def refuse_java() -> None:
    """Refuse to start where there is no Java, or one that is too old: Spark would not say so."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    hint = f"Install Java {OLDEST_JAVA} or newer, or let JAVA_HOME say where it is."
    if found is None:
        where = f"JAVA_HOME {home}" if home else FLAG
        raise MachineError("Spark needs Java, and none is found", where=where, hint=hint)
    told = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)(?:\.(\d+))?', told)
    if version is None:
        return
    major = int(version[1]) if version[1] != "1" else int(version[2] or 1)
    if major < OLDEST_JAVA:
        what = f"Spark needs Java {OLDEST_JAVA} or newer, this is {major}"
        raise MachineError(what, where=found, hint=hint)


def is_spark_frame(source: Any) -> bool:
    """Is this a DataFrame of Spark? Asked without importing Spark."""
    return type(source).__module__.startswith("pyspark.sql.") and hasattr(source, "mapInArrow")


def _builder() -> Any:
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        raise MachineError(
            "needs packages of the extra 'spark', which are not installed",
            where=FLAG,
            hint="pip install 'recloak[spark]'",
        ) from None
    version = tuple(int(part) for part in re.findall(r"\d+", pyspark.__version__)[:2])
    if version < OLDEST_PYSPARK:
        raise MachineError(
            f"needs pyspark {'.'.join(map(str, OLDEST_PYSPARK))} or newer, "
            f"this is {pyspark.__version__}",
            where=FLAG,
            hint="pip install --upgrade 'recloak[spark]'",
        )
    return SparkSession


def _made(builder: Any, master: str | None) -> SparkSession:
    remote = master is not None and master.startswith(CONNECT)
    if not remote and "SPARK_REMOTE" not in os.environ:
        refuse_java()
    named = builder.builder.appName("recloak")
    try:
        if remote:
            return named.remote(master).getOrCreate()  # type: ignore[no-any-return]
        for key, value in _own_settings(master).items():
            named = named.config(key, value)
        return (named.master(master) if master else named).getOrCreate()  # type: ignore[no-any-return]
    except Exception as problem:
        lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
        raise MachineError(
            f"Spark cannot be started: {lines[0] if lines else 'no reason was given'}",
            where=f"--master {master}" if master else FLAG,
            hint="Check the address of the master, and what Spark logged.",
        ) from problem


def _own_settings(master: str | None) -> dict[str, str]:
    """What is set for a session of our own; on one machine all that is written is encrypted."""
    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    if master is None or not _local(master):
        return quiet
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return quiet | {
        "spark.io.encryption.enabled": "true",
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }


def _connected_in_clear(spark: SparkSession) -> bool:
    """Does a client of Spark Connect send what it sends to another machine as it is?"""
    if not under_connect(spark):
        return False
    client: Any = spark.client
    return client.host not in ("localhost", "127.0.0.1") and not client._builder.secure


def under_connect(spark: SparkSession) -> bool:
    """Is it a session elsewhere, which has no context of Spark here?"""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def _local(master: str) -> bool:
    return master == "local" or master.startswith("local[")


def _within_one_process(spark: SparkSession) -> bool:
    return _local(_conf(spark, "spark.master"))


def _on(spark: SparkSession, key: str) -> bool:
    return _conf(spark, key).lower() == "true"


def _conf(spark: SparkSession, key: str) -> str:
    return str(spark.conf.get(key, "") or "")
