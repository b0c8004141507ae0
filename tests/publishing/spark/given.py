"""What Spark is given: columns of many types, what is wrong in them, and what it cannot do.

`test_cluster` imports these tests, so that they share its session of Spark.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import recloak
import recloak.spark
from recloak.cli.main import main
from recloak.core.errors import InputError, ParameterError
from tests.publishing.spark.publishing import in_spark, on_one_machine, published
from tests.support.block_recipes import SEED, digests
from tests.support.wrong_tables import WRONG, wrong_table


def test_times_that_are_dates_and_ids_that_are_whole_though_of_another_type(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    frame = in_spark(spark, made).selectExpr(
        "cast(user as double) as user", "item", "rating", "timestamp_seconds(time) as time"
    )
    done = published(spark, frame, "pseudonymize", tmp_path / "r", times="month")
    assert digests(done.folder) == on_one_machine(made, "pseudonymize", tmp_path, times="month")
    odd = frame.selectExpr("user + 0.5 as user", "item", "rating")
    with pytest.raises(InputError, match=r"ids must be whole numbers or text, and one is \d+.5"):
        published(spark, odd, "pseudonymize", tmp_path / "s")


def test_who_opted_out_and_what_is_not_published(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    called = "the.`user`"
    seen = made.select(pl.col("user").alias(called), "item").with_columns(age=pl.lit(33))
    gone = seen[called].unique().sort()[:3].to_list()
    given = {"columns": f"user={called}", "scale": "implicit", "exclude_users": gone}
    done = published(spark, seen, "pseudonymize", tmp_path / "r", **given)
    assert digests(done.folder) == on_one_machine(seen, "pseudonymize", tmp_path, **given)
    given["exclude_users"] = ["nobody"]
    with pytest.raises(InputError, match="1 of 1 users are not in the data"):
        published(spark, seen, "pseudonymize", tmp_path / "s", **given)


@pytest.mark.parametrize("duplicates", ["last", "mean", "max"])
def test_what_stands_twice_is_merged_alike(spark: Any, tmp_path: Path, duplicates: str) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(1, 6, 60) for name in ("user", "item", "rating")}
    table = pl.DataFrame(columns).with_columns(time=pl.int_range(60) + 10**9)
    done = published(spark, table, "pseudonymize", tmp_path / "r", duplicates=duplicates)
    assert digests(done.folder) == on_one_machine(
        table, "pseudonymize", tmp_path, duplicates=duplicates
    )


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said_as_for_a_frame(spark: Any, tmp_path: Path, wrong: str) -> None:
    """In the same words, with an example row in the place of a number, which no row has."""
    table, options, example = wrong_table(wrong)
    with pytest.raises(InputError) as elsewhere:
        on_one_machine(table, "pseudonymize", tmp_path, **options)
    with pytest.raises(InputError) as here:
        frame = spark.createDataFrame(table.to_arrow())
        published(spark, frame, "pseudonymize", tmp_path / "r", **options)
    said = elsewhere.value.what.partition(", first: ")[0]
    assert here.value.what.startswith(said)
    assert here.value.hint == elsewhere.value.hint
    assert here.value.where is not None
    assert example in here.value.where
    assert list(tmp_path.iterdir()) == []


def test_what_spark_cannot_do_is_refused_at_once(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("disassociation", {}, "needs all people at once"),
        ("gaussian-noise", {"cells": "all"}, "fills a table of all people"),
        ("pseudonymize", {"table_format": "csv"}, "CSV table is written as a whole"),
        ("pseudonymize", {"duplicates": "last", "columns": "time=none"}, "no column 'none'"),
    ]
    for name, given, why in refused:
        with pytest.raises((ParameterError, InputError), match=why):
            published(spark, made, name, tmp_path / "r", **given)
    with pytest.raises(ParameterError, match="no rating is the last"):
        published(spark, made.drop("time"), "pseudonymize", tmp_path / "r", duplicates="last")
    with pytest.raises(InputError, match="several columns are called 'user'"):
        published(spark, made.rename({"time": "USER"}), "pseudonymize", tmp_path / "r")
    with pytest.raises(ParameterError, match="cannot read a DataFrame"):
        recloak.publish(made, "pseudonymize", out=tmp_path / "r", engine="spark")
    assert list(tmp_path.iterdir()) == []


def test_the_command_reads_text(
    spark: Any, made: pl.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids of nineteen digits, quotes within quotes, backslashes, spaces, and a decimal comma."""
    file = tmp_path / "ratings.csv"
    odd = pl.format('"{}\\ ""so"", {}"', "item", "item")
    rating = pl.format('"{},5"', pl.col.rating.cast(pl.Int64)).alias("rating")
    table = made.with_columns(rating, user=pl.col.user + 9 * 10**18, item=odd)
    table.write_csv(file, quote_style="never")
    file.write_text(file.read_text().replace(',"', ' , "'))
    (tmp_path / "key").write_bytes(bytes(32))
    words = ["publish", str(file), "--method", "gaussian-noise", "--no-audit", "--seed", SEED]
    words += ["--encrypt-parts", str(tmp_path / "key"), "--decimal", "comma"]
    words += ["--separator", "comma"]
    for engine in ("spark", "memory"):
        assert main([*words, "--engine", engine, "--out", str(tmp_path / engine)]) == 0
    assert digests(tmp_path / "spark") == digests(tmp_path / "memory")
    assert (tmp_path / "spark" / "ratings.parquet.sealed").is_file()
    capsys.readouterr()
    assert main([*words, "--engine", "spark", "--master", "local[9]", "--out", "x"]) == 2
    assert "a session is active already" in capsys.readouterr().err


