"""Parquet: types of columns, and files that are damaged."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.errors import InputError, ParameterError
from recloak.io import load, read, write
from recloak.testing.formats import EXAMPLE, Scaled, SelfNaming


class TestParquet(SelfNaming, Scaled):
    name = "parquet"

    def make(self, folder: Path) -> Path:
        file = folder / "ratings.parquet"
        EXAMPLE.to_polars().write_parquet(file)
        return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.parquet"


def frame(**changes: object) -> pl.DataFrame:
    columns = {"user": [1, 1, 2], "item": ["a", "b", "a"], "rating": [1.0, 2.0, 5.0]}
    return pl.DataFrame(columns | changes)


def test_text_ids_stay_text(file: Path) -> None:
    frame(user=["1", "1", "2"]).write_parquet(file)
    assert read(file).user_labels.tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (pl.Series([1.0, 1.0, 2.0]), [1, 2]),
        (pl.Series([1.5, 1.5, 2.0]), ["1.5", "2.0"]),
        (pl.Series([1, 1, 2], dtype=pl.UInt8), [1, 2]),
        (pl.Series([1, 1, 2**64 - 1], dtype=pl.UInt64), ["1", str(2**64 - 1)]),
        (pl.Series([1e20, 1e20, 2.0]), ["1e+20", "2.0"]),
        (pl.Series(["1", "1", "2"]).cast(pl.Decimal(38, 0)), [1, 2]),
        (pl.Series(["1", "1", "9" * 30]).cast(pl.Decimal(38, 0)), ["1", "9" * 30]),
        (pl.Series(["1", "1", "2"]).cast(pl.Decimal(38, 2)), ["1.00", "2.00"]),
        (pl.Series(["x", "x", "y"], dtype=pl.Categorical), ["x", "y"]),
    ],
)
def test_types_of_ids(file: Path, column: pl.Series, labels: list[object]) -> None:
    frame(user=column).write_parquet(file)
    assert read(file).user_labels.tolist() == labels


@pytest.mark.parametrize(
    "times",
    [
        [978300760.5] * 3,
        [datetime(2000, 12, 31, 22, 12, 40)] * 3,
        ["2000-12-31T22:12:40"] * 3,
        [978300760_123] * 3,
    ],
)
def test_types_of_times(file: Path, times: list[object]) -> None:
    frame(time=times).write_parquet(file)
    assert read(file).times.tolist() == [978300760] * 3


def test_dates(file: Path) -> None:
    frame(time=[date(1970, 1, 2)] * 3).write_parquet(file)
    assert read(file).times.tolist() == [86400] * 3


@pytest.mark.parametrize(
    ("changes", "message", "where"),
    [
        ({"rating": [1.0, np.nan, 2.0]}, "rating 'nan'", "row 2, column rating"),
        ({"rating": [1.0, 2.0, np.inf]}, "rating 'inf'", "row 3, column rating"),
        ({"rating": [1.0, None, 2.0]}, "rating is missing", "row 2, column rating"),
        ({"rating": ["1", "2", "x"]}, "rating 'x'", "row 3, column rating"),
        ({"rating": [[1], [2], [3]]}, "must be numbers", "row 1, column rating"),
        ({"user": [1, 2, None]}, "id is missing", "row 3, column user"),
        ({"user": [1.0, np.nan, 2.0]}, "id is missing", "row 2, column user"),
        ({"user": [1.0, 2.0, np.inf]}, "id is missing", "row 3, column user"),
        ({"user": [[1], [2], [3]]}, "ids must be", "row 1, column user"),
        ({"time": [1, None, 3]}, "time is missing", "row 2, column time"),
        ({"time": ["2000-01-01", "x", "x"]}, "unreadable", "row 2, column time"),
        ({"time": [True, False, True]}, "unreadable", "row 1, column time"),
        ({"rating": [1.0, 2.0, 7.0]}, "not on the scale", "row 3, column rating"),
        ({"item": ["a", "a", "a"]}, "repeat", "row 2"),
    ],
)
def test_bad_columns(file: Path, changes: dict[str, object], message: str, where: str) -> None:
    frame(**changes).write_parquet(file)
    with pytest.raises(InputError, match=message) as caught:
        read(file, scale="1..5")
    assert caught.value.where == f"{file}, {where}"


def test_bad_row_beyond_the_first_batch(file: Path) -> None:
    count = 300_000
    ratings = np.ones(count)
    ratings[-1] = np.nan
    pl.DataFrame({"user": np.arange(count), "item": np.zeros(count), "r": ratings}).write_parquet(
        file, row_group_size=50_000
    )
    with pytest.raises(InputError) as caught:
        read(file, columns={"rating": "r"})
    assert caught.value.where == f"{file}, row {count}, column r"


def test_further_columns_are_left_behind(file: Path) -> None:
    frame(age=[30, 30, 40], title=["x", "y", "x"]).write_parquet(file)
    loaded = load(file)
    assert loaded.dropped == ("age", "title")
    assert loaded.personal == ("age",)


def test_missing_columns(file: Path) -> None:
    frame().drop("item").write_parquet(file)
    with pytest.raises(InputError, match="no column for the item") as caught:
        read(file)
    assert caught.value.where == str(file)


def test_no_rows(file: Path) -> None:
    frame().clear().write_parquet(file)
    with pytest.raises(InputError, match="no ratings"):
        read(file)


def test_a_name_with_wildcards(tmp_path: Path) -> None:
    write(EXAMPLE, tmp_path / "a.parquet")
    write(EXAMPLE, tmp_path / "[a]*.parquet")
    assert read(tmp_path / "[a]*.parquet").n_ratings == EXAMPLE.n_ratings


def test_separator_has_no_meaning(file: Path) -> None:
    frame().write_parquet(file)
    with pytest.raises(ParameterError, match="takes no separator"):
        read(file, separator=",")


def test_corrupt_anywhere(file: Path) -> None:
    write(EXAMPLE, file)
    content = bytearray(file.read_bytes())
    rng = np.random.default_rng(0)
    for at in rng.choice(len(content), 150, replace=False):
        damaged = bytearray(content)
        damaged[at] ^= 0xFF
        file.write_bytes(damaged)
        try:
            ratings = read(file, format="parquet")
        except InputError as problem:
            assert str(file) in str(problem)  # noqa: PT017 - damage may also go unnoticed
        else:
            assert ratings.n_ratings <= EXAMPLE.n_ratings
