"""Tables of a release in a DuckDB database: all of them appear in one transaction, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl

from recloak.core.errors import ParameterError
from recloak.core.frames import ArrowStream
from recloak.io.duckdb._database import (
    EXAMPLES,
    DuckDbUrl,
    connected,
    quoted_table,
    tables_in,
)

if TYPE_CHECKING:
    import duckdb


class StagedTables:
    """Tables that are written into a database in one transaction, and appear at its end."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, url: DuckDbUrl) -> None:
        self._connection, self._url = connection, url
        self._names: list[str] = []
        self.appeared = False

    def write(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Write each table under the URL's name, further ones with their own behind it."""
        self._connection.begin()
        for place, (own, table) in enumerate(tables.items()):
            name = f"{self._url.table}_{own}" if place else self._url.table
            _refuse_taken(self._connection, self._url, name)
            self._connection.register("released", ArrowStream(table))
            self._connection.execute(f"CREATE TABLE {quoted_table(name)} AS FROM released")
            self._connection.unregister("released")
            self._names.append(name)

    def appear(self) -> None:
        """Let all of them be seen."""
        self._connection.commit()
        self.appeared = True

    def withdraw(self) -> None:
        """Undo `appear`."""
        for name in self._names:
            self._connection.execute(f"DROP TABLE {quoted_table(name)}")
        self.appeared = False


@contextmanager
def staged_tables(text: str) -> Iterator[StagedTables]:
    """A place for tables in the database of a URL; what did not appear is gone afterwards."""
    url = DuckDbUrl.parse(text)
    was_there, staged = url.file.exists(), None
    try:
        with connected(url, writing=True) as connection:
            staged = StagedTables(connection, url)
            yield staged
    finally:
        if not was_there and not (staged and staged.appeared):
            url.file.unlink(missing_ok=True)


def refuse_bad_target(text: str, where: str) -> None:
    """Refuse, before any work, a URL under which no table can be written."""
    url = DuckDbUrl.parse(text)
    if not url.table:
        raise ParameterError("names no table", where=f"{where} {text}", hint=EXAMPLES)
    if not url.file.absolute().parent.is_dir():
        raise ParameterError("is in a folder that does not exist", where=f"{where} {text}")
    if url.file.exists():
        with connected(url) as connection:
            _refuse_taken(connection, url, url.table)


def _refuse_taken(connection: duckdb.DuckDBPyConnection, url: DuckDbUrl, name: str) -> None:
    if name.removeprefix("main.") in tables_in(connection):
        raise ParameterError(
            f"has a table '{name}' already",
            where=str(url.file),
            hint="Nothing is overwritten: name another table, or drop that one first.",
        )
