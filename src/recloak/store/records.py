"""Records: what is written down of a release, and the chain of digests over all of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.errors import InputError
from recloak.lists.history import DatedLists
from recloak.lists.related import EMPTY, Lists
from recloak.lists.remembering import column_digests
from recloak.lists.timeline import Snapshot
from recloak.ratings import Labels

START = "0" * 64
Entries = tuple[str | None, ...]


@dataclass(frozen=True)
class Record:
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

    def chained(self, before: str) -> Record:
        """With the digest that follows on ``before``."""
        told = asdict(replace(self, digest=before))
        text = json.dumps(told, sort_keys=True, ensure_ascii=False)
        return replace(self, digest=hashlib.sha256(text.encode()).hexdigest())

    def is_plain(self) -> bool:
        """Are all facts of the kinds that were written? SQLite keeps whatever is put there."""
        numbers = (self.number, self.window, self.top, self.n_items, self.n_ratings)
        words = [self.published_at, self.algorithm, self.similarity, self.delta or ""]
        words += [self.ratings_digest, self.lists_digest, self.digest]
        return all(type(one) is int for one in numbers) and all(type(one) is str for one in words)

    def public(self) -> dict[str, Any]:
        """What anyone may know of it: nothing that was made from the ratings but the lists."""
        hidden = ("ratings_digest", "lists_digest", "n_ratings")
        return {key: value for key, value in asdict(self).items() if key not in hidden}


def written_lists(lists: Lists, listed: Sequence[bool] | NDArray[np.bool_]) -> dict[str, Entries]:
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
    told = hashlib.sha256()
    for item in sorted(texts):
        told.update(json.dumps([item, texts[item]], ensure_ascii=False).encode())
    return told.hexdigest()


def ratings_digest(snapshot: Snapshot) -> str:
    """A digest of who rated what and how, whatever codes stand for it."""
    ratings = snapshot.ratings
    columns = column_digests(snapshot, ratings.values[snapshot.item_order])
    told = hashlib.sha256()
    named = sorted(zip(map(str, ratings.item_labels), columns, ratings.item_support, strict=True),
                   key=lambda one: one[0])  # fmt: skip
    for label, digest, support in named:
        if support:
            told.update(json.dumps(label).encode() + digest.tobytes())
    return told.hexdigest()


def in_codes(
    record: Record, texts: Mapping[str, str], labels: Labels, n_ratings: int
) -> DatedLists:
    """A release as it was published, in the codes of ``labels``, which must have all its items."""
    code_of = {str(label): code for code, label in enumerate(labels)}
    slots = np.full((len(labels), record.top), EMPTY, np.int32)
    for item, row in all_entries(texts, record).items():
        slots[code_of[item]] = [EMPTY if entry is None else code_of[entry] for entry in row]
    label = f"{record.number:03d}"
    return DatedLists(label, n_ratings, Lists(slots, labels), record.protected)


def entries_of(text: str, record: Record) -> Entries:
    """The inverse of `as_text`."""
    return all_entries({"": text}, record)[""]


def all_entries(texts: Mapping[str, str], record: Record) -> dict[str, Entries]:
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


def names_in(texts: Mapping[str, str], record: Record) -> set[str]:
    """All items that a release names."""
    named = {entry for row in all_entries(texts, record).values() for entry in row}
    return set(texts) | {entry for entry in named if entry is not None}
