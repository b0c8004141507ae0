"""Records of releases in a store, the chain of digests over them, and lists as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from recloak.core.arrays import Labels, Mask
from recloak.core.errors import InputError
from recloak.core.timeline import Snapshot
from recloak.lists.incremental_ranking import column_digests
from recloak.releases.lists.history import DatedLists
from recloak.releases.lists.related import EMPTY, Lists

START = "0" * 64
Entries = tuple[str | None, ...]


@dataclass(frozen=True)
class ReleaseRecord:
    """The facts of one release. ``digest`` covers all others, and the digest of the one before."""

    number: int
    published_at: str
    protected: bool
    delta: str | None
    window: int
    top: int
    algorithm: str
    similarity: str
    n_items: int
    n_ratings: int
    ratings_digest: str
    lists_digest: str
    digest: str = ""

    def chained(self, before: str) -> ReleaseRecord:
        """With the digest that follows on ``before``."""
        facts = asdict(replace(self, digest=before))
        text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
        return replace(self, digest=hashlib.sha256(text.encode()).hexdigest())

    def is_plain(self) -> bool:
        """Are all fields of their declared types? SQLite stores any type in any column."""
        numbers = (self.number, self.window, self.top, self.n_items, self.n_ratings)
        words = [self.published_at, self.algorithm, self.similarity, self.delta or ""]
        words += [self.ratings_digest, self.lists_digest, self.digest]
        return all(type(one) is int for one in numbers) and all(type(one) is str for one in words)

    def public(self) -> dict[str, Any]:
        """The fields that anyone may see: none derived from the ratings."""
        hidden = ("ratings_digest", "lists_digest", "n_ratings")
        return {key: value for key, value in asdict(self).items() if key not in hidden}


def named_lists(lists: Lists, listed: Sequence[bool] | Mask) -> dict[str, Entries]:
    """The lists of the items that have one, in names."""
    names = [str(label) for label in lists.item_labels]
    return {
        names[item]: tuple(None if entry == EMPTY else names[entry] for entry in row)
        for item, row in enumerate(lists.slots.tolist())
        if listed[item]
    }


def as_text(entries: Entries) -> str:
    """A list as the store keeps it."""
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":"))


def lists_digest(texts: Mapping[str, str]) -> str:
    """A digest of all lists of a release, as the store keeps them."""
    digest = hashlib.sha256()
    for item in sorted(texts):
        digest.update(json.dumps([item, texts[item]], ensure_ascii=False).encode())
    return digest.hexdigest()


def ratings_digest(snapshot: Snapshot) -> str:
    """A digest of who rated what and how, whatever codes stand for it."""
    ratings = snapshot.ratings
    columns = column_digests(snapshot, ratings.values[snapshot.item_order])
    total = hashlib.sha256()
    named = sorted(zip(map(str, ratings.item_labels), columns, ratings.item_support, strict=True),
                   key=lambda one: one[0])  # fmt: skip
    for label, digest, support in named:
        if support:
            total.update(json.dumps(label).encode() + digest.tobytes())
    return total.hexdigest()


def entries_of(text: str, record: ReleaseRecord) -> Entries:
    """The inverse of `as_text`."""
    return all_entries({"": text}, record)[""]


def all_entries(texts: Mapping[str, str], record: ReleaseRecord) -> dict[str, Entries]:
    """The lists of a release, read at once: one by one takes several times as long."""
    try:
        rows = json.loads(f"[{','.join(texts.values())}]")
    except ValueError:
        rows = []
    if len(rows) != len(texts) or not all(_is_list(row, record.top) for row in rows):
        raise InputError("a list cannot be read: it was edited", where=f"release {record.number}")
    return {item: tuple(row) for item, row in zip(texts, rows, strict=True)}


def _is_list(row: Any, top: int) -> bool:
    fine = isinstance(row, list) and len(row) == top
    return fine and all(entry is None or isinstance(entry, str) for entry in row)


@dataclass(frozen=True, eq=False)
class StoredLists:
    """The record of a release and its lists, read from the text of the store once."""

    record: ReleaseRecord
    lists: Mapping[str, Entries]

    @classmethod
    def of(cls, record: ReleaseRecord, texts: Mapping[str, str]) -> StoredLists:
        """Parse the texts of a release; raise `InputError` if one is no list."""
        return cls(record, all_entries(texts, record))

    @cached_property
    def names(self) -> set[str]:
        """All items that the release names."""
        named = {entry for row in self.lists.values() for entry in row if entry is not None}
        return set(self.lists) | named

    def in_codes(self, labels: Labels, n_ratings: int) -> DatedLists:
        """The release in the codes of ``labels``, which must have all its items."""
        code_of = {str(label): code for code, label in enumerate(labels)}
        slots = np.full((len(labels), self.record.top), EMPTY, np.int32)
        for item, row in self.lists.items():
            slots[code_of[item]] = [EMPTY if entry is None else code_of[entry] for entry in row]
        label = f"{self.record.number:03d}"
        return DatedLists(label, n_ratings, Lists(slots, labels), self.record.protected)


def names_of_window(window: Iterable[StoredLists]) -> list[str]:
    """All items that the releases of a window name, in order."""
    return sorted({name for stored in window for name in stored.names})
