"""DataFrames of Spark as sources: files that Spark reads, and the types of columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from recloak.core.errors import InputError, ParameterError
from recloak.io.options import ReadOptions
from recloak.publishing.spark._steps import Steps
from recloak.publishing.spark._text_files import TEXT, frame_of_text, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "table:"
_PACKED = (".gz", ".bz2", ".zst")
_INEXACT = re.compile(r"float|double|decimal\(\d+,0\)")  # other decimals are text
_TYPES: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), pl.Int64()),
    **dict.fromkeys(("float", "double", "decimal"), pl.Float64()),
    "date": pl.Date(),
    "timestamp": pl.Datetime("us"),
    "timestamp_ntz": pl.Datetime("us"),
    "boolean": pl.Boolean(),
}


def schema_of(frame: DataFrame) -> dict[str, pl.DataType]:
    """Names and types of the columns, as far as they decide what a column is."""
    names = frame.columns
    if len(set(names)) < len(names):
        raise InputError("two columns have the same name", where="the DataFrame")
    return {
        field.name: _TYPES.get(field.dataType.typeName(), pl.String()) for field in frame.schema
    }


def refuse_ambiguous(frame: DataFrame, names: Iterable[str]) -> None:
    """Refuse columns that Spark cannot tell from others, which differ in capital letters only."""
    if frame.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true":
        return
    alike = Counter(name.lower() for name in frame.columns)
    for name in names:
        if alike[name.lower()] > 1:
            raise InputError(
                f"several columns are called '{name}': Spark does not look at capital letters",
                where="the DataFrame",
                hint="Rename the others, or set spark.sql.caseSensitive to true.",
            )


def whole_ids(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The frame with ids that are whole numbers as such, though their type is one of fractions.

    What is no finite number becomes null, which is a missing id as in any other table.
    """
    from pyspark.sql import functions

    kinds = {field.name: field.dataType.simpleString() for field in frame.schema}
    inexact = [name for name in columns if _INEXACT.fullmatch(kinds[name])]
    for name in inexact:
        column = functions.col(quoted(name))
        whole = column.try_cast("long")  # null beyond 64 bits, and of what is no number
        given = functions.abs(column.cast("double")) < inf  # nor is NaN
        odd = frame.where(given & (whole.isNull() | (whole != column))).limit(1).toArrow()
        if odd.num_rows:
            raise InputError(
                f"ids must be whole numbers or text, and one is {odd[name][0]}",
                where=f"the DataFrame, column {name}",
                hint="Make it a column of text first.",
            )
        frame = frame.withColumn(name, whole)
    return frame


def frame_of(steps: Steps, sources: Sequence[Any], options: ReadOptions) -> DataFrame:
    """What Spark reads from files that belong together, or the one table that is named."""
    with steps.step("Opening files"):
        return _opened(steps.spark, sources, options)


def _opened(spark: SparkSession, sources: Sequence[Any], options: ReadOptions) -> DataFrame:
    paths = [str(source) for source in sources]
    if any(path == "-" for path in paths):
        raise ParameterError("standard input cannot be read by Spark", where="--engine spark")
    if paths[0].startswith(TABLE):
        if len(paths) > 1:
            raise ParameterError(
                "only one table can be published", where=paths[1], hint="Make a view of several."
            )
        return spark.table(paths[0].removeprefix(TABLE))
    located = [_located(path) for path in paths]
    ending = _ending(paths[0])
    if ending in TEXT:
        return frame_of_text(spark, located, ending, options)
    if ending in (".orc", ".parquet", ""):
        return _from_columns(spark, ending.removeprefix(".") or "parquet", located)
    raise InputError(
        "Spark reads Parquet, ORC and CSV files, and tables of its catalogue",
        where=paths[0],
        hint="Write it as Parquet first, or use --engine disk. A table is named table:NAME.",
    )


def _from_columns(spark: SparkSession, kind: str, paths: Sequence[str]) -> DataFrame:
    """Files with the same columns: Spark would take those of one, and leave the others' out."""
    columns = (sorted(spark.read.format(kind).load(path).columns) for path in paths)
    first = next(columns) if len(paths) > 1 else []
    for path, here in zip(paths[1:], columns, strict=False):
        if here != first:
            raise InputError(
                f"the columns are not those of {paths[0]}: "
                f"{', '.join(here)} here, {', '.join(first)} there",
                where=path,
                hint="Files that are read as one must have the same columns.",
            )
    return spark.read.format(kind).load(list(paths))


def _located(path: str) -> str:
    """A path as Spark takes it: one without a scheme is on this machine."""
    if "://" in path:
        return path
    if not Path(path).exists():
        raise InputError("there is no such file", where=path)
    return Path(path).absolute().as_uri()


def _ending(path: str) -> str:
    plain = path.rstrip("/")
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    return Path(plain).suffix.lower()
