"""Store: reads and writes releases of lists, each within a transaction of the caller."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields

from sqlalchemy import Connection, Engine, delete, func, insert, select

from recloak.core.errors import InputError
from recloak.lists.store._schema import (
    LISTS,
    RANKING_CACHE,
    RELEASES,
    ROTATIONS,
    migrate,
    refuse_other_version,
)
from recloak.lists.store.database import (
    EDITED,
    RESTORE,
    WAIT_SECONDS,
    engine_of,
    reading,
    shown,
    url_of,
    writing,
)
from recloak.lists.store.records import START, ReleaseRecord, StoredLists, lists_digest

_ROWS = 5_000


@dataclass(frozen=True, eq=False)
class Store:
    """A database with releases of lists."""

    engine: Engine

    @classmethod
    def at(cls, url: str, *, make: bool = False) -> Store:
        """The store at a URL or path; with ``make`` a SQLite file may be new."""
        return cls(engine_of(url_of(url), make=make))

    @property
    def where(self) -> str:
        return shown(self.engine.url)

    @contextmanager
    def writing(self, wait: float = WAIT_SECONDS) -> Iterator[StoreTransaction]:
        """One release at a time: what is written in the block counts at its end or not at all."""
        with writing(self.engine, wait) as connection:
            migrate(connection, self.where)
            yield StoreTransaction(connection, self.where)

    @contextmanager
    def reading(self) -> Iterator[StoreTransaction]:
        """The store as it is at one moment."""
        with reading(self.engine) as connection:
            refuse_other_version(connection, self.where)
            yield StoreTransaction(connection, self.where)


@dataclass(frozen=True, eq=False)
class StoreTransaction:
    """Reads and writes a store within one transaction."""

    connection: Connection
    where: str

    def records(self) -> list[ReleaseRecord]:
        """The records of all releases, oldest first; raise `InputError` if the chain is broken."""
        columns = [RELEASES.c[one.name] for one in fields(ReleaseRecord)]
        rows = self.connection.execute(select(*columns).order_by(RELEASES.c.number))
        records = [ReleaseRecord(**row._mapping) for row in rows]
        before = START
        for place, record in enumerate(records):
            fits = record.number == place and record.is_plain()
            if not fits or record.chained(before).digest != record.digest:
                raise self._edited(f"release {record.number}")
            before = record.digest
        last = self.connection.execute(select(func.max(LISTS.c.number))).scalar()
        if last is not None and last >= len(records):
            raise self._edited(f"lists of a release {last} that there is not")
        return records

    def _edited(self, what: str) -> InputError:
        return InputError(EDITED, where=f"{self.where}, {what}", hint=RESTORE)

    def newest(self) -> tuple[int, str] | None:
        """Number and digest of the release in force; None if there is none."""
        row = self.connection.execute(
            select(RELEASES.c.number, RELEASES.c.digest).order_by(RELEASES.c.number.desc()).limit(1)
        ).first()
        return (int(row[0]), str(row[1])) if row else None

    def texts(self, record: ReleaseRecord) -> dict[str, str]:
        """The lists of a release as stored; raise `InputError` if they do not fit their digest."""
        query = select(LISTS.c.item, LISTS.c.related).where(LISTS.c.number == record.number)
        texts = {row.item: row.related for row in self.connection.execute(query)}
        plain = all(isinstance(word, str) for pair in texts.items() for word in pair)
        if not plain or lists_digest(texts) != record.lists_digest:
            raise self._edited(f"the lists of release {record.number}")
        return texts

    def lists(self, record: ReleaseRecord) -> StoredLists:
        """The lists of a release, parsed; raise `InputError` as `texts` does."""
        return StoredLists.of(record, self.texts(record))

    def rotated(self) -> set[int]:
        """The numbers of the releases whose lists were removed."""
        return set(self.connection.execute(select(ROTATIONS.c.number)).scalars())

    def add(self, record: ReleaseRecord, texts: Mapping[str, str]) -> None:
        """Write one more release."""
        self.connection.execute(insert(RELEASES).values(**asdict(record)))
        items = sorted(texts)
        for start in range(0, len(items), _ROWS):
            rows = [
                {"number": record.number, "item": item, "related": texts[item]}
                for item in items[start : start + _ROWS]
            ]
            self.connection.execute(insert(LISTS), rows)

    def withdraw(self, record: ReleaseRecord) -> None:
        """Remove a release that this transaction added and that may not come into force."""
        for table in (LISTS, RELEASES):
            self.connection.execute(delete(table).where(table.c.number == record.number))

    def ranking_cache(self) -> bytes | None:
        """The ranking cache of the last release; None if there is none, or it was damaged."""
        row = self.connection.execute(
            select(RANKING_CACHE.c.content, RANKING_CACHE.c.sha256)
        ).first()
        if row is None or not isinstance(row[0], bytes):  # SQLite keeps a text where it is put
            return None
        return row[0] if hashlib.sha256(row[0]).hexdigest() == row[1] else None

    def set_ranking_cache(self, content: bytes | None) -> None:
        """Replace the ranking cache; None removes it."""
        self.connection.execute(delete(RANKING_CACHE))
        if content is not None:
            digest = hashlib.sha256(content).hexdigest()
            self.connection.execute(
                insert(RANKING_CACHE).values(name="ranking", sha256=digest, content=content)
            )

    def rotate(self, keep: int, now: str) -> list[int]:
        """Remove the lists of all but the last ``keep`` releases; their records stay."""
        newest = self.connection.execute(select(func.max(RELEASES.c.number))).scalar()
        gone = self.rotated()
        old = [number for number in range((newest or 0) + 1 - keep) if number not in gone]
        for number in old:
            self.connection.execute(delete(LISTS).where(LISTS.c.number == number))
            self.connection.execute(insert(ROTATIONS).values(number=number, rotated_at=now))
        return old


def list_of(store: Store, item: str, number: int | None = None) -> tuple[ReleaseRecord, str]:
    """The record of a release (the one in force by default) and the list of an item in it.

    Raises `InputError` if there is no such release or item, or its lists were removed.
    """
    with store.reading() as transaction:
        records = transaction.records()
        if not records:
            raise InputError("holds no lists yet", where=store.where)
        wanted = records[-1].number if number is None else number
        if not 0 <= wanted < len(records):
            raise InputError(
                f"there is no release {wanted}",
                where=store.where,
                hint=f"There are those from 0 to {len(records) - 1}.",
            )
        if wanted in transaction.rotated():
            raise InputError(f"the lists of release {wanted} were put away", where=store.where)
        texts = transaction.texts(records[wanted])
    if item not in texts:
        raise InputError(f"there is no item called '{item}' in release {wanted}", where=store.where)
    return records[wanted], texts[item]