def test_numbers_in_quotes_are_text_unless_everything_is_in_quotes(
    spark: Any, tmp_path: Path
) -> None:
    for name, rating in (("marked", "3"), ("all", '"3"')):
        file = tmp_path / f"{name}.csv"
        rows = [f'"{user}","{item}",{rating}\n' for user in (1, 10, 2) for item in (7, 30)]
        file.write_text('"user","item","rating"\n' + "".join(rows))
        (here := tmp_path / f"{name} here").mkdir()
        done = published(spark, file, "pseudonymize", tmp_path / name)
        assert digests(done.folder) == on_one_machine(file, "pseudonymize", here)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (b"user,item,rating\nNA,2,3\n", "the id is missing"),
        (b"user,item,rating\n\xe9,2,3\n", "Spark reads text as UTF-8"),
        (b"user,item,rating\n1,2,3\n6,6,5,4\n", "the record 6,6,5,4: .* as many fields"),
        (b"user;item;rating\n1;2;3\n", "wrong.csv: no column for the user .*\n.*--separator"),
    ],
)
def test_text_that_spark_would_read_otherwise_is_refused(
    spark: Any, tmp_path: Path, wrong: bytes, why: str
) -> None:
    (tmp_path / "wrong.csv").write_bytes(wrong)
    with pytest.raises(InputError, match=why):
        published(spark, tmp_path / "wrong.csv", "pseudonymize", tmp_path / "r")
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.csv"]


def test_files_with_other_columns_are_not_mixed_up(
    spark: Any, made: pl.DataFrame, tmp_path: Path
) -> None:
    """Spark would take columns by their places, and of Parquet those of one file only."""
    tables = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    made.drop("rating").write_parquet(tables[0])
    made.write_parquet(tables[1])
    for paths, why in (
        (tables, "b.parquet: the columns are not those of .*a.parquet"),
        (["table:a", "table:b"], "only one table"),
    ):
        with pytest.raises((InputError, ParameterError), match=why):
            published(spark, paths, "pseudonymize", tmp_path / "r")
    for name, text in {"a": "user,item,rating\n1,2,3\n", "b": "item,user,rating\n4,5,3\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(InputError, match="b.csv: has not the columns of the first file"):
        published(spark, both, "pseudonymize", tmp_path / "r")
