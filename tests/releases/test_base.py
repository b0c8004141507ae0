from __future__ import annotations

import json
from pathlib import Path

import pytest

from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.releases.base import is_release, open_release, save_release


@pytest.fixture
def folder(tmp_path: Path, small: Ratings) -> Path:
    place = tmp_path / "release"
    place.mkdir()
    save_release(method("pseudonymize").apply(small).release, place)
    return place


def test_holds_tables_manifest_and_a_page(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "croissant.json",
        "manifest.json",
        "ratings.parquet",
    ]
    assert is_release(folder)


def test_an_edited_table_is_refused(folder: Path) -> None:
    with (folder / "ratings.parquet").open("ab") as file:
        file.write(b"x")
    with pytest.raises(InputError, match="does not match its digest"):
        open_release(folder)


def test_an_added_or_missing_file_is_refused(folder: Path) -> None:
    (folder / "extra.csv").touch()
    with pytest.raises(InputError, match="'extra.csv' is not in the manifest"):
        open_release(folder)
    (folder / "extra.csv").unlink()
    (folder / "README.md").unlink()
    with pytest.raises(InputError, match="'README.md' is missing"):
        open_release(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 99}, "format version 99"),
        ({"kind": "mystery"}, "unknown kind 'mystery'"),
        ({"rows": -1}, "'rows'"),
        ({"surprise": 1}, "'surprise'"),
    ],
)
def test_a_manifest_that_cannot_be_right_is_refused(
    folder: Path, change: dict, message: str
) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=message):
        open_release(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "\x00"])
def test_a_broken_manifest_is_refused(folder: Path, content: str) -> None:
    (folder / "manifest.json").write_text(content)
    with pytest.raises(InputError):
        open_release(folder)


def test_no_folder_and_no_manifest_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        open_release(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no manifest.json"):
        open_release(tmp_path)


def test_reprs_say_what_it_is(folder: Path) -> None:
    release = open_release(folder)
    assert "pseudonymize" in repr(release)
    assert "no formal claim" in repr(release)
    assert "<table>" in release._repr_html_()


def test_a_notebook_shows_a_manifest_as_text(folder: Path) -> None:
    path = folder / "manifest.json"
    hidden = {"claims": ["<img src=x onerror=alert(1)>"]}
    path.write_text(json.dumps(json.loads(path.read_text()) | hidden))
    shown = open_release(folder)._repr_html_()
    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt;" in shown


@pytest.mark.parametrize("levels", [40, 300, 1_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a": ', "}")])
def test_a_manifest_many_levels_deep_is_refused(
    folder: Path, levels: int, opening: str, closing: str
) -> None:
    path = folder / "manifest.json"
    deep = opening * levels + "0" + closing * levels
    path.write_text(path.read_text().replace('"config": {}', f'"config": {{"reading": {deep}}}'))
    with pytest.raises(InputError, match="more than 32 levels deep") as caught:
        open_release(folder)
    assert caught.value.where == str(path)
