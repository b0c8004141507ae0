"""The failure matrix: whatever breaks, never a partial release, never a leftover that blocks."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recloak.cli.main import main
from recloak.core.errors import MachineError
from recloak.io import write
from recloak.publishing import _appearing as appearing
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.testing import random_ratings
from tests.support.forked_commands import Nursery

MOMENTS = 50
FEWEST_MOMENTS, PATIENCE = 6, 12.0
"""On a busy machine: how often each half is killed at least, and after how many seconds it ends."""
RECLOAK = [sys.executable, "-m", "recloak"]


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB; needs the right to mount."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip(
            f"a small file system cannot be mounted here: {mounted.stderr.decode().strip()}"
        )
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_leaves_nothing(
    small_disk: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(random_ratings(2000, 300, 0.3), tmp_path / "ratings.csv")
    words = ["publish", str(tmp_path / "ratings.csv"), "--method", "gaussian-noise", "--no-audit"]
    assert main([*words, "--out", str(small_disk / "release")]) == 4
    errors = capsys.readouterr().err
    assert "disk is full" in errors
    assert "Traceback" not in errors
    assert left(small_disk) == []


@pytest.mark.parametrize("table_format", ["parquet", "csv"])
def test_a_writer_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table_format: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(appearing, "save_release", fail)
    with pytest.raises(MachineError, match="disk is full"):
        publish(random_ratings(), "pseudonymize", out=tmp_path / "r", table_format=table_format)
    assert left(tmp_path) == []


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that not even root may write to."""
    place = tmp_path / "sealed"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode == 0:
        yield place
        subprocess.run(["umount", str(place)], check=True)
        return
    place.chmod(0o500)
    yield place
    place.chmod(0o700)


def test_an_unwritable_place_is_said_before_any_work(
    read_only: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(random_ratings(), tmp_path / "ratings.csv")
    words = ["publish", str(tmp_path / "ratings.csv"), "--method", "pseudonymize"]
    assert main([*words, "--out", str(read_only / "release")]) == 4
    assert "permission" in capsys.readouterr().err
    assert left(read_only) == []


def words_for(out: str, *more: str) -> list[str]:
    words = ["publish", "ratings.csv", "--method", "gaussian-noise", "--out", out, "--quiet"]
    secrets = ["--keep-secret", f"{out}.secret", "--key-file", "key"]
    return [*words, *secrets, "--split-secret", f"{out}-wallets", *more]


def run(folder: Path, out: str, *more: str) -> int:
    words = [*RECLOAK, *words_for(out, *more)]
    return subprocess.run(words, cwd=folder, stderr=subprocess.DEVNULL).returncode


@pytest.mark.timeout(600)
def test_killed_at_any_moment_there_is_a_whole_release_or_none(tmp_path: Path) -> None:
    """kill -9 at fifty moments, fewer on a busy machine; half of them without an audit."""
    folders = [tmp_path / str(at) for at in range(2)]
    with ThreadPoolExecutor(len(folders)) as pool:
        published = sum(pool.map(killed_releases, folders, ([], ["--no-audit"])))
    assert published < MOMENTS


def killed_releases(folder: Path, more: list[str]) -> int:
    """Half of the moments, in a folder of its own; how many releases had appeared by then."""
    folder.mkdir()
    write(random_ratings(400, 60, 0.3), folder / "ratings.csv")
    (folder / "key").write_bytes(bytes(32))
    assert run(folder, "warm", *more) == 0
    nursery = Nursery(folder)
    nursery.start(words_for("timed", *more))
    began = time.monotonic()
    assert nursery.wait() == 0
    whole = time.monotonic() - began
    moments, published = random.Random(len(more)), 0
    for at in range(MOMENTS // 2):
        if at >= FEWEST_MOMENTS and time.monotonic() - began > PATIENCE:
            break
        job = nursery.start(words_for("release", *more))
        if at % 2:
            until = time.monotonic() + 2 * whole
            while not list(folder.glob(".recloak-partial-*")) and time.monotonic() < until:
                time.sleep(0.001)
            time.sleep(moments.random() * 0.5 * whole)
        else:
            time.sleep(moments.random() * 1.1 * whole)
        with contextlib.suppress(ProcessLookupError):
            os.kill(job, signal.SIGKILL)
        assert nursery.wait() in (0, -signal.SIGKILL)
        if (folder / "release").exists():
            published += 1
            assert open_release(folder / "release").manifest.ratings > 0
            assert (folder / "release.secret").exists()
            assert (folder / "release-wallets").exists()
        else:
            for place in (*folder.glob(".recloak-partial-*"), folder / "release-wallets"):
                assert not any(map(is_wallet, place.rglob("*.json"))), "it could be read"
        for name in ("release-report.html", "release-report.json"):
            assert not (folder / name).exists() or (folder / "release").exists()
        clear(folder)
    nursery.close()
    assert run(folder, "release", *more) == 0
    assert not list(folder.glob(".recloak-partial-*"))
    return published


def is_wallet(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):  # a living run clears up
        return b'"pseudonyms"' in path.read_bytes()
    return False


def clear(folder: Path) -> None:
    """What a user would do after a release that they do not want; partial work stays."""
    for name in ("release", "release-wallets"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("release.secret", "release-report.html", "release-report.json"):
        (folder / name).unlink(missing_ok=True)
