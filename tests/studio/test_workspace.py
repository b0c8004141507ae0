"""The workspace: whole after a crash, and its history only grows."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from recloak.core.errors import ParameterError, RecloakError
from recloak.studio.history import WorkspaceHistory
from recloak.studio.pages._unpacking import received_in, unpack
from recloak.studio.pages._zip import zipped
from recloak.studio.workspace import DataFile, Workspace


def test_the_history_is_only_appended_to(tmp_path: Path) -> None:
    history = WorkspaceHistory(tmp_path / "history.jsonl")
    history.append("opened", subject="a")
    before = history.path.read_bytes()
    history.append("signed", subject="b", by="somebody")
    assert history.path.read_bytes().startswith(before)
    newest, oldest = history.entries()
    assert (newest.what, newest.by, oldest.what) == ("signed", "somebody", "opened")
    assert oldest.by


def test_a_line_that_a_crash_cut_short_costs_only_itself(tmp_path: Path) -> None:
    history = WorkspaceHistory(tmp_path / "history.jsonl")
    history.append("opened")
    with history.path.open("ab") as file:
        file.write(b'{"at": "2024-')
    history.append("signed")
    assert [entry.what for entry in history.entries()] == ["signed", "opened"]


def test_a_line_under_an_earlier_name_of_a_field_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text('{"at": "2026-01-01", "by": "ann", "what": "signed", "said": "agreed"}\n')
    (entry,) = WorkspaceHistory(path).entries()
    assert entry.note == "agreed"


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "/etc", ".hidden", "a\0b", "a" * 81, "é", "-a"]
)
def test_a_name_is_one_part_of_a_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="is no name"):
        Workspace(tmp_path).path("releases", name)


def test_what_was_said_about_data_comes_back(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    file = DataFile("films", ("/data/films.csv",), {"scale": "1..5"})
    workspace.save_file(file)
    assert workspace.files() == [file]
    assert workspace.free_name("files", "films", ".json") == "films-2"
    with pytest.raises(RecloakError, match="nothing of this name"):
        workspace.file("books")


def test_others_on_the_machine_cannot_look_in(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    workspace.history.append("opened")
    assert (workspace.folder.stat().st_mode & 0o077) == 0
    assert (workspace.history.path.stat().st_mode & 0o077) == 0


def test_a_folder_becomes_a_zip_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "r" / "inner").mkdir(parents=True)
    (tmp_path / "r" / "b.txt").write_bytes(b"b" * 1_000_000)
    (tmp_path / "r" / "inner" / "a.txt").write_text("a")
    content = b"".join(zipped(tmp_path / "r"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["r/b.txt", "r/inner/a.txt"]
        assert archive.read("r/b.txt") == b"b" * 1_000_000
    assert content == b"".join(zipped(tmp_path / "r"))


def test_a_zip_is_unpacked_once_without_its_outer_folder(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    (tmp_path / "r" / "inner").mkdir(parents=True)
    (tmp_path / "r" / "manifest.json").write_text("{}")
    (tmp_path / "r" / "inner" / "a.txt").write_text("a")
    archive = tmp_path / "their <b>.zip"
    archive.write_bytes(b"".join(zipped(tmp_path / "r")))
    folder = received_in(workspace, str(archive))
    assert folder is not None
    for _ in range(2):
        unpack(archive, folder)
    assert (folder / "manifest.json").read_text() == "{}"
    assert (folder / "inner" / "a.txt").read_text() == "a"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert received_in(workspace, str(tmp_path / "r")) is None
    archive.write_bytes(b"other")
    assert received_in(workspace, str(archive)) not in (folder, None)


def _trap(kind: str, path: Path) -> None:
    names = {"outside": "r/../../x", "whole path": "/x", "backslash": "..\\x"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(names.get(kind, "r/x"))
        entry.external_attr = (stat.S_IFLNK | 0o777 if kind == "link" else 0o644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, b"0" * (5_000_000 if kind == "bomb" else 10))
        if kind == "twice":
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr("r/x", b"again")
        for number in range(10_001 if kind == "many" else 0):
            archive.writestr(f"r/{number}", b"")
    if kind == "broken":
        path.write_bytes(path.read_bytes()[:-9])


@pytest.mark.parametrize(
    ("kind", "told"),
    [("outside", "elsewhere"), ("whole path", "elsewhere"), ("backslash", "elsewhere"),
     ("link", "a link"), ("bomb", "too large"), ("twice", "two files"), ("many", "10,002 files"),
     ("broken", "cannot be read")],
)  # fmt: skip
def test_a_zip_that_is_a_trap_is_refused_and_leaves_nothing(
    tmp_path: Path, kind: str, told: str
) -> None:
    workspace = Workspace(tmp_path / "w")
    before = sorted(tmp_path.rglob("*"))
    archive = tmp_path / "theirs.zip"
    _trap(kind, archive)
    folder = received_in(workspace, str(archive))
    assert folder is not None
    with pytest.raises(RecloakError, match=told):
        unpack(archive, folder)
    archive.unlink()
    assert sorted(tmp_path.rglob("*")) == before
