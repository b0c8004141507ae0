"""Tables of a release: written in one canonical form, as Parquet or CSV, and read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import polars as pl
from polars.io.plugins import register_io_source

from recloak.core.arrays import Labels

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_table(table: pl.DataFrame, path: Path) -> None:
    """A further table of a release, in the same canonical form as its ratings.

    Text in quotes tells an item called 7 from the number, as in any CSV file that we read.
    """
    if path.suffix == ".csv":
        table.write_csv(path, quote_style=_quotes(table.schema))
    else:
        table.write_parquet(path, compression="zstd", statistics=False)


def write_blocks(tables: Callable[[], Iterator[pl.DataFrame]], path: Path) -> None:
    """As `write_table`, of a table that comes in parts and is never whole in memory."""
    schema = next(tables()).schema

    def parts(*_: Any) -> Iterator[pl.DataFrame]:
        yield from tables()

    streamed = register_io_source(parts, schema=schema)
    if path.suffix == ".csv":
        streamed.sink_csv(path, quote_style=_quotes(schema))
    else:
        streamed.sink_parquet(path, compression="zstd", statistics=False)


def names_like_formulas(labels: Labels) -> list[str]:
    """The names that a spreadsheet takes for formulas when it opens a CSV file.

    They are written as they are: a release whose items are called otherwise cannot be joined with
    the recipient's catalogue, and every program that reads data would read the guard as a part of
    the name.
    """
    if labels.dtype != object:
        return []
    return [label for label in map(str, labels) if label.startswith(_FORMULA_STARTS)]


def _quotes(schema: pl.Schema) -> Literal["non_numeric", "necessary"]:
    return "non_numeric" if schema.get("item") == pl.String else "necessary"


def read_table(folder: Path, name: str, columns: list[str] | None = None) -> pl.DataFrame:
    """What `write_table` wrote under this name, in either form; all of it or some columns."""
    path = folder / f"{name}.parquet"
    if path.exists():
        return pl.read_parquet(path, columns=columns)
    path = folder / f"{name}.csv"
    table = pl.read_csv(path, infer_schema=False, columns=columns)
    with path.open("rb") as file:
        quoted = file.readline().startswith(b'"item"') and file.readline().startswith(b'"')
    return table.with_columns(
        _numbers(column) for column in table if not (quoted and column.name == "item")
    )


def _numbers(column: pl.Series) -> pl.Series:
    """A column of text as numbers; items are called 007 or 1.50 and stay text then."""
    whole = column.cast(pl.Int64, strict=False)
    if not whole.has_nulls() and whole.cast(pl.String).equals(column):
        return whole
    decimals = column.cast(pl.Float64, strict=False)
    return column if column.name == "item" or decimals.has_nulls() else decimals
