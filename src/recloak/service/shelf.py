"""Shelf: one release as it is answered; immutable, so that no answer mixes two of them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from recloak.store.keeping import Kept
from recloak.store.records import Record, entries_of

_PAUSE_EVERY = 500  # lists; while a shelf is made, requests are answered in between
_PAUSE_SECONDS = 0.001


@dataclass(frozen=True, eq=False)
class Shelf:
    """All that is answered while one release is in force."""

    records: tuple[Record, ...]
    texts: MappingProxyType[str, str]
    filled: float

    @property
    def record(self) -> Record | None:
        """The release in force."""
        return self.records[-1] if self.records else None

    @property
    def etag(self) -> str:
        """The same for all answers from this shelf: the digest covers every list."""
        return f'"{self.record.digest[:32]}"' if self.record else '"empty"'

    def related(self, item: str, limit: int | None, offset: int) -> bytes | None:
        """The answer for an item; None if it has no list."""
        text = self.texts.get(item)
        record = self.record
        if text is None or record is None:
            return None
        slots = record.top
        if offset or limit is not None:
            end = None if limit is None else offset + limit
            text = json.dumps(json.loads(text)[offset:end], ensure_ascii=False)
        name = json.dumps(item, ensure_ascii=False)
        head = f'{{"item":{name},"release":{record.number},"slots":{slots},"offset":{offset},'
        return f'{head}"related":{text}}}'.encode()

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
    n_filled = 0
    for place, text in enumerate(texts.values()):
        n_filled += sum(entry is not None for entry in entries_of(text, records[-1]))
        if place % _PAUSE_EVERY == 0:
            time.sleep(_PAUSE_SECONDS)
    filled = n_filled / max(1, len(texts) * records[-1].top)
    return Shelf(tuple(records), MappingProxyType(texts), filled)
