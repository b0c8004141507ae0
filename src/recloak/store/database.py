"""Database: a URL to an engine; how it is locked, and its errors in our words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.errors import InputError, MachineError, ParameterError, RecloakError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

DEFAULT = "lists.db"
WAIT_SECONDS = 600
_ADVISORY_LOCK = 7_236_265_020_001  # any number, as long as all runs take the same
_BUSY = ("database is locked", "lock timeout", "canceling statement due to lock")


def url_of(text: str) -> URL:
    """A URL, or the path of a SQLite file; PostgreSQL is spoken to with psycopg."""
    try:
        from sqlalchemy import URL, make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise _missing("store") from None
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ParameterError("is no URL of a database", where="--store", hint=_EXAMPLES) from None
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite" or not url.database:
        what = f"'{url.drivername}' is no database that recloak keeps lists in"
        raise ParameterError(what, where="--store", hint=_EXAMPLES)
    return url


_EXAMPLES = "A file such as lists.db, or postgresql://user@host/database."


def shown(url: URL) -> str:
    """The URL without its password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    return url.render_as_string(hide_password=True)


def engine_of(url: URL, *, make: bool) -> Engine:
    """An engine; without ``make`` a SQLite file must be there already."""
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    is_file = url.get_backend_name() == "sqlite"
    if is_file and not make and not Path(str(url.database)).is_file():
        raise InputError(
            "there is no such store", where=shown(url), hint="'recloak lists release' makes one."
        )
    try:
        engine = create_engine(url, poolclass=NullPool)
    except ImportError:
        raise _missing("postgresql") from None
    if is_file:
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Transactions are begun by us alone, readers never wait, and commits reach the disk."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {WAIT_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if "wait" in options:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(options['wait'] * 1000)}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")


@contextmanager
def writing(engine: Engine, wait: float = WAIT_SECONDS) -> Iterator[Connection]:
    """A transaction that no other run works beside; who comes second waits.

    The lock belongs to the connection, so that it is gone with a process that was killed.
    """
    with (
        store_errors(shown(engine.url)),
        engine.connect().execution_options(writing=True, wait=wait) as connection,
        connection.begin(),
    ):
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(wait * 1000))}")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees the store as it was at one moment."""
    with store_errors(shown(engine.url)):
        connection = engine.connect()
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        with connection, connection.begin():
            yield connection


@contextmanager
def store_errors(where: str) -> Iterator[None]:
    """Turn what a database complains of into errors that say what to do."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except RecloakError:
        raise
    except DBAPIError as problem:
        raise _told(str(problem.orig).strip(), where) from problem
    except sqlite3.Error as problem:  # while connecting, before there is anything to wrap it
        raise _told(str(problem), where) from problem
    except SQLAlchemyError as problem:
        raise InputError(f"cannot be read: {problem}", where=where) from problem


def _told(said: str, where: str) -> RecloakError:
    first = said.splitlines()[0] if said else "the database failed"
    if any(words in said for words in _BUSY):
        return MachineError(
            "another run is at work on this store",
            where=where,
            hint="Wait for it to end, or give it longer with --wait.",
        )
    if "file is not a database" in said or "malformed" in said:
        return InputError(
            f"is no store, or a damaged one: {first}", where=where, hint="Restore it from a backup."
        )
    return MachineError(f"the database says: {first}", where=where)


def _missing(extra: str) -> ParameterError:
    return ParameterError(
        f"needs packages of the extra '{extra}', which are not installed",
        where="--store",
        hint=f"pip install 'recloak[{extra}]'",
    )
