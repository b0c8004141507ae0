"""A large table is a folder of parts, each with the rows of one range of ids."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from recloak.core.errors import InputError
from recloak.core.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW, Randomness
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.releases import parts
from recloak.releases.base import open_release, save_release
from recloak.releases.manifest import Manifest
from recloak.releases.parts import TableParts, reads_back, write_part
from recloak.testing import random_ratings
from tests.auditing.test_leak_scan import found, resigned


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableParts, "ratings_per_part", 500)


@pytest.fixture
def folder(tmp_path: Path, small_parts: None) -> Path:
    release = method("gaussian-noise").apply(ratings(), Randomness.from_seed(1)).release
    (tmp_path / "release").mkdir()
    save_release(release, tmp_path / "release")
    return tmp_path / "release"


def ratings() -> Ratings:
    return random_ratings(200, 30, 0.3)


def test_a_part_holds_what_falls_into_its_range() -> None:
    parts = TableParts(7)
    ids = np.random.default_rng(0).integers(PSEUDONYM_LOW, PSEUDONYM_HIGH, 1000)
    ids[:2] = PSEUDONYM_LOW, PSEUDONYM_HIGH - 1
    part = parts.part_of(ids)
    edges = parts.edges()
    assert (edges[part] <= ids).all()
    assert (ids < edges[part + 1]).all()
    assert part[:2].tolist() == [0, 6]
    assert np.bincount(part, minlength=7).min() > 80


def test_few_ratings_are_one_file() -> None:
    assert TableParts.of(0).count == TableParts.of(1 << 24).count == 1
    assert TableParts.of((1 << 24) + 1).count == 2


def test_it_survives_the_disk(folder: Path) -> None:
    count = -(-ratings().n_ratings // 500)
    names = [path.name for path in sorted((folder / "ratings.parquet").iterdir())]
    assert names == [f"part-{at:05}.parquet" for at in range(count)]
    assert count > 2
    release = method("gaussian-noise").apply(ratings(), Randomness.from_seed(1)).release
    assert open_release(folder).same_tables(release)
    assert set(Manifest.read(folder).files) == {
        *(f"ratings.parquet/{name}" for name in names),
        "README.md",
        "croissant.json",
    }


def test_others_read_it_as_one_table(folder: Path) -> None:
    rows = open_release(folder).as_ratings()
    assert pl.read_parquet(folder / "ratings.parquet").equals(rows.to_polars())
    assert len(pd.read_parquet(folder / "ratings.parquet")) == rows.n_ratings
    page = (folder / "README.md").read_text()
    assert 'pd.read_parquet("ratings.parquet")' in page
    assert "data_files: ratings.parquet/*.parquet" in page


def test_no_trace_is_found_in_it(folder: Path) -> None:
    assert found(folder) == set()


def test_parts_that_were_not_cut_by_the_rule_are_a_trace(folder: Path) -> None:
    parts = sorted((folder / "ratings.parquet").iterdir())
    first, second = (pl.read_parquet(path) for path in parts[:2])
    row = second["user"][0]
    pl.concat([first, second.filter(pl.col("user") == row)]).write_parquet(
        parts[0], compression="zstd", statistics=False
    )
    second.filter(pl.col("user") != row).write_parquet(
        parts[1], compression="zstd", statistics=False
    )
    assert "files" in found(resigned(folder))


def test_a_part_that_is_missing_changed_or_added_is_refused(folder: Path) -> None:
    parts = sorted((folder / "ratings.parquet").iterdir())
    shutil.copy(parts[0], folder / "ratings.parquet" / "part-99999.parquet")
    with pytest.raises(InputError, match="part-99999.parquet' is not in the manifest"):
        open_release(folder)
    (folder / "ratings.parquet" / "part-99999.parquet").unlink()
    content = parts[0].read_bytes()
    parts[0].write_bytes(parts[1].read_bytes())
    with pytest.raises(InputError, match="does not match its digest"):
        open_release(folder)
    parts[0].write_bytes(content)
    open_release(folder)
    parts[0].unlink()
    with pytest.raises(InputError, match="part-00000.parquet' is missing"):
        open_release(folder)


@pytest.mark.usefixtures("small_parts")
def test_original_names_are_never_parted(tmp_path: Path) -> None:
    save_release(method("identity").apply(ratings()).release, tmp_path)
    assert (tmp_path / "ratings.parquet").is_file()


def test_a_part_that_does_not_read_back_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "READ_BACK", 3)
    table = pl.DataFrame({"user": range(7), "rating": [1.0] * 7})
    path = tmp_path / "part.parquet"
    for wrong in (
        table.head(6),
        table.with_columns(rating=pl.Series([1.0] * 6 + [2.0])),
        table.cast({"user": pl.Int32}),
    ):
        write_part(wrong, path)
        assert not reads_back(table, path)
    write_part(table, path)
    assert reads_back(table, path)
