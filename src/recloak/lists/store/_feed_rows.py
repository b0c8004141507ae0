"""Rows of a feed: what a query gives, in the order of its growing column, and errors about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from sqlalchemy.exc import DBAPIError

from recloak.core.errors import InputError
from recloak.lists.store.database import reading

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from recloak.lists.store.feed import Feed
    from recloak.lists.store.store import Store

COLUMNS = ("user", "item", "value")
Last = str | int | float | None
_WORDS = {"user": "person", "item": "item", "value": "rating"}
_SECONDS = 3600.0
_MISTAKES = ("0A", "21", "22", "25", "42")
"""Classes of PostgreSQL's errors: what it cannot do, rows, data, writing, SQL and rights."""
_SQLITE_MISTAKES = re.compile("no such|error|incomplete|ambiguous|wrong number|unrecognized|misuse")


@dataclass(frozen=True)
class NewRows:
    """Rows as they were read; to the first ``n_settled`` none will come that is not behind them."""

    table: pl.DataFrame
    n_settled: int
    last: Last


def new_rows(store: Store, feed: Feed, last: Last) -> NewRows:
    """The rows from ``last`` on in the order of the growing column, and its new last value.

    The database itself compares, with the value that it gave: it knows what comes behind a time.
    """
    with reading(store.engine, _SECONDS) as connection, _mistakes():
        query, since = _query_of(connection, feed, last)
        names, rows = _answer(connection, query)
    table = _table(names, rows, feed, since)
    if since is None or not rows:
        return NewRows(table, len(rows), last)
    place = names.index(since)
    values = [row[place] for row in rows]
    if None in values:
        raise InputError(
            f"{values.count(None):,} rows have no value", where=f"--since {feed.since}"
        )
    n_last = sum(value == values[-1] for value in values)
    newest = values[-1] if isinstance(values[-1], int | float) else str(values[-1])
    return NewRows(table, len(rows) - n_last, newest)


def _query_of(connection: Connection, feed: Feed, last: Last) -> tuple[str, str | None]:
    """What to ask, and the growing column as the database calls it."""
    query = f"SELECT * FROM ({feed.query}\n) AS fed"  # it may end in a comment
    if feed.since is None:
        return query, None
    names = _answer(connection, f"{query} LIMIT 0")[0]
    since = _named(names, feed.since)
    column = connection.dialect.identifier_preparer.quote_identifier(since)
    if last is not None:
        query += f" WHERE {column} >= {_literal(last, connection.dialect.name)} OR {column} IS NULL"
    return f"{query} ORDER BY {', '.join([column, *_then_by(names, since, feed.rule)])}", since


def _then_by(names: list[str], since: str, rule: str) -> list[str]:
    """The rating decides which of several rows is the last of a day.

    Else the database would, and in another way once it has moved a row: a repeated night would
    not have the ratings of the first.
    """
    places = [str(place) for place, name in enumerate(names, 1) if name != since]
    return places[2:3] if rule == "last" else []


def _answer(connection: Connection, query: str) -> tuple[list[str], Sequence[Any]]:
    if connection.dialect.name == "postgresql":
        query = query.replace("%", "%%")  # psycopg takes a single one for a place to fill in
    answer = connection.exec_driver_sql(query)
    return list(answer.keys()), answer.all()


def _named(names: Sequence[str], wanted: str) -> str:
    """The column that is meant; databases take names as they are, or in either case."""
    same = [name for name in names if name.lower() == wanted.lower()]
    if wanted in names or len(same) == 1:
        return wanted if wanted in names else same[0]
    raise InputError(
        "is not a column that the query gives",
        where=f"--since {wanted}",
        hint=f"It gives {', '.join(names)}.",
    )


@contextmanager
def _mistakes() -> Iterator[None]:
    """What a database says of a query is about the query, unless it failed itself."""
    try:
        yield
    except DBAPIError as problem:
        if not _is_mistake(problem):
            raise
        message = str(problem.orig).strip().splitlines()[0]
        raise InputError(f"the query cannot be answered: {message}", where="--from") from problem


def _is_mistake(problem: DBAPIError) -> bool:
    state = getattr(problem.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_MISTAKES)
    return type(problem.orig).__module__ == "sqlite3" and bool(
        _SQLITE_MISTAKES.search(str(problem.orig))
    )


def _table(names: list[str], rows: Sequence[Any], feed: Feed, since: str | None) -> pl.DataFrame:
    """Person, item and rating of each row; a rating of 1 where the rule needs none."""
    needed = 2 if feed.rule in ("count", "any") else 3
    given = [name for name in names if name != since]
    if len(given) < needed:
        raise InputError(
            f"gives {len(given)} columns, and {needed} are needed",
            where="--from",
            hint="The person, the item, and the rating; --merge count or any needs no rating.",
        )
    places = [names.index(name) for name in given[:needed]]
    columns: dict[str, list[Any]] = {
        name: [row[at] for row in rows] for name, at in zip(COLUMNS, places, strict=False)
    }
    for name, values in columns.items():
        if None in values:
            raise InputError(
                f"{values.count(None):,} rows have no {_WORDS[name]} (NULL)",
                where="--from",
                hint="Leave them out in the query.",
            )
        columns[name] = _numbers(values) if name == "value" else list(map(str, values))
    columns.setdefault("value", [1.0] * len(rows))
    schema = {"user": pl.String, "item": pl.String, "value": pl.Float64}
    return pl.DataFrame(columns, schema=schema)


def _numbers(values: list[Any]) -> list[float]:
    try:
        return list(map(float, values))
    except (TypeError, ValueError) as problem:
        raise InputError(f"a rating is not a number: {problem}", where="--from") from None


def _literal(value: str | float, database: str) -> str:
    """A value in SQL, to be read as one of the column's own type.

    PostgreSQL does so with what is quoted; SQLite compares numbers only with numbers.
    """
    if database == "sqlite" and isinstance(value, int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"
