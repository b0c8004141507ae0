"""Sessions that would not do are refused before any work, with what to do; no Java is started."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from recloak.cli.main import main
from recloak.core.errors import MachineError, ParameterError
from recloak.publishing.spark._session import (
    is_spark_frame,
    refuse_java,
    refuse_unencrypted,
    session,
)
from recloak.publishing.spark._steps import told_by
from recloak.simulation import synthesize


class Conf:
    """A session that knows its settings only."""

    def __init__(self, **settings: str) -> None:
        self.settings = {name.replace("_", "."): value for name, value in settings.items()}
        self.conf = self

    def get(self, key: str, default: str) -> str:
        return self.settings.get(key, default)


DISK = {"spark_io_encryption_enabled": "true"}
NETWORK = {"spark_authenticate": "true", "spark_network_crypto_enabled": "true"}
CLUSTER = {"spark_master": "spark://host:7077"}


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"spark_master": "local[2]"}, "spark.io.encryption.enabled not"),
        (CLUSTER | DISK, "spark.authenticate, spark.network.crypto.enabled not"),
        (CLUSTER | NETWORK, "spark.io.encryption.enabled not"),
        (CLUSTER | DISK | {"spark_network_crypto_enabled": "true"}, "spark.authenticate"),
        ({"spark_master": "local-cluster[2,1,1024]"} | DISK, "spark.authenticate"),
    ],
)
def test_what_would_be_unencrypted_must_be_said(settings: dict[str, str], missing: str) -> None:
    spark: Any = Conf(**settings)
    with pytest.raises(ParameterError, match="original ratings, and the root") as refused:
        refuse_unencrypted(spark, allowed=False)
    assert missing in refused.value.what
    assert "--unencrypted-shuffle" in str(refused.value)
    refuse_unencrypted(spark, allowed=True)


@pytest.mark.parametrize(
    "settings",
    [
        {"spark_master": "local[*]"} | DISK,
        CLUSTER | DISK | NETWORK,
        CLUSTER | DISK | {"spark_ssl_rpc_enabled": "true"},
    ],
)
def test_what_is_encrypted_is_taken(settings: dict[str, str]) -> None:
    spark: Any = Conf(**settings)
    refuse_unencrypted(spark, allowed=False)


@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
@pytest.mark.parametrize(
    ("address", "encrypted"),
    [("sc://host", False), ("sc://host/;use_ssl=true", True), ("sc://localhost", True)],
)
def test_what_a_client_of_connect_sends_is_encrypted(
    monkeypatch: pytest.MonkeyPatch, address: str, encrypted: bool
) -> None:
    pytest.importorskip("grpc")
    from pyspark.sql.connect.client.core import DefaultChannelBuilder

    class Client:
        _builder = DefaultChannelBuilder(address)
        host = _builder.host

    class Remote(Conf):
        client = Client()

    monkeypatch.setattr(Remote, "__module__", "pyspark.sql.connect.session")
    spark: Any = Remote(**CLUSTER, **DISK, **NETWORK)
    if encrypted:
        refuse_unencrypted(spark, allowed=False)
    else:
        with pytest.raises(ParameterError, match="use_ssl in the address"):
            refuse_unencrypted(spark, allowed=False)


def java(folder: Path, version: str) -> None:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2020' >&2\n")
    program.chmod(0o755)


def test_java_that_is_missing_or_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(MachineError, match="needs Java, and none is found"):
        refuse_java()
    for version, major in (("1.8.0_292", 8), ("11.0.2", 11)):
        java(tmp_path / version, version)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / version))
        with pytest.raises(MachineError, match=f"Java 17 or newer, this is {major}"):
            refuse_java()
    java(tmp_path / "21", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "21"))
    refuse_java()


def test_without_java_the_command_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pl.DataFrame({"user": [1], "item": [2], "rating": [3]}).write_parquet(tmp_path / "r.parquet")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    words = ["publish", str(tmp_path / "r.parquet"), "--method", "pseudonymize"]
    words += ["--engine", "spark", "--master", "local[1]", "--out", str(tmp_path / "out")]
    assert main(words) == 4
    assert "Install Java 17 or newer" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


def test_without_pyspark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MachineError, match="extra 'spark'"), session(None, None):
        pass


def test_other_frames_are_none_of_spark() -> None:
    assert not is_spark_frame(pl.DataFrame())
    assert not is_spark_frame("ratings.parquet")


def test_what_spark_complains_about_is_cut_to_the_line_that_tells() -> None:
    ours = "job aborted\nrecloak.core.errors.MachineError: x: y\n\tat org.apache"
    assert told_by(ours) == "x: y"
    assert told_by("trace\nOSError: [Errno 28] full\n at") == "OSError: [Errno 28] full"
    assert told_by("\n [PATH_NOT_FOUND] no such path\n more") == "[PATH_NOT_FOUND] no such path"


def test_publications_of_one_session_write_their_own_parts(tmp_path: Path) -> None:
    """Spark finds a data source by its name: of two that run at once, each has its own."""
    pytest.importorskip("pyspark")
    from recloak.publishing.spark._parts_writer import PartsWriter, source_of

    writer = PartsWriter(synthesize("ml-100k", users=3, ratings=30, seed=1), tmp_path)
    assert source_of(writer).name() != source_of(writer).name()
