"""Snapshot: one release, ready to be served; immutable, so that no answer mixes two releases."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from recloak.lists.store.records import ReleaseRecord, all_entries

_PAUSE_EVERY = 500  # lists; while a snapshot is made, requests are answered in between
_PAUSE_SECONDS = 0.001


@dataclass(frozen=True)
class ListQuery:
    """Which part of a list is asked for, and which entries are wanted."""

    limit: int | None = None
    offset: int = 0
    wants: Callable[[str], bool] = field(default=lambda entry: True)


@dataclass(frozen=True, eq=False)
class ServedSnapshot:
    """All that is answered while one release is in force."""

    records: tuple[ReleaseRecord, ...]
    answers: MappingProxyType[str, bytes]
    """The answer for the whole list of each item, ready to be sent."""

    filled: float

    @property
    def record(self) -> ReleaseRecord | None:
        """The release in force."""
        return self.records[-1] if self.records else None

    @cached_property
    def etag(self) -> str:
        """The same for all answers from this snapshot: the digest covers every list."""
        return f'"{self.record.digest[:32]}"' if self.record else '"empty"'

    def related(self, item: str, asked: ListQuery) -> dict[str, Any] | None:
        """The list of an item as it was asked for; None if it has none.

        What is not wanted leaves its slot empty: closing the gap would move up what stands below.
        """
        whole = self.answers.get(item)
        if whole is None:
            return None
        answer: dict[str, Any] = json.loads(whole)
        end = None if asked.limit is None else asked.offset + asked.limit
        entries = [
            entry if entry is not None and asked.wants(entry) else None
            for entry in answer["related"][asked.offset : end]
        ]
        return {**answer, "offset": asked.offset, "related": entries}

    def releases(self, limit: int, before: int | None) -> dict[str, Any]:
        """A page of the releases, newest first."""
        end = len(self.records) if before is None else max(0, min(before, len(self.records)))
        start = max(0, end - limit)
        page = [record.public() for record in reversed(self.records[start:end])]
        return {"releases": page, "next_before": start if start else None}


EMPTY_SNAPSHOT = ServedSnapshot((), MappingProxyType({}), 0.0)


def snapshot_of(records: tuple[ReleaseRecord, ...], texts: Mapping[str, str]) -> ServedSnapshot:
    """The last of these releases, whose lists these are; both were checked as they were read."""
    answers, n_filled, last = {}, 0, records[-1]
    for place, (item, related) in enumerate(all_entries(texts, last).items()):
        n_filled += sum(entry is not None for entry in related)
        facts = {"item": item, "release": last.number, "slots": last.top, "offset": 0}
        answers[item] = as_bytes({**facts, "related": related})
        if place % _PAUSE_EVERY == 0:
            time.sleep(_PAUSE_SECONDS)
    filled = n_filled / max(1, len(texts) * last.top)
    return ServedSnapshot(records, MappingProxyType(answers), filled)


def as_bytes(answer: dict[str, Any]) -> bytes:
    """An answer as it is sent."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def knows(given: str | None, etag: str) -> bool:
    """Does a client that gives these ETags have the answer already?"""
    return given is not None and (given.strip() == "*" or etag in given)
