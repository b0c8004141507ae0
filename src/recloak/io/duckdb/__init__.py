"""DuckDB: a table or a query of a database as ratings, and a release's tables written into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from recloak.core.errors import InputError, did_you_mean
from recloak.io._given_tables import GivenRatings, InputTable
from recloak.io._source import InputPath
from recloak.io.base import Format, Opened
from recloak.io.duckdb._database import (
    EXAMPLES,
    DuckDbUrl,
    connected,
    fetched,
    is_url,
    quoted,
    tables_in,
)
from recloak.io.duckdb._writing import StagedTables, refuse_bad_target, staged_tables
from recloak.io.options import ReadOptions

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "DuckDb",
    "DuckDbUrl",
    "InputQuery",
    "StagedTables",
    "is_url",
    "refuse_bad_target",
    "staged_tables",
]


class DuckDb(Format):
    """A table of a DuckDB database, or the rows of a query.

    ``duckdb:///ratings.db?table=votes`` or ``duckdb:///ratings.db?query=SELECT …`` stands in the
    place of a file. The database is opened for reading only. Needs the extra ``duckdb``.
    """

    name = "duckdb"
    summary = "a table or query of DuckDB: duckdb:///file.db?table=NAME, or ?query=SELECT …"
    text: ClassVar[bool] = False

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        return isinstance(source, InputQuery)

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        if not isinstance(source, InputQuery):
            raise InputError("is a file, not the URL of a table", where=source.name, hint=EXAMPLES)
        return GivenRatings(source, options)


class InputQuery(InputTable):
    """What a URL asks for: read when its columns are first asked for, and not again."""

    def __init__(self, text: str) -> None:
        self.url = DuckDbUrl.parse(text)
        super().__init__(self.url.shown)

    @property
    def format(self) -> type[Format]:
        return DuckDb

    @property
    def schema(self) -> Mapping[str, pl.DataType]:
        return self._empty.schema

    @cached_property
    def _empty(self) -> pl.DataFrame:
        """A frame with all columns, and no rows."""
        with connected(self.url) as connection:
            _refuse_unclear(connection, self.url)
            return fetched(connection, f"SELECT * FROM ({self._statement}) LIMIT 0", self.url)

    def rows(self, names: Sequence[str]) -> pl.DataFrame:
        wanted = ", ".join(map(quoted, names))
        with connected(self.url) as connection:
            return fetched(connection, f"SELECT {wanted} FROM ({self._statement})", self.url)

    @property
    def _statement(self) -> str:
        return self.url.statement.rstrip("; \n")


def _refuse_unclear(connection: duckdb.DuckDBPyConnection, url: DuckDbUrl) -> None:
    """Refuse a URL without a table that is there, and a query that does more than ask."""
    if url.query:
        statements = connection.extract_statements(url.query)
        kinds = [str(one.type).rpartition(".")[2] for one in statements]
        if kinds != ["SELECT"]:
            raise InputError(
                f"is {' and '.join(kinds) or 'no statement'}, and only one SELECT is run",
                where=f"{url.file.name}, query",
            )
        return
    there = tables_in(connection)
    if url.table.removeprefix("main.") not in there:
        what = f"there is no table '{url.table}'" if url.table else "names no table and no query"
        guess = did_you_mean(url.table, there) if url.table else ""
        raise InputError(
            what,
            where=str(url.file),
            hint=f"{guess}The database holds: {', '.join(there) or 'no tables'}.",
        )
