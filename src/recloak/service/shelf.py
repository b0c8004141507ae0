"""Shelf: one release as it is answered; immutable, so that no answer mixes two of them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from recloak.store.keeping import Kept
from recloak.store.records import Record, all_entries

_PAUSE_EVERY = 500  # lists; while a shelf is made, requests are answered in between
_PAUSE_SECONDS = 0.001


@dataclass(frozen=True, eq=False)
class Shelf:
    """All that is answered while one release is in force."""

    records: tuple[Record, ...]
    answers: MappingProxyType[str, bytes]
    """The answer for the whole list of each item, ready to be sent."""

    filled: float

    @property
    def record(self) -> Record | None:
        """The release in force."""
        return self.records[-1] if self.records else None

    @cached_property
    def etag(self) -> str:
        """The same for all answers from this shelf: the digest covers every list."""
        return f'"{self.record.digest[:32]}"' if self.record else '"empty"'

    def related(self, item: str, limit: int | None, offset: int) -> bytes | None:
        """The answer for an item; None if it has no list."""
        whole = self.answers.get(item)
        if whole is None or (not offset and limit is None):
            return whole
        told = json.loads(whole)
        end = None if limit is None else offset + limit
        return as_bytes({**told, "offset": offset, "related": told["related"][offset:end]})

    def releases(self, limit: int, before: int | None) -> dict[str, Any]:
        """A page of the releases, newest first."""
        end = len(self.records) if before is None else max(0, min(before, len(self.records)))
        start = max(0, end - limit)
        page = [record.public() for record in reversed(self.records[start:end])]
        return {"releases": page, "next_before": start if start else None}


EMPTY_SHELF = Shelf((), MappingProxyType({}), 0.0)


def shelf_of(kept: Kept) -> Shelf:
    """The release in force, checked against the chain of digests."""
    records = kept.records()
    if not records:
        return EMPTY_SHELF
    texts = kept.texts(records[-1])
    answers, n_filled, last = {}, 0, records[-1]
    for place, (item, related) in enumerate(all_entries(texts, last).items()):
        n_filled += sum(entry is not None for entry in related)
        told = {"item": item, "release": last.number, "slots": last.top, "offset": 0}
        answers[item] = as_bytes({**told, "related": related})
        if place % _PAUSE_EVERY == 0:
            time.sleep(_PAUSE_SECONDS)
    filled = n_filled / max(1, len(texts) * last.top)
    return Shelf(tuple(records), MappingProxyType(answers), filled)


def as_bytes(told: dict[str, Any]) -> bytes:
    """An answer as it is sent."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def knows(given: str | None, etag: str) -> bool:
    """Does a client that gives these ETags have the answer already?"""
    return given is not None and (given.strip() == "*" or etag in given)
