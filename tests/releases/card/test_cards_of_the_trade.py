"""Croissant and Hugging Face: their own tools take every kind of release as it stands."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.lists.replay import replay
from recloak.methods import METHODS
from recloak.releases.base import open_release
from recloak.releases.lists.folder import open_history, save_history
from recloak.releases.manifest import FileEntry, Manifest
from recloak.releases.parts import TableParts
from tests.lists.samples import timed_ratings
from tests.releases.card.samples import KINDS, card, published

FIRST = {"groups": "profiles", "members": "profiles", "survey": "answers"}
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries that read a release


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("kind", KINDS)
def test_croissant_is_valid_and_gives_the_rows(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import mlcroissant

    folder = published(kind, tmp_path)
    with caplog.at_level(logging.WARNING):
        found = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not found.metadata.issues.errors
    assert "not standard" not in caplog.text
    tables = [path.stem for path in folder.iterdir() if path.suffix in (".parquet", ".csv")]
    assert sorted(one.id for one in found.metadata.record_sets) == sorted(tables)
    first = FIRST.get(kind, "ratings")
    rows = list(found.records(first))
    release = open_release(folder)
    many = release.listed.n_users if first == "answers" else release.listed.n_ratings
    assert len(rows) == many
    columns = json.loads((folder / "croissant.json").read_text())["recordSet"]
    assert len(rows[0]) == next(len(one["field"]) for one in columns if one["name"] == first)


@pytest.mark.usefixtures("offline")
def test_a_table_in_parts_is_one_table_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlcroissant
    from datasets import load_dataset

    monkeypatch.setattr(TableParts, "ratings_per_part", 200)
    folder = published("ratings", tmp_path)
    count = open_release(folder).listed.n_ratings
    assert (folder / "ratings.parquet").is_dir()
    found = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not found.metadata.issues.errors
    assert len(list(found.records("ratings"))) == count
    loaded = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == count


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("kind", ["ratings", "text", "members", "survey"])
def test_a_folder_is_a_data_set_of_the_hub(kind: str, tmp_path: Path) -> None:
    from datasets import load_dataset
    from huggingface_hub import DatasetCard

    folder = published(kind, tmp_path)
    loaded = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    release = open_release(folder)  # nothing was written there
    listed = release.listed
    assert loaded.num_rows == (listed.n_users if release.wide else listed.n_ratings)
    about = DatasetCard(card(folder)).data.to_dict()
    names = {path.name for path in folder.iterdir() if path.suffix in (".parquet", ".csv")}
    assert {one["data_files"] for one in about["configs"]} == names
    assert sum(one.get("default", False) for one in about["configs"]) == 1


@pytest.mark.usefixtures("offline")
def test_lists_are_a_data_set_for_both(tmp_path: Path) -> None:
    import mlcroissant
    from datasets import load_dataset

    history = replay(timed_ratings(1), "constructive", start="0.5", gap="0.25", delta="0.5", top=3)
    folder = tmp_path / "lists"
    folder.mkdir()
    save_history(history, folder)
    slots = len(history) * len(history.item_labels) * history.top
    found = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not found.metadata.issues.errors
    rows = list(found.records("lists"))
    assert len(rows) == slots
    assert set(rows[0]) == {f"lists/{name}" for name in ("release", "item", "slot", "related")}
    assert f"1 of {len(history)} releases" in (folder / "croissant.json").read_text()
    loaded = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == slots
    assert loaded.column_names == ["release", "item", "slot", "related"]
    filled = sum(release.lists.n_filled for release in history.releases)
    assert sum(name is not None for name in loaded["related"]) == filled
    assert open_history(folder).top == 3  # nothing was written there


def test_an_edited_description_is_found_even_if_its_digest_fits(tmp_path: Path) -> None:
    from recloak.core.files import digest_of

    folder = published("ratings", tmp_path)
    path = folder / "croissant.json"
    content = json.loads(path.read_text())
    content["distribution"][0]["description"] = "row 7 is Ann's"
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    manifest = Manifest.read(folder)
    entry = FileEntry(bytes=path.stat().st_size, sha256=digest_of(path))
    edited = manifest.model_copy(update={"files": manifest.files | {path.name: entry}})
    (folder / "manifest.json").write_text(edited.to_json())
    broken = [one for one in scan_for_leaks(folder, METHODS) if not one.holds]
    assert [one.claim for one in broken] == ["no trace in the texts"]
    assert "roissant.json says more than the manifest" in broken[0].how


def test_a_release_from_before_there_was_a_description_is_still_scanned(tmp_path: Path) -> None:
    folder = published("ratings", tmp_path)
    (folder / "croissant.json").unlink()
    manifest = Manifest.read(folder)
    files = {name: one for name, one in manifest.files.items() if name != "croissant.json"}
    (folder / "manifest.json").write_text(manifest.model_copy(update={"files": files}).to_json())
    assert all(one.holds for one in scan_for_leaks(folder, METHODS))
