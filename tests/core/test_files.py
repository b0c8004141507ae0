from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from recloak.core.errors import MachineError, ParameterError
from recloak.core.files import (
    machine_errors,
    move_into_place,
    open_whole,
    staged_file,
    staging_folder,
    write_whole,
)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"content", mode=0o600)
    assert (tmp_path / "a").read_bytes() == b"content"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert left(tmp_path) == ["a"]


def test_nothing_appears_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), open_whole(tmp_path / "a") as file:
        file.write(b"half")
        raise RuntimeError
    assert left(tmp_path) == []


def test_existing_files_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("precious")
    with pytest.raises(ParameterError, match="never overwritten"):
        write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_text() == "precious"
    write_whole(tmp_path / "a", b"new", overwrite=True)
    assert (tmp_path / "a").read_bytes() == b"new"


def test_one_that_came_meanwhile_is_not_overwritten_either(tmp_path: Path) -> None:
    with pytest.raises(ParameterError), staged_file(tmp_path / "a") as (file, appear):
        file.write(b"ours")
        (tmp_path / "a").write_text("theirs")
        appear()
    assert (tmp_path / "a").read_text() == "theirs"
    assert left(tmp_path) == ["a"]


def test_a_missing_parent_is_said(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="does not exist"):
        write_whole(tmp_path / "no" / "a", b"")


def test_the_staging_folder_is_always_gone(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), staging_folder(tmp_path / "out") as staging:
        (staging / "part").write_text("x")
        raise RuntimeError
    assert left(tmp_path) == []


def test_leftovers_of_a_killed_run_are_removed_and_living_ones_are_not(tmp_path: Path) -> None:
    dead = tmp_path / ".recloak-partial-dead"
    dead.mkdir()
    (dead / "part").touch()
    (tmp_path / ".recloak-partial-just-made").mkdir()
    (tmp_path / ".recloak-partial-file").touch()
    with staging_folder(tmp_path / "out") as in_use:
        assert not dead.exists()
        assert left(tmp_path) == [in_use.name]
        with staging_folder(tmp_path / "other"):
            assert in_use.exists()


def test_a_folder_moves_into_place_and_never_over_another(tmp_path: Path) -> None:
    staged = tmp_path / "staged"
    staged.mkdir()
    (staged / "x").write_text("new")
    (tmp_path / "final").mkdir()
    with pytest.raises(ParameterError):
        move_into_place(staged, tmp_path / "final")
    move_into_place(staged, tmp_path / "other")
    assert (tmp_path / "other" / "x").read_text() == "new"


def test_a_full_disk_is_said_as_such(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="disk is full") as caught, machine_errors(tmp_path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.exit_code == 4
    with pytest.raises(MachineError, match="permission"), machine_errors(tmp_path):
        raise PermissionError


def test_a_request_to_stop_while_the_folder_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_and_stopped(handle: int, how: int) -> None:
        assert len(list(tmp_path.iterdir())) == 1, "the folder is there by now"
        raise KeyboardInterrupt

    monkeypatch.setattr("recloak.core.files.fcntl.flock", made_and_stopped)
    with pytest.raises(KeyboardInterrupt), staging_folder(tmp_path / "release"):
        pass
    assert list(tmp_path.iterdir()) == []
