"""Keeping: reads and writes releases; a transaction is the caller's, so that it ends as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields

from sqlalchemy import Connection, Engine, delete, func, insert, select

from recloak.errors import InputError
from recloak.store.database import (
    EDITED,
    RESTORE,
    WAIT_SECONDS,
    engine_of,
    reading,
    shown,
    url_of,
    writing,
)
from recloak.store.records import START, Record, lists_digest
from recloak.store.schema import LISTS, MEMORY, RELEASES, ROTATIONS, migrate, refuse_other_version

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
    def writing(self, wait: float = WAIT_SECONDS) -> Iterator[Kept]:
        """One release at a time: what is written in the block counts at its end or not at all."""
        with writing(self.engine, wait) as connection:
            migrate(connection, self.where)
            yield Kept(connection, self.where)

    @contextmanager
    def reading(self) -> Iterator[Kept]:
        """The store as it is at one moment."""
        with reading(self.engine) as connection:
            refuse_other_version(connection, self.where)
            yield Kept(connection, self.where)


@dataclass(frozen=True, eq=False)
class Kept:
    """What a store holds, within one transaction."""

    connection: Connection
    where: str

    def records(self) -> list[Record]:
        """The facts of all releases, oldest first; a chain that does not fit is refused."""
        columns = [RELEASES.c[one.name] for one in fields(Record)]
        rows = self.connection.execute(select(*columns).order_by(RELEASES.c.number))
        records = [Record(**row._mapping) for row in rows]
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

    def texts(self, record: Record) -> dict[str, str]:
        """The lists of a release as they are kept; refused if they do not fit their digest."""
        query = select(LISTS.c.item, LISTS.c.related).where(LISTS.c.number == record.number)
        texts = {row.item: row.related for row in self.connection.execute(query)}
        plain = all(isinstance(word, str) for pair in texts.items() for word in pair)
        if not plain or lists_digest(texts) != record.lists_digest:
            raise self._edited(f"the lists of release {record.number}")
        return texts

    def rotated(self) -> set[int]:
        """The releases whose lists were put away."""
        return set(self.connection.execute(select(ROTATIONS.c.number)).scalars())

    def add(self, record: Record, texts: Mapping[str, str]) -> None:
        """Write down one more release."""
        self.connection.execute(insert(RELEASES).values(**asdict(record)))
        items = sorted(texts)
        for start in range(0, len(items), _ROWS):
            rows = [
                {"number": record.number, "item": item, "related": texts[item]}
                for item in items[start : start + _ROWS]
            ]
            self.connection.execute(insert(LISTS), rows)

    def memory(self) -> bytes | None:
        """What ranking left the last time; None if nothing, or if it was damaged."""
        row = self.connection.execute(select(MEMORY.c.content, MEMORY.c.sha256)).first()
        if row is None or not isinstance(row[0], bytes):  # SQLite keeps a text where it is put
            return None
        return row[0] if hashlib.sha256(row[0]).hexdigest() == row[1] else None

    def remember(self, content: bytes | None) -> None:
        """Keep what ranking leaves in place of what it left before."""
        self.connection.execute(delete(MEMORY))
        if content is not None:
            told = hashlib.sha256(content).hexdigest()
            self.connection.execute(
                insert(MEMORY).values(name="ranking", sha256=told, content=content)
            )

    def rotate(self, keep: int, now: str) -> list[int]:
        """Put the lists of all but the last ``keep`` releases away; their facts stay."""
        newest = self.connection.execute(select(func.max(RELEASES.c.number))).scalar()
        gone = self.rotated()
        old = [number for number in range((newest or 0) + 1 - keep) if number not in gone]
        for number in old:
            self.connection.execute(delete(LISTS).where(LISTS.c.number == number))
            self.connection.execute(insert(ROTATIONS).values(number=number, rotated_at=now))
        return old
