"""Database: a URL to an engine; how it is locked, and its errors in our words."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.core.errors import InputError, MachineError, ParameterError, RecloakError
from recloak.core.stopping import indivisible

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

WAIT_SECONDS = 600
_LONGEST_WAIT = 2_000_000  # seconds; databases count thousandths in 31 bits
_ADVISORY_LOCK = 7_236_265_020_001  # any number, as long as all runs take the same
_BUSY = ("database is locked", "lock timeout", "canceling statement due to lock")
_DAMAGED = ("file is not a database", "malformed")
_CHANGED = re.compile(r"no such (table|column)|(relation|column) .* does not exist|has no column")
EDITED = "the store was edited, or damaged"
RESTORE = "Restore it from a backup; publish nothing before that."


def url_of(text: str) -> URL:
    """A URL, or the path of a SQLite file; PostgreSQL is spoken to with psycopg."""
    try:
        from sqlalchemy import URL, make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise _missing("store") from None
    if "://" not in text:
        return _file_url(URL.create("sqlite", database=text))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ParameterError("is no URL of a database", where="--store", hint=_EXAMPLES) from None
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        what = f"'{url.drivername}' is no database that recloak keeps lists in"
        raise ParameterError(what, where="--store", hint=_EXAMPLES)
    return _file_url(url)


def _file_url(url: URL) -> URL:
    """SQLite, with a file: what it keeps in memory is gone before anybody could ask for it."""
    path = url.database or ""
    if not path.strip() or path == ":memory:" or "\0" in path or url.query:
        what = f"'{path}' names no file: it is no database that recloak keeps lists in"
        raise ParameterError(what, where="--store", hint=_EXAMPLES)
    return url.set(drivername="sqlite")


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
        if make:
            event.listen(engine, "do_connect", lambda *_: _make_private(Path(str(url.database))))
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_private(path: Path) -> None:
    """A new store is its owner's alone; the files that SQLite keeps beside it take that over.

    Who may read one that exists is for those to say who run it.
    """
    with suppress(OSError):  # it exists, or SQLite says why it cannot be made
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Transactions are begun by us alone, and commits reach the disk."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {WAIT_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("writing"):
        connection.exec_driver_sql("BEGIN")
        return
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {_millis(options['wait'])}")
    connection.exec_driver_sql("PRAGMA journal_mode = WAL")  # readers never wait, from now on
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _millis(seconds: float) -> int:
    """What both databases take as a time to wait, of which 0 would mean for ever to one."""
    return max(1, int(min(seconds, _LONGEST_WAIT) * 1000))


@contextmanager
def writing(engine: Engine, wait: float = WAIT_SECONDS) -> Iterator[Connection]:
    """A transaction that no other run works beside; who comes second waits.

    The lock belongs to the connection, so that it is gone with a process that was killed.
    """
    with (
        store_errors(shown(engine.url)),
        engine.connect().execution_options(writing=True, wait=wait) as connection,
        connection.begin() as transaction,
    ):
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_millis(wait)}")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
        yield connection
        with indivisible():
            transaction.commit()


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
    """Turn errors of the database into errors that say what to do."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except RecloakError:
        raise
    except DBAPIError as problem:
        raise _error_of(str(problem.orig).strip(), where) from problem
    except sqlite3.Error as problem:  # while connecting, before there is anything to wrap it
        raise _error_of(str(problem), where) from problem
    except SQLAlchemyError as problem:
        raise InputError(f"cannot be read: {problem}", where=where) from problem


def _error_of(said: str, where: str) -> RecloakError:
    first = said.splitlines()[0] if said else "the database failed"
    if any(words in said for words in _BUSY):
        return MachineError(
            "another run is at work on this store",
            where=where,
            hint="Wait for it to end, or give it longer with --wait.",
        )
    if _CHANGED.search(said):
        return InputError(f"{EDITED}: {first}", where=where, hint=RESTORE)
    if any(words in said for words in _DAMAGED):
        return InputError(
            f"is no store, or a damaged one: {first}", where=where, hint="Restore it from a backup."
        )
    hint = "SQLite makes files beside the store, also to read it." if "readonly" in said else None
    return MachineError(f"the database says: {first}", where=where, hint=hint)


def _missing(extra: str) -> ParameterError:
    return ParameterError(
        f"needs packages of the extra '{extra}', which are not installed",
        where="--store",
        hint=f"pip install 'recloak[{extra}]'",
    )
