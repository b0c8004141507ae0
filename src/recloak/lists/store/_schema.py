"""Schema: the tables of a store, their versions, and the steps from each to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
    insert,
    inspect,
    select,
    update,
)

from recloak.core.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Connection

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
)


def _first(connection: Connection) -> None:
    """Releases and their lists."""
    TABLES.create_all(connection, tables=[STORE, RELEASES, LISTS])
    connection.execute(insert(STORE).values(version=0))


def _second(connection: Connection) -> None:
    """The ranking cache, and which lists were removed."""
    TABLES.create_all(connection, tables=[RANKING_CACHE, ROTATIONS])


STEPS: tuple[Callable[[Connection], None], ...] = (_first, _second)
VERSION = len(STEPS)


def version_of(connection: Connection, where: str) -> int:
    """The version of the schema; 0 where nothing was made yet."""
    there = set(inspect(connection).get_table_names()) & set(TABLES.tables)
    if not there:
        return 0
    found: list[object] = []
    if STORE.name in there:
        found = list(connection.execute(select(STORE.c.version)).scalars())
    version = found[0] if len(found) == 1 else None
    if not isinstance(version, int) or version < 1:
        raise InputError("does not say which version it has: it was edited", where=where)
    if version > VERSION:
        raise InputError(
            f"was made by a newer recloak (schema {version}, this one knows {VERSION})",
            where=where,
            hint="Update recloak; a newer store is never touched.",
        )
    return version


def migrate(connection: Connection, where: str) -> None:
    """Bring the schema up to date, within the transaction of the caller."""
    version = version_of(connection, where)
    for step in STEPS[version:]:
        step(connection)
    if version < VERSION:
        connection.execute(update(STORE).values(version=VERSION))


def refuse_other_version(connection: Connection, where: str) -> None:
    """Reading needs the schema of now; only a release changes a store."""
    version = version_of(connection, where)
    if version == 0:
        raise InputError(
            "holds no lists yet", where=where, hint="'recloak lists release' publishes some."
        )
    if version < VERSION:
        raise InputError(
            f"has the older schema {version}, this recloak reads {VERSION}",
            where=where,
            hint="The next 'recloak lists release' brings it up to date; make a backup first.",
        )
