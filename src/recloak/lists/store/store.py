"""Store: reads and writes releases of lists, each within a transaction of the caller."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select

from recloak.core.errors import InputError
from recloak.lists.store.database import (
    EDITED,
    RESTORE,
    WAIT_SECONDS,
    answered,
    engine_of,
    make_private,
    no_store,
    reading,
    writing,
)
from recloak.lists.store.keys import StoreKey, key_file, make_key, read_key
from recloak.lists.store.records import (
    LATER,
    START,
    ReleaseRecord,
    StoredLists,
    lists_digest,
    rotation_digest,
)
from recloak.lists.store.schema import (
    LISTS,
    RANKING_CACHE,
    RELEASES,
    ROTATIONS,
    VERSION,
    migrate,
    readable_version,
    version_of,
)
from recloak.lists.store.urls import shown, url_of

_ROWS = 5_000
RANKING, FEED = "ranking", "feed"


@dataclass(frozen=True, eq=False)
class Store:
    """A database with releases of lists; only if it may be made, may it be empty."""

    engine: Engine
    make: bool = False
    key_path: str | None = None

    @classmethod
    def at(cls, url: str, *, make: bool = False, key: str | None = None) -> Store:
        """The store at a URL or path; with ``make`` it may be new. ``key``: the file of its key."""
        return cls(engine_of(url_of(url), make=make), make, key)

    @property
    def where(self) -> str:
        return shown(self.engine.url)

    def key(self, name: str | None = None, *, renew: bool = False) -> StoreKey:
        """The key of digests: made where nothing was made with one (``name``) yet, or to renew it.

        Raises `InputError` if it is lost, or another than the last release was made with.
        """
        path = key_file(self.engine.url, self.key_path)
        found = make_key(path) if name is None or renew else read_key(path)
        if name is not None and not renew and found.name != name:
            raise InputError(
                "is not the key that the last release was made with",
                where=str(path),
                hint="Say with --key where that is. If it is lost: --new-key.",
            )
        return found

    @contextmanager
    def writing(self, wait: float = WAIT_SECONDS) -> Iterator[StoreTransaction]:
        """One release at a time: what is written in the block counts at its end or not at all."""
        if self.make and self.engine.dialect.name == "sqlite":
            make_private(Path(str(self.engine.url.database)))
        with writing(self.engine, wait) as connection:
            if not self.make and version_of(connection, self.where) == 0:
                raise no_store(self.where)
            migrate(connection, self.where)
            yield StoreTransaction(connection, self.where)

    @contextmanager
    def reading(self) -> Iterator[StoreTransaction]:
        """The store as it is at one moment, of any schema that there was."""
        with reading(self.engine) as connection:
            version = readable_version(connection, self.where)
            yield StoreTransaction(connection, self.where, version)

    @contextmanager
    def reading_if_any(self) -> Iterator[StoreTransaction | None]:
        """As `reading`; None where a store that may be made has nothing yet, not even tables."""
        if self.make and self._has_no_file():
            yield None
            return
        with reading(self.engine) as connection:
            known = version_of if self.make else readable_version
            version = known(connection, self.where)
            yield StoreTransaction(connection, self.where, version) if version else None

    def version(self) -> int:
        """The version of its schema; 0 where there is nothing yet."""
        if self._has_no_file():
            return 0
        with reading(self.engine) as connection:
            return version_of(connection, self.where)

    def _has_no_file(self) -> bool:
        url = self.engine.url
        return url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists()


@dataclass(frozen=True, eq=False)
class StoreTransaction:
    """Reads and writes a store within one transaction."""

    connection: Connection
    where: str
    version: int = VERSION

    def records(self) -> list[ReleaseRecord]:
        """The records of all releases, oldest first; raise `InputError` if the chain is broken."""
        names = [one.name for one in fields(ReleaseRecord)]
        names = [name for name in names if self.version >= VERSION or name not in LATER]
        columns = [RELEASES.c[name] for name in names]
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
        texts = self._rows_of(record)
        kinds = set(map(type, texts)) | set(map(type, texts.values()))
        if kinds - {str} or lists_digest(texts) != record.lists_digest:
            raise self._edited(f"the lists of release {record.number}")
        return texts

    def gives_back(self, record: ReleaseRecord, texts: Mapping[str, str]) -> bool:
        """Is a release read back as it was written? Equal texts need no digest to compare."""
        return self.records()[-1] == record and self._rows_of(record) == texts

    def _rows_of(self, record: ReleaseRecord) -> dict[str, str]:
        query = select(LISTS.c.item, LISTS.c.related).where(LISTS.c.number == record.number)
        rows = dict(self.connection.execute(query).all())
        answered(self.connection)
        return rows

    def lists(self, record: ReleaseRecord) -> StoredLists:
        """The lists of a release, parsed; raise `InputError` as `texts` does."""
        return StoredLists.of(record, self.texts(record))

    def rotated(self, records: Sequence[ReleaseRecord]) -> Rotations:
        """The releases whose lists were removed; raise `InputError` if that was edited.

        Each rotation carries a digest over the one before it, and releases carry that of the last
        rotation before them. What was removed must be gone.
        """
        rows = self._rotation_rows()
        first = self.connection.execute(select(func.min(LISTS.c.number))).scalar()
        before, digests = START, list[str]()
        for place, (number, rotated_at, digest) in enumerate(rows):
            if number != place or place >= len(records) or not isinstance(rotated_at, str):
                raise self._edited("rotations")
            before = rotation_digest(records[place], rotated_at, before)
            if self.version >= VERSION and digest != before:
                raise self._edited(f"the rotation of release {number}")
            digests.append(before)
        if first is not None and first < len(rows):
            raise self._edited(f"the lists of release {first}, which were removed")
        known = [record.rotations for record in records if record.rotations is not None]
        if any(one not in digests for one in known):
            raise self._edited("rotations")
        return Rotations(len(rows), tuple(digests))

    def _rotation_rows(self) -> list[tuple[int, str, str | None]]:
        if self.version == 1:  # there were none yet
            return []
        columns = [ROTATIONS.c.number, ROTATIONS.c.rotated_at]
        columns += [ROTATIONS.c.digest] if self.version >= VERSION else []
        rows = self.connection.execute(select(*columns).order_by(ROTATIONS.c.number))
        return [(row[0], row[1], row[2] if len(columns) > 2 else None) for row in rows]

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
        return self.memory(RANKING)

    def set_ranking_cache(self, content: bytes | None) -> None:
        """Replace the ranking cache; None removes it."""
        self.set_memory(RANKING, content)

    def memory(self, name: str) -> bytes | None:
        """What is kept for the next night under a name; None if nothing is, or it was damaged."""
        if self.version < VERSION:  # it was made without a key
            return None
        columns = select(RANKING_CACHE.c.content, RANKING_CACHE.c.sha256)
        row = self.connection.execute(columns.where(RANKING_CACHE.c.name == name)).first()
        if row is None or not isinstance(row[0], bytes):  # SQLite keeps a text where it is put
            return None
        return row[0] if hashlib.sha256(row[0]).hexdigest() == row[1] else None

    def set_memory(self, name: str, content: bytes | None) -> None:
        """Replace what is kept under a name; None removes it."""
        self.connection.execute(delete(RANKING_CACHE).where(RANKING_CACHE.c.name == name))
        if content is not None:
            digest = hashlib.sha256(content).hexdigest()
            row = {"name": name, "sha256": digest, "content": content}
            self.connection.execute(insert(RANKING_CACHE).values(**row))

    def rotate(self, keep: int, now: str) -> list[int]:
        """Remove the lists of all but the last ``keep`` releases; their records stay."""
        records = self.records()
        done = self.rotated(records)
        before, old = done.last, records[done.count : max(0, len(records) - keep)]
        for record in old:
            before = rotation_digest(record, now, before)
            self.connection.execute(delete(LISTS).where(LISTS.c.number == record.number))
            row = {"number": record.number, "rotated_at": now, "digest": before}
            self.connection.execute(insert(ROTATIONS).values(**row))
        return [record.number for record in old]


@dataclass(frozen=True)
class Rotations:
    """The first ``count`` releases have no lists any more; the ``digests`` of their rotations."""

    count: int
    digests: tuple[str, ...]

    @property
    def last(self) -> str:
        return self.digests[-1] if self.digests else START

    def __contains__(self, number: int) -> bool:
        return number < self.count


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
                hint=f"The store has the releases 0 to {len(records) - 1}.",
            )
        if wanted in transaction.rotated(records):
            raise InputError(
                f"the lists of release {wanted} were removed by 'recloak lists rotate'",
                where=store.where,
            )
        texts = transaction.texts(records[wanted])
    if item not in texts:
        raise InputError(f"there is no item called '{item}' in release {wanted}", where=store.where)
    return records[wanted], texts[item]
