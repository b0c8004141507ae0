"""Arrow: files and streams, dictionaries, several batches, damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.io import load, read, write
from recloak.testing.formats import EXAMPLE, Scaled, SelfNaming


class TestFile(SelfNaming, Scaled):
    name = "arrow"

    def make(self, folder: Path) -> Path:
        file = folder / "ratings.arrow"
        EXAMPLE.to_polars().write_ipc(file)
        return file


class TestStream(SelfNaming, Scaled):
    name = "arrow"

    def make(self, folder: Path) -> Path:
        file = folder / "ratings.arrows"
        EXAMPLE.to_polars().write_ipc_stream(file)
        return file


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_batches_and_dictionaries_of_another_writer(tmp_path: Path, kind: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    names = arrow.array(["ann", "bob", "ann", "cyd"]).dictionary_encode()
    table = arrow.table({"user": names, "item": [1, 1, 2, 3], "rating": [1.0, 2.0, 3.0, 4.0]})
    file = tmp_path / "data"
    make = arrow.ipc.new_stream if kind == "stream" else arrow.ipc.new_file
    with make(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    assert read(file).to_polars().rows() == [
        ("ann", 1, 1.0),
        ("ann", 2, 3.0),
        ("bob", 1, 2.0),
        ("cyd", 3, 4.0),
    ]


def test_large_stream_in_batches(tmp_path: Path) -> None:
    users = np.repeat(np.arange(3000), 100)
    ratings = Ratings.from_columns(users, np.tile(np.arange(100), 3000), users % 5)
    write(ratings, tmp_path / "large.arrows")
    assert read(tmp_path / "large.arrows").equals(ratings)


def test_an_end_that_is_missing_is_told(tmp_path: Path) -> None:
    file = tmp_path / "ratings.arrows"
    write(EXAMPLE, file)
    assert load(file).notes == ()
    file.write_bytes(file.read_bytes()[:-8])
    assert "cut short" in load(file).notes[0]


def test_rows_are_named(tmp_path: Path) -> None:
    pl.DataFrame({"user": [1, 2], "item": [1, 1], "rating": [1.0, None]}).write_ipc_stream(
        tmp_path / "data"
    )
    with pytest.raises(InputError, match="rating is missing") as caught:
        load(tmp_path / "data")
    assert caught.value.where == f"{tmp_path / 'data'}, row 2, column rating"


@pytest.mark.parametrize("suffix", [".arrow", ".arrows"])
def test_corrupt_anywhere(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"ratings{suffix}"
    write(EXAMPLE, file)
    content = file.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.choice(len(content), 150, replace=False):
        damaged = bytearray(content)
        damaged[at] ^= 0xFF
        file.write_bytes(damaged)
        try:
            ratings = read(file, format="arrow")
        except InputError as problem:
            assert str(file) in str(problem)  # noqa: PT017 - damage may also go unnoticed
        else:
            assert ratings.n_ratings <= EXAMPLE.n_ratings
