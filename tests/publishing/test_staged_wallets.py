"""Killed at any step, wallets cannot be read before their release is there, nor are lost after."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recloak.cli.main import main
from recloak.core.errors import InputError, MachineError
from recloak.io import write
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.releases.wallets import secret_from_wallets
from recloak.testing import random_ratings

PEOPLE = 30
STEPS = {
    "all is written beside its place": "appearing.sync_tree = kill",
    "the release is about to appear": "appearing.move_into_place = kill",
    "the release has appeared": "appearing.move_into_place = after(appearing.move_into_place, 1)",
    "wallets were written": "os.sync = after(os.sync, 2)",
}
PROGRAM = """
import os, signal, sys
import recloak.publishing._appearing as appearing
from recloak.cli.main import main

def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(function, call):
    calls = []
    def last(*words, **options):
        calls.append(function(*words, **options))
        if len(calls) == call:
            kill()
    return last

for folder, step in zip(sys.argv[1::2], sys.argv[2::2]):
    if os.fork() == 0:
        os.chdir(folder)
        exec(step)
        words = "publish ../ratings.csv --method pseudonymize --no-audit --out release"
        os._exit(main([*words.split(), "--split-secret", "wallets"]))
    assert os.WTERMSIG(os.wait()[1]) == signal.SIGKILL
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each step a folder as a process left it that was killed there."""
    root = tmp_path_factory.mktemp("killed")
    write(random_ratings(PEOPLE, 20, 0.4), root / "ratings.csv")
    folders = {name: root / str(at) for at, name in enumerate(STEPS)}
    for folder in folders.values():
        folder.mkdir()
    words = [word for name, step in STEPS.items() for word in (str(folders[name]), step)]
    subprocess.run([sys.executable, "-c", PROGRAM, *words], check=True)
    return folders


def readable(folder: Path) -> list[str]:
    """Files from which who is who can be read: wallets, and the key of a sealed secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = [path.name for path in files if b'"pseudonyms"' in path.read_bytes()]
    return names + [path.name for path in files if path.suffix == ".key"]


def test_before_the_release_is_there_nobody_can_read_them(killed: dict[str, Path]) -> None:
    folder = killed["all is written beside its place"]
    assert not (folder / "release").exists()
    assert readable(folder) == []
    folder = killed["the release is about to appear"]
    assert not (folder / "release").exists()
    assert not [name for name in readable(folder) if name.endswith(".json")]


@pytest.mark.parametrize("step", ["the release has appeared", "wallets were written"])
def test_a_release_that_is_there_has_its_wallets(
    killed: dict[str, Path], step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = killed[step]
    release_id = open_release(folder / "release").manifest.release_id
    with pytest.raises(InputError, match="not finished") as refusal:
        secret_from_wallets(folder / "wallets", release_id)
    words = str(refusal.value.hint).partition("recloak ")[2].split()[:-1]
    assert main([*words, str(folder / "whole")]) == 0
    found = secret_from_wallets(folder / "whole", release_id)
    assert len(found.user_labels) == len(list((folder / "whole").iterdir())) == PEOPLE


def test_where_there_is_no_room_for_wallets_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("recloak.publishing._staged_wallets.create_private", full)
    with pytest.raises(MachineError, match="disk is full"):
        publish(
            random_ratings(),
            "pseudonymize",
            out=tmp_path / "release",
            split_secret=tmp_path / "wallets",
            audited=False,
        )
    assert list(tmp_path.iterdir()) == []


def test_finished_wallets_leave_no_key(tmp_path: Path) -> None:
    places = {"out": tmp_path / "release", "split_secret": tmp_path / "wallets"}
    publish(random_ratings(PEOPLE), "pseudonymize", audited=False, **places)
    left = [path.suffix for path in (tmp_path / "wallets").iterdir()]
    assert left == [".json"] * PEOPLE
