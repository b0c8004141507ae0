"""Schema: the tables of a store, their versions, and the steps from each to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.schema import CreateTable

from recloak.core.errors import InputError
from recloak.lists.store.records import LATER, START, ReleaseRecord, rotation_digest

if TYPE_CHECKING:
    from sqlalchemy import Connection, Dialect

TABLES = MetaData()

STORE = Table("recloak_store", TABLES, Column("version", Integer, nullable=False))

RELEASES = Table(
    "recloak_releases",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("published_at", String(32), nullable=False),
    Column("protected", Boolean, nullable=False),
    Column("delta", String(32)),
    Column("window", Integer, nullable=False),
    Column("top", Integer, nullable=False),
    Column("algorithm", Text, nullable=False),
    Column("similarity", Text, nullable=False),
    Column("n_items", Integer, nullable=False),
    Column("n_ratings", BigInteger, nullable=False),
    Column("ratings_digest", String(64), nullable=False),
    Column("lists_digest", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("n_users", Integer),
    Column("n_filled", BigInteger),
    Column("n_wanted", BigInteger),
    Column("n_kept", BigInteger),
    Column("n_moved", BigInteger),
    Column("n_attainable", BigInteger),
    Column("key_name", String(16)),
    Column("input_digest", String(64)),
    Column("rotations", String(64)),
)

LISTS = Table(
    "recloak_lists",
    TABLES,
    Column(
        "number",
        Integer,
        ForeignKey("recloak_releases.number"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("item", Text, primary_key=True),
    Column("related", Text, nullable=False),
)

RANKING_CACHE = Table(
    "recloak_memory",
    TABLES,
    Column("name", String(32), primary_key=True),
    Column("sha256", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

ROTATIONS = Table(
    "recloak_rotations",
    TABLES,
    Column(
        "number",
        Integer,
        ForeignKey("recloak_releases.number"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("rotated_at", String(32), nullable=False),
    Column("digest", String(64)),
)
_ADDED = {
    RELEASES: tuple(RELEASES.c[name] for name in LATER),
    ROTATIONS: (ROTATIONS.c.digest,),
}
"""The columns that the third schema added."""


def _first(connection: Connection) -> None:
    """Releases and their lists."""
    TABLES.create_all(connection, tables=[STORE, RELEASES, LISTS])
    if connection.execute(select(STORE.c.version)).first() is None:
        connection.execute(insert(STORE).values(version=0))


def _second(connection: Connection) -> None:
    """The ranking cache, and which lists were removed."""
    TABLES.create_all(connection, tables=[RANKING_CACHE, ROTATIONS])


def _third(connection: Connection) -> None:
    """What lists are worth, keyed digests, and rotations in the chain.

    What was kept without a key is removed. A table that a step before has just made has
    the columns already.
    """
    for table, columns in _ADDED.items():
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in columns:
            if column.name not in there:
                connection.exec_driver_sql(_adding(table, column, connection.dialect))
    connection.execute(delete(RANKING_CACHE))
    _chain_rotations(connection)


def _chain_rotations(connection: Connection) -> None:
    """Give the rotations that there are their digests."""
    columns = [RELEASES.c[one.name] for one in fields(ReleaseRecord)]
    done = select(ROTATIONS.c.rotated_at, *columns).join(RELEASES).order_by(ROTATIONS.c.number)
    before = START
    for row in connection.execute(done).all():
        facts = dict(row._mapping)
        rotated_at = facts.pop("rotated_at")
        before = rotation_digest(ReleaseRecord(**facts), rotated_at, before)
        which = ROTATIONS.c.number == facts["number"]
        connection.execute(update(ROTATIONS).where(which).values(digest=before))


STEPS: tuple[Callable[[Connection], None], ...] = (_first, _second, _third)
VERSION = len(STEPS)


def version_of(connection: Connection, where: str) -> int:
    """The version of the schema; 0 where nothing was made yet."""
    there = set(inspect(connection).get_table_names()) & set(TABLES.tables)
    if not there:
        return 0
    found: list[object] = []
    if STORE.name in there:
        found = list(connection.execute(select(STORE.c.version)).scalars())
        if not found and not _holds_releases(connection, there):
            return 0  # an administrator made the tables, and nothing was written yet
    version = found[0] if len(found) == 1 else None
    if not isinstance(version, int) or version < 1:
        raise InputError("does not say which version it has: it was edited", where=where)
    if version > VERSION:
        raise InputError(
            f"was made by a newer recloak (schema {version}, this one knows {VERSION})",
            where=where,
            hint="Update recloak; it does not change a newer store.",
        )
    return version


def _holds_releases(connection: Connection, there: set[str]) -> bool:
    return RELEASES.name in there and bool(connection.execute(select(RELEASES.c.number)).first())


def migrate(connection: Connection, where: str) -> None:
    """Bring the schema up to date, within the transaction of the caller."""
    version = version_of(connection, where)
    for step in STEPS[version:]:
        step(connection)
    if version < VERSION:
        connection.execute(update(STORE).values(version=VERSION))


def readable_version(connection: Connection, where: str) -> int:
    """The version of a store that is read; older schemas are, only a release changes them."""
    version = version_of(connection, where)
    if version == 0:
        raise InputError(
            "holds no lists yet", where=where, hint="'recloak lists release --new' publishes some."
        )
    return version


def statements(version: int, dialect: Dialect) -> list[str]:
    """What an administrator runs where the job may not change tables; it may be run twice.

    Rows are left to the next release, or to 'recloak lists migrate'.
    """
    made = {0: (STORE, RELEASES, LISTS), 1: (RANKING_CACHE, ROTATIONS)}
    tables = [table for step, some in made.items() if step >= version for table in some]
    sql = [
        str(CreateTable(table, if_not_exists=True).compile(dialect=dialect)).strip()
        for table in tables
    ]
    added = [(table, one) for table, some in _ADDED.items() for one in some if table not in tables]
    if version < VERSION:
        sql += [f"{_adding(*one, dialect)}" for one in added]
    return sql


def grants(job: str | None, reader: str | None) -> list[str]:
    """What a nightly job and a service need, and nothing else."""
    sql = []
    if job:
        names = ", ".join(table.name for table in TABLES.sorted_tables)
        sql.append(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {names} TO {job}")
    if reader:
        names = ", ".join(table.name for table in (STORE, RELEASES, LISTS, ROTATIONS))
        sql.append(f"GRANT SELECT ON {names} TO {reader}")
    return sql


def _adding(table: Table, column: Column[Any], dialect: Dialect) -> str:
    unless = "IF NOT EXISTS " if dialect.name == "postgresql" else ""
    kind = column.type.compile(dialect)
    return f"ALTER TABLE {table.name} ADD COLUMN {unless}{column.name} {kind}"
