"""Records of releases in a store, the chain of digests over them, and lists as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

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
    """The facts of one release. ``digest`` covers all others, and the digest of the one before.

    Those from ``n_users`` on are unknown (None) for releases that an older recloak published, and
    the digest covers them where they are known. ``n_wanted`` entries stand in the unprotected
    lists; ``n_kept`` of them are shown in the same list, ``n_moved`` of these in another slot, and
    ``n_attainable`` could have been shown by any algorithm. ``key_name`` tells with which key
    ``ratings_digest`` and ``input_digest`` (of another recommender's lists, and of parameters that
    are not the usual) were made, and ``rotations`` is the digest of the last rotation before.
    """

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
    n_users: int | None = None
    n_filled: int | None = None
    n_wanted: int | None = None
    n_kept: int | None = None
    n_moved: int | None = None
    n_attainable: int | None = None
    key_name: str | None = None
    input_digest: str | None = None
    rotations: str | None = None

    def chained(self, before: str) -> ReleaseRecord:
        """With the digest that follows on ``before``."""
        facts = asdict(replace(self, digest=before))
        facts = {
            key: value for key, value in facts.items() if key not in LATER or value is not None
        }
        text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
        return replace(self, digest=hashlib.sha256(text.encode()).hexdigest())

    def is_plain(self) -> bool:
        """Are all fields of their declared types? SQLite stores any type in any column."""
        numbers = [self.number, self.window, self.top, self.n_items, self.n_ratings]
        words = [self.published_at, self.algorithm, self.similarity, self.delta or ""]
        words += [self.ratings_digest, self.lists_digest, self.digest]
        words += [self.key_name or "", self.input_digest or "", self.rotations or ""]
        known = [self.n_users, self.n_filled, self.n_wanted, self.n_kept, self.n_moved]
        numbers += [one for one in (*known, self.n_attainable) if one is not None]
        return all(type(one) is int for one in numbers) and all(type(one) is str for one in words)

    def public(self) -> dict[str, Any]:
        """The fields that anyone may see: none derived from the ratings."""
        hidden = ("ratings_digest", "lists_digest", "n_ratings", *LATER)
        return {key: value for key, value in asdict(self).items() if key not in hidden}

    @property
    def filled(self) -> float | None:
        """The share of all slots that hold an item."""
        return self._share(self.n_filled, self.n_items * self.top)

    @property
    def recall(self) -> float | None:
        """The share of the unprotected lists' entries that are shown in the same list."""
        return self._share(self.n_kept, self.n_wanted)

    @property
    def attainable(self) -> float | None:
        """The largest recall that any lists could have which keep the bound."""
        return self._share(self.n_attainable, self.n_wanted)

    @property
    def worth(self) -> dict[str, float | int | None]:
        """What is left of the unprotected lists; None where it was not recorded."""
        gone = None
        if self.n_wanted is not None and self.n_kept is not None:
            gone = self.n_wanted - self.n_kept
        return {
            "filled": self.filled,
            "recall": self.recall,
            "attainable_recall": self.attainable,
            "suppressed": gone,
            "permuted": self.n_moved,
        }

    @staticmethod
    def _share(part: int | None, whole: int | None) -> float | None:
        if part is None or whole is None:
            return None
        return part / whole if whole else 1.0


LATER = tuple(one.name for one in fields(ReleaseRecord) if one.default is None)
"""The fields that releases of an older schema do not have."""


def as_json(names: list[str], *, ensure_ascii: bool = False) -> list[str]:
    """Each name as JSON, written at once; a line never ends within one."""
    lines = json.dumps(names, ensure_ascii=ensure_ascii, separators=(",\n", ":"))
    return lines[1:-1].split(",\n") if names else []


def list_texts(lists: Lists, listed: Sequence[bool] | Mask) -> dict[str, str]:
    """The lists of the items that have one, as the store keeps them.

    Each name is written as JSON once, and not in every list that shows it.
    """
    names = [str(label) for label in lists.item_labels]
    written = [*as_json(names), "null"]
    rows = np.where(lists.slots == EMPTY, len(names), lists.slots).tolist()
    return {
        names[item]: f"[{','.join([written[entry] for entry in rows[item]])}]"
        for item in np.flatnonzero(listed).tolist()
    }


def lists_digest(texts: Mapping[str, str]) -> str:
    """A digest of all lists of a release, as the store keeps them."""
    pairs = json.dumps([[item, texts[item]] for item in sorted(texts)], ensure_ascii=False)
    # each pair by itself, one after the other; within a text a quote never stands bare
    return hashlib.sha256(pairs[1:-1].replace('"], ["', '"]["').encode()).hexdigest()


def ratings_digest(snapshot: Snapshot) -> str:
    """A digest of who rated what and how, whatever codes stand for it, with the snapshot's key."""
    ratings = snapshot.ratings
    columns = snapshot.value_digests if snapshot.key else column_digests(snapshot, ratings.values)
    total = hashlib.blake2b(digest_size=32, key=snapshot.key) if snapshot.key else hashlib.sha256()
    rated = np.flatnonzero(ratings.item_support)
    names = [str(label) for label in ratings.item_labels[rated].tolist()]
    digests = [columns[item].tobytes() for item in rated]
    named = sorted(zip(names, as_json(names, ensure_ascii=True), digests, strict=True))
    total.update(b"".join(text.encode() + digest for _, text, digest in named))
    return total.hexdigest()


def rotation_digest(record: ReleaseRecord, rotated_at: str, before: str) -> str:
    """The digest of one rotation: of which release, when, and of the rotation before."""
    facts = {
        "number": record.number,
        "release": record.digest,
        "rotated_at": rotated_at,
        "before": before,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def entries_of(text: str, record: ReleaseRecord) -> Entries:
    """The inverse of `list_texts`, for one list."""
    return all_entries({"": text}, record)[""]


def all_entries(texts: Mapping[str, str], record: ReleaseRecord) -> dict[str, Entries]:
    """The lists of a release, read at once: one by one takes several times as long."""
    try:
        rows = json.loads(f"[{','.join(texts.values())}]")
    except ValueError:
        rows = []
    if len(rows) != len(texts) or not _are_lists(rows, record.top):
        raise InputError("a list cannot be read: it was edited", where=f"release {record.number}")
    return {item: tuple(row) for item, row in zip(texts, rows, strict=True)}


def _are_lists(rows: list[Any], top: int) -> bool:
    """Do all have ``top`` names or empty slots? Asked of all at once, which takes a tenth."""
    if set(map(type, rows)) - {list} or set(map(len, rows)) - {top}:
        return False
    return not set(map(type, chain.from_iterable(rows))) - {str, type(None)}


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
        named = set(chain.from_iterable(self.lists.values())) - {None}
        return set(self.lists) | cast(set[str], named)

    def in_codes(self, labels: Labels, n_ratings: int) -> DatedLists:
        """The release in the codes of ``labels``, which must have all its items."""
        code_of = {str(label): code for code, label in enumerate(labels)}
        known: dict[str | None, int] = {None: EMPTY}
        known.update(code_of)
        slots = np.full((len(labels), self.record.top), EMPTY, np.int32)
        items = [code_of[item] for item in self.lists]
        entries = [known[entry] for entry in chain.from_iterable(self.lists.values())]
        slots[items] = np.array(entries, np.int32).reshape(len(items), self.record.top)
        label = f"{self.record.number:03d}"
        return DatedLists(label, n_ratings, Lists(slots, labels), self.record.protected)


def names_of_window(window: Iterable[StoredLists]) -> list[str]:
    """All items that the releases of a window name, in order."""
    return sorted({name for stored in window for name in stored.names})
