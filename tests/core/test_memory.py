from __future__ import annotations

import gc
from pathlib import Path

import pytest

from recloak.core import memory
from recloak.core.errors import MachineError, ParameterError
from recloak.io import read, write
from recloak.publishing.run import publish
from recloak.testing import random_ratings


def test_what_fits_is_let_through_and_what_does_not_is_refused_with_an_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(memory.LIMIT, "2")
    memory.require_memory(2**31, "this")
    with pytest.raises(
        MachineError, match=r"this needs about 3\.0 GB of memory; 2\.0 GB"
    ) as caught:
        memory.require_memory(3 * 2**30, "this")
    assert caught.value.exit_code == 4
    monkeypatch.setenv(memory.LIMIT, "0.01")
    with pytest.raises(MachineError, match="needs about 11 MB of memory; 10 MB are free"):
        memory.require_memory(10.4 * 2**20, "this")
    for wrong in ("much", "-1", "nan"):
        monkeypatch.setenv(memory.LIMIT, wrong)
        with pytest.raises(ParameterError, match="not a number of gigabytes"):
            memory.available()


def test_system_and_container_are_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(memory.LIMIT, raising=False)
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 100 kB\nMemAvailable: 50 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", info)
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory.available() == 50 * 1024
    (tmp_path / "memory.max").write_text("30000\n")
    (tmp_path / "memory.current").write_text("10000\n")
    assert memory.available() == 20000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available() == 50 * 1024
    info.write_text("")
    assert memory.available() > 2**20


def test_a_file_that_cannot_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ratings.csv", "ratings.parquet"):
        write(random_ratings(500), tmp_path / name)
        monkeypatch.setenv(memory.LIMIT, "0.000001")
        with pytest.raises(MachineError, match=f"reading {name} needs about"):
            read(tmp_path / name)
        monkeypatch.delenv(memory.LIMIT)
        assert read(tmp_path / name).n_users == 500


def test_a_publication_that_cannot_fit_is_refused_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(memory.LIMIT, "0.00001")
    with pytest.raises(MachineError, match="publishing 554 ratings needs about"):
        publish(random_ratings(), "pseudonymize", out=tmp_path / "r", engine="memory")
    assert list(tmp_path.iterdir()) == []


def test_garbage_is_collected_again_whatever_happens() -> None:
    with pytest.raises(ValueError, match="stop"), memory.no_garbage_collection():
        assert not gc.isenabled()
        with memory.no_garbage_collection():
            pass
        assert not gc.isenabled()
        raise ValueError("stop")
    assert gc.isenabled()
