"""SurveyRelease: any names survive the disk, and files that do not fit together are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS, method
from recloak.releases.base import open_release, save_release
from recloak.testing import from_rows
from tests.auditing.test_leak_scan import found, resigned

NAMES = st.lists(
    st.one_of(
        st.sampled_from(
            ["group", "group_", "respondent", "user", "item", "7", "07", "a,b", 'a"b', "*", "^.*$"]
        ),
        st.text(
            st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=5
        ),
    ),
    min_size=1,
    max_size=5,
    unique=True,
)


@settings(max_examples=40, deadline=None)
@given(names=NAMES, table_format=st.sampled_from(["csv", "parquet"]), grouped=st.booleans())
def test_any_names_survive_the_disk(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], table_format: str, grouped: bool
) -> None:
    rng = np.random.default_rng(len(names))
    rows = {f"p{at}": {name: int(rng.integers(1, 6)) for name in names} for at in range(6)}
    mode = "interval" if grouped else "identical"
    applied = method("proximity", k=3, mode=mode).apply(from_rows(rows), Randomness.from_seed(3))
    folder = tmp_path_factory.mktemp("survey")
    save_release(applied.release, folder, table_format)
    again = open_release(folder)
    assert again.same_tables(applied.release)
    assert {str(label) for label in again.as_ratings().item_labels} == set(names)
    assert found(folder) == set()


def written(tmp_path: Path, table_format: str = "parquet", people: int = 40) -> Path:
    rng = np.random.default_rng(0)
    rows = {f"p{at}": {q: int(rng.integers(1, 6)) for q in "abc"} for at in range(people)}
    applied = method("proximity", k=4, mode="interval").apply(
        from_rows(rows), Randomness.from_seed(1)
    )
    folder = tmp_path / "release"
    folder.mkdir()
    save_release(applied.release, folder, table_format)
    return folder


def edited(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    path = folder / "answers.parquet"
    change(pl.read_parquet(path)).write_parquet(path, compression="zstd", statistics=False)
    return resigned(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.with_columns(pl.lit(9).alias("a")),
        lambda table: table.with_columns(pl.lit("x").alias("a")),
        lambda table: table.with_columns(pl.lit(1.5).cast(pl.String).alias("a")),
        lambda table: table.drop("respondent"),
        lambda table: table.reverse(),
        lambda table: table.rename({"group": "cluster"}),
        lambda table: table.with_columns(pl.lit(None).cast(pl.Int64).alias("group")),
        lambda table: table.vstack(table.tail(1)),
        lambda table: table.head(7),
        lambda table: table.with_columns(pl.lit(1).alias("extra")),
    ],
    ids=["level", "text", "half", "no ids", "order", "name", "no group", "twice", "short", "more"],
)
def test_damage_is_refused(tmp_path: Path, change: Callable) -> None:
    with pytest.raises(InputError):
        open_release(edited(written(tmp_path), change))


@pytest.mark.parametrize("table_format", ["csv", "parquet"])
def test_a_clean_release_is_clean(tmp_path: Path, table_format: str) -> None:
    assert found(written(tmp_path, table_format, 400)) == set()


def test_small_ids_are_found(tmp_path: Path) -> None:
    folder = edited(
        written(tmp_path),
        lambda table: table.with_columns(pl.Series("respondent", range(len(table)))),
    )
    assert "row ids" in found(folder)


def test_numbered_groups_are_found(tmp_path: Path) -> None:
    folder = edited(
        written(tmp_path),
        lambda table: table.with_columns(pl.col("group").rank("dense").cast(pl.Int64)),
    )
    assert "row ids" in found(folder)


def test_hidden_metadata_is_found(tmp_path: Path) -> None:
    folder = written(tmp_path)
    path = folder / "answers.parquet"
    pl.read_parquet(path).write_parquet(path, metadata={"made by": "me"})
    assert not all(verdict.holds for verdict in scan_for_leaks(resigned(folder), METHODS))


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    ratings = Ratings.from_columns([1, 1, 2, 2], [10, 9, 10, 9], [1, 2, 1, 2], scale="1..5")
    release = method("proximity", k=2).apply(ratings, Randomness.from_seed(1)).release
    assert release.as_ratings().item_labels.tolist() == [9, 10]
    save_release(release, tmp_path, "csv")
    assert open_release(tmp_path).as_ratings().item_labels.tolist() == [9, 10]
