"""A DuckDB database: where a URL says that it is, opened, and its complaints in our words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.frames import ArrowStream

if TYPE_CHECKING:
    import duckdb

PREFIX = "duckdb:"
EXAMPLES = (
    "Examples: duckdb:///ratings.db?table=votes, 'duckdb:///ratings.db?query=SELECT …', and with "
    "four slashes for a path from the root: duckdb:////data/ratings.db?table=votes."
)


def is_url(text: object) -> bool:
    """Is this a text that names a DuckDB database?"""
    return isinstance(text, str) and text.startswith(PREFIX)


@dataclass(frozen=True)
class DuckDbUrl:
    """A database file, and the table or the query in it; nothing in a URL is percent-encoded."""

    file: Path
    table: str = ""
    query: str = ""

    @classmethod
    def parse(cls, text: str) -> DuckDbUrl:
        """Raise `ParameterError` for what is no such URL."""
        start, question, asked = text.removeprefix(PREFIX).partition("?")
        key, equals, value = asked.partition("=")
        named = key in ("table", "query") and equals and value.strip()
        if not start.startswith("///") or len(start) == 3 or (question and not named):
            raise ParameterError("is not the URL of a DuckDB database", where=text, hint=EXAMPLES)
        return cls(Path(start[3:]), **({key: value.strip()} if named else {}))

    @property
    def shown(self) -> str:
        """What messages and reports call it."""
        return f"{self.file.name}, {f'table {self.table}' if self.table else 'a query'}"

    @property
    def statement(self) -> str:
        """The query that gives the rows."""
        return self.query or f"SELECT * FROM {quoted_table(self.table)}"


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def quoted_table(name: str) -> str:
    """The name of a table, with that of its schema before it if there is a point in it."""
    return ".".join(map(quoted, name.split(".")))


@contextmanager
def connected(url: DuckDbUrl, *, writing: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """An open database; what its engine complains about becomes an error of ours."""
    engine = _engine()
    if not writing and not url.file.is_file():
        raise InputError("there is no such database", where=str(url.file))
    with _complaints(url):
        connection = _connection(engine, url, writing=writing)
    try:
        with _complaints(url):
            yield connection
    finally:
        connection.close()


def _connection(engine: Any, url: DuckDbUrl, *, writing: bool) -> duckdb.DuckDBPyConnection:
    try:
        opened = engine.connect(str(url.file), read_only=not writing)
    except engine.ConnectionException:  # this process has it open in another way already
        opened = engine.connect(str(url.file))
    return opened  # type: ignore[no-any-return]


def _engine() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MachineError(
            "needs packages of the extra 'duckdb', which are not installed",
            where=PREFIX,
            hint="pip install 'recloak[duckdb]'",
        ) from None
    return duckdb


@contextmanager
def _complaints(url: DuckDbUrl) -> Iterator[None]:
    """Turn errors of DuckDB into recloak's."""
    engine = _engine()
    try:
        yield
    except engine.Error as problem:
        first = str(problem).strip().split("\n")[0]
        if isinstance(problem, engine.IOException) and "lock" in first.lower():
            raise MachineError(
                "another program has the database open for writing",
                where=str(url.file),
                hint="Close it there, or read a copy of the file.",
            ) from None
        where = f"{url.file.name}, query" if url.query else str(url.file)
        raise InputError(f"DuckDB refuses it: {first}", where=where) from None


def tables_in(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables and views, those of other schemas than the main one with the schema's name."""
    rows = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database() ORDER BY ALL"
    ).fetchall()
    return [name if schema == "main" else f"{schema}.{name}" for schema, name in rows]


def fetched(connection: duckdb.DuckDBPyConnection, statement: str, url: DuckDbUrl) -> pl.DataFrame:
    """The rows of a statement."""
    found = connection.sql(statement)
    names = found.columns
    if len(set(names)) < len(names):
        raise InputError("two columns have the same name", where=url.shown)
    return pl.DataFrame(ArrowStream(found))
