"""Text files that Spark reads: CSV with a header, so that ids are what they are on one machine.

Otherwise the same file would give other bytes, or people would become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recloak.core.columns import find_columns
from recloak.core.errors import InputError
from recloak.io import MISSING, TextRecord, checked_separator, records_of
from recloak.io.options import OF_TEXT, ReadOptions

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

TEXT = (".csv", ".tsv")
_TAKEN = ("separator", "decimal")
_WRITTEN: Mapping[str, Any] = {
    "header": True,
    "mode": "FAILFAST",
    "enforceSchema": False,  # or columns would be taken by their places, whatever headers say
    "escape": '"',  # quotes within quotes are written twice, and a backslash is a letter
    "ignoreLeadingWhiteSpace": True,  # where no quotes hold it
    "ignoreTrailingWhiteSpace": True,
}
_MALFORMED = re.compile(r"Malformed CSV record: (.*?)\s*(?:SQLSTATE|$)", re.MULTILINE)
_OTHER_HEADER = re.compile(r"CSV header does not conform[\s\S]*?CSV file: (\S+)")
_SHOWN = 60  # letters of a record that an error shows
_LOOKED_AT = 1000  # lines that show whether quotes mark text
_LOST = "\ufffd"  # stands where bytes were no letter


def quoted(name: str) -> str:
    """The name of a column as Spark takes it, whatever letters are in it."""
    return "`" + name.replace("`", "``") + "`"


def frame_of_text(
    spark: SparkSession, paths: Sequence[str], ending: str, options: ReadOptions
) -> DataFrame:
    """The columns of CSV files: numbers where all are whole, and ids that are missing null."""
    options.refuse("csv read by Spark", *(name for name in OF_TEXT if name not in _TAKEN))
    separator = checked_separator(options.separator or ("\t" if ending == ".tsv" else ","))
    frame = spark.read.csv(list(paths), sep=separator, **_WRITTEN)
    roles = _roles(frame.columns, options, paths[0])
    ids = [roles["user"], roles["item"]]
    whole = _whole_columns(frame, ids)
    whole -= _marked_as_text(frame.columns, roles, _first_rows(spark, paths, separator))
    columns = []
    for name, column in _columns(frame).items():
        if name in whole:
            column = column.cast("long")
        elif name in ids:
            column = _not_missing(column)
        columns.append(column.alias(name))
    return frame.select(*columns)


def _roles(names: Sequence[str], options: ReadOptions, path: str) -> Mapping[str, str]:
    try:
        return find_columns(names, options.columns).roles
    except InputError as problem:
        together = "Spark does not find out what separates fields: say --separator."
        hint = together if len(names) == 1 else problem.hint
        raise InputError(problem.what, where=path, hint=hint) from None


def _first_rows(spark: SparkSession, paths: Sequence[str], separator: str) -> list[TextRecord]:
    """Some records as they are written, headers among them: Spark does not tell of quotes."""
    lines = spark.read.text(list(paths)).limit(_LOOKED_AT).toArrow()["value"].to_pylist()
    return list(records_of("\n".join(lines), separator))


def _marked_as_text(
    names: Sequence[str], roles: Mapping[str, str], rows: Sequence[TextRecord]
) -> set[str]:
    """Columns of ids in quotes, in files that do not put quotes around everything."""
    place = {role: names.index(name) for role, name in roles.items()}
    whole_rows = [row for row in rows if len(row.fields) == len(names) and row.texts != names]
    if not whole_rows or ("rating" in place and whole_rows[0].fields[place["rating"]].quoted):
        return set()
    return {
        roles[role]
        for role in ("user", "item")
        if any(row.fields[place[role]].quoted for row in whole_rows)
    }


def _columns(frame: DataFrame) -> dict[str, Column]:
    from pyspark.sql import functions

    return {name: functions.col(quoted(name)) for name in frame.columns}


def _whole_columns(frame: DataFrame, ids: Sequence[str]) -> set[str]:
    """Columns of whole numbers, each written the one way that we would write it.

    ``ids`` that are no text in UTF-8 are refused: what Spark makes of them would be one id.
    """
    from pyspark.sql import functions

    columns = _columns(frame)
    wholes = [functions.bool_and(_is_whole(one)) for one in columns.values()]
    lost = [functions.bool_or(columns[name].contains(_LOST)) for name in ids]
    answers = frame.select(*(one.alias(str(at)) for at, one in enumerate([*wholes, *lost])))
    with _malformed_records():
        told = [column[0].as_py() for column in answers.toArrow().columns]
    for name, is_lost in zip(ids, told[len(wholes) :], strict=True):
        if is_lost:
            raise InputError(
                "Spark reads text as UTF-8, and this holds other bytes",
                where=f"column {name}",
                hint="Convert it to UTF-8 or Parquet first, or use --engine disk.",
            )
    return {name for name, whole in zip(columns, told, strict=False) if whole}


@contextmanager
def _malformed_records() -> Iterator[None]:
    """Say which record is wrong as for a file, not that Spark failed."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as problem:
        if found := _OTHER_HEADER.search(str(problem)):
            raise InputError(
                "has not the columns of the first file, in their order",
                where=found[1],
                hint="Make them alike, or use --engine disk.",
            ) from None
        if found := _MALFORMED.search(str(problem)):
            raise InputError(
                "a record has not as many fields as the header, or goes on in the next line",
                where=f"the record {found[1][:_SHOWN]}",
                hint="Correct it, or use --engine disk, which reads records of several lines.",
            ) from None
        raise


def _is_whole(column: Column) -> Column:
    """Null where the cell is empty, which says nothing of the others."""
    from pyspark.sql import functions

    same = column.try_cast("long").cast("string") == column
    return functions.when(column.isNotNull(), functions.coalesce(same, functions.lit(False)))


def _not_missing(column: Column) -> Column:
    from pyspark.sql import functions

    return functions.when(~column.isin(*MISSING), column)
