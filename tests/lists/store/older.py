"""Stores as an older recloak left them: their tables, and releases without keyed digests."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from sqlalchemy import text

from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.lists.store.checking import laid_out
from recloak.lists.store.database import make_private, writing
from recloak.lists.store.records import (
    LATER,
    START,
    ReleaseRecord,
    lists_digest,
    ratings_digest,
)
from recloak.lists.store.store import Store
from tests.lists.store.shop import SETTINGS

_TABLES = (
    "CREATE TABLE recloak_store (version INTEGER NOT NULL)",
    """CREATE TABLE recloak_releases (number INTEGER NOT NULL PRIMARY KEY,
    published_at VARCHAR(32) NOT NULL, protected BOOLEAN NOT NULL, delta VARCHAR(32),
    "window" INTEGER NOT NULL, top INTEGER NOT NULL, algorithm TEXT NOT NULL,
    similarity TEXT NOT NULL, n_items INTEGER NOT NULL, n_ratings BIGINT NOT NULL,
    ratings_digest VARCHAR(64) NOT NULL, lists_digest VARCHAR(64) NOT NULL,
    digest VARCHAR(64) NOT NULL)""",
    """CREATE TABLE recloak_lists (number INTEGER NOT NULL REFERENCES recloak_releases (number),
    item TEXT NOT NULL, related TEXT NOT NULL, PRIMARY KEY (number, item))""",
    """CREATE TABLE recloak_memory (name VARCHAR(32) NOT NULL PRIMARY KEY,
    sha256 VARCHAR(64) NOT NULL, content {bytes} NOT NULL)""",
    """CREATE TABLE recloak_rotations (number INTEGER NOT NULL PRIMARY KEY
    REFERENCES recloak_releases (number), rotated_at VARCHAR(32) NOT NULL)""",
)


def older_store(url: str, version: int, ratings: Ratings, *, rotated: bool = False) -> Store:
    """Two releases with empty lists; the second was made from these ratings.

    With ``rotated`` the lists of the first were put away.
    """
    store = Store.at(url, make=True)
    if store.engine.dialect.name == "sqlite":
        make_private(Path(str(store.engine.url.database)))
    kind = "BYTEA" if store.engine.dialect.name == "postgresql" else "BLOB"
    names = [str(label) for label in ratings.item_labels]
    empty = f"[{','.join(['null'] * int(str(SETTINGS['top'])))}]"
    texts = dict.fromkeys(names, empty)
    with writing(store.engine) as connection:
        for statement in _TABLES[: 3 if version == 1 else 5]:
            connection.exec_driver_sql(statement.format(bytes=kind))
        connection.execute(text(f"INSERT INTO recloak_store VALUES ({version})"))
        before = START
        for number in range(2):
            record = _record(number, ratings, texts).chained(before)
            before = record.digest
            facts = {key: one for key, one in asdict(record).items() if key not in LATER}
            columns = ", ".join(f'"{name}"' for name in facts)
            given = ", ".join(f":{name}" for name in facts)
            connection.execute(
                text(f"INSERT INTO recloak_releases ({columns}) VALUES ({given})"), facts
            )
            if number or not rotated:
                rows = [{"number": number, "item": item, "related": empty} for item in names]
                connection.execute(
                    text("INSERT INTO recloak_lists VALUES (:number, :item, :related)"), rows
                )
        if rotated:
            connection.execute(text("INSERT INTO recloak_rotations VALUES (0, '2026-01-01')"))
    return store


def _record(number: int, ratings: Ratings, texts: dict[str, str]) -> ReleaseRecord:
    timed, _ = laid_out(ratings, [], 3)
    digest = ratings_digest(Timeline(timed).at(timed.n_ratings))
    return ReleaseRecord(
        number=number,
        published_at=f"2026-01-0{number + 1}T00:00:00Z",
        protected=True,
        delta=str(SETTINGS["delta"]),
        window=int(str(SETTINGS["window"])),
        top=int(str(SETTINGS["top"])),
        algorithm="constructive",
        similarity="cosine",
        n_items=len(texts),
        n_ratings=timed.n_ratings,
        ratings_digest=digest if number else "0" * 64,
        lists_digest=lists_digest(texts),
    )
