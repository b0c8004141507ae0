"""Database: engines for URLs; transactions, how long they wait, and errors in our words."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from recloak.core.errors import InputError, MachineError, RecloakError
from recloak.core.stopping import indivisible
from recloak.lists.store._watchdog import given_up_after, shut_after
from recloak.lists.store.urls import missing, shown

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

WAIT_SECONDS = 600
READ_SECONDS = 60  # to read a store; who cannot by then is told
_WRITE_SECONDS = 300  # to write a release, once it is our turn
_CONNECT_SECONDS = 10
_BUSY_SECONDS = 5  # readers of SQLite hardly ever wait
_MARGIN_SECONDS = 5  # the server's own timeouts, which say more, come first
_LONGEST_WAIT = 2_000_000  # seconds; databases count thousandths in 31 bits
_WATCH = "watch"
_ADVISORY_LOCK = 7_236_265_020_001  # any number, as long as all runs take the same
_BUSY = ("database is locked", "lock timeout", "canceling statement due to lock")
_DAMAGED = ("file is not a database", "malformed")
_CHANGED = re.compile(r"no such (table|column)|(relation|column) .* does not exist|has no column")
_HINTS = {
    "readonly": "SQLite makes files beside the store, also to read it.",
    "permission denied": "What 'recloak lists migrate --sql --job ROLE --reader ROLE' prints makes "
    "the tables and grants what a job and a service need; an administrator runs it.",
}
EDITED = "the store was edited, or damaged"
RESTORE = "Restore it from a backup; publish nothing before that."


def engine_of(url: URL, *, make: bool) -> Engine:
    """An engine; without ``make`` a SQLite file must be there already, and is never made."""
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    is_file = url.get_backend_name() == "sqlite"
    if not make:
        _refuse_missing(url)
    known: dict[str, Any] = {}
    if not is_file:  # no prepared statements: behind PgBouncer the next one goes elsewhere
        known = {"connect_timeout": _CONNECT_SECONDS, "prepare_threshold": None}
    try:
        engine = create_engine(url, poolclass=NullPool, connect_args=known)
    except ImportError:
        raise missing("postgresql") from None
    if is_file:
        event.listen(engine, "do_connect", lambda *_: _connect_file(Path(str(url.database))))
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "connect", _watch_first_questions, insert=True)
    return engine


def _watch_first_questions(connection: Any, record: Any) -> None:
    """SQLAlchemy asks a new server who it is, before anybody else can watch it."""
    record.info["first questions"] = shut_after(connection, _CONNECT_SECONDS)


def no_store(where: str) -> InputError:
    """What to say of a store that is not there: it may be lost, or its path mistyped."""
    return InputError(
        "there is no such store",
        where=where,
        hint=(
            "If lists were published before, restore the store: new lists must be compared with "
            "them. Only for the very first release, 'recloak lists release --new' makes a store."
        ),
    )


def _refuse_missing(url: URL) -> None:
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).is_file():
        raise no_store(shown(url))


def _connect_file(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there: who only reads never makes one."""
    return sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, check_same_thread=False)


def make_private(path: Path) -> None:
    """A new store is its owner's alone; the files that SQLite keeps beside it take that over.

    Who may read one that exists is for those to say who run it.
    """
    with suppress(OSError):  # it exists, or SQLite says why it cannot be made
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Transactions are begun by us alone, and commits reach the disk."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")  # what is replaced is gone from the file
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

    The lock belongs to the transaction, so that it is gone with a process that was killed.
    """
    with (
        store_errors(shown(engine.url)),
        engine.connect().execution_options(writing=True, wait=wait) as connection,
    ):
        with _bounded(connection, min(wait, _LONGEST_WAIT)):
            transaction = connection.begin()
            _lock(connection, wait)
        with _bounded(connection, _WRITE_SECONDS), transaction:
            yield connection
            with indivisible():
                transaction.commit()


def _lock(connection: Connection, wait: float) -> None:
    """Wait for other runs; SQLite has done so when a transaction to write begins."""
    if connection.dialect.name == "postgresql":
        _limit(connection, wait=wait, idle=_WRITE_SECONDS)
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
        _limit(connection, wait=wait, statement=_WRITE_SECONDS, idle=_WRITE_SECONDS)


@contextmanager
def reading(engine: Engine, seconds: float = READ_SECONDS) -> Iterator[Connection]:
    """A transaction that sees the store as it was at one moment, and takes so long at most."""
    _refuse_missing(engine.url)
    with store_errors(shown(engine.url)):
        connection = engine.connect()
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        with connection, _bounded(connection, seconds), connection.begin():
            if engine.dialect.name == "postgresql":
                _limit(connection, wait=seconds, statement=seconds, idle=seconds)
            yield connection


@contextmanager
def _bounded(connection: Connection, seconds: float) -> Iterator[None]:
    """Give a server up that has not answered by then."""
    if connection.dialect.name != "postgresql":
        yield
        return
    known = connection.info
    first = known.pop("first questions", None)
    if first is not None:
        first.cancel()
    raw = connection.connection.dbapi_connection
    with given_up_after(raw, seconds + _MARGIN_SECONDS) as known[_WATCH]:
        yield


def answered(connection: Connection) -> None:
    """A large answer has come: the next has as long again, however long the window is."""
    watch = connection.info.get(_WATCH)
    if watch is not None:
        watch.begin_again()


def _limit(connection: Connection, *, wait: float, statement: float = 0, idle: float) -> None:
    """What the server waits for at most, in this transaction; a ``statement`` of 0: no end."""
    limits = {"lock_timeout": wait, "idle_in_transaction_session_timeout": idle}
    for name, seconds in limits.items():
        connection.exec_driver_sql(f"SET LOCAL {name} = {_millis(seconds)}")
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {statement and _millis(statement)}")


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


def _error_of(message: str, where: str) -> RecloakError:
    first = message.splitlines()[0] if message else "the database failed"
    if any(words in message for words in _BUSY):
        return MachineError(
            "another run is using this store",
            where=where,
            hint="Wait for it to end, or give it longer with --wait.",
        )
    if _CHANGED.search(message):
        return InputError(f"{EDITED}: {first}", where=where, hint=RESTORE)
    if any(words in message for words in _DAMAGED):
        return InputError(
            f"is not a store, or is damaged: {first}", where=where, hint="Restore it from a backup."
        )
    hint = next((hint for words, hint in _HINTS.items() if words in message), None)
    return MachineError(f"the database says: {first}", where=where, hint=hint)
