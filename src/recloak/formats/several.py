"""Several files as one: the same columns, one after the other, each complaint with its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from recloak.errors import InputError
from recloak.formats.base import Batch, Opened, Place
from recloak.progress import Progress
from recloak.ratings import Duplicates


class Several(Opened):
    """Files of one format and the same columns, in the order in which they were given."""

    def __init__(self, parts: Sequence[Opened]) -> None:
        first = parts[0]
        super().__init__(first.path)
        for part in parts[1:]:
            _refuse_other_columns(first, part)
        self._parts = parts
        self._counts: list[int] = []
        self.scale, self.duplicates = first.scale, first.duplicates
        self.dated = all(part.dated for part in parts)
        self.dropped = tuple(dict.fromkeys(name for part in parts for name in part.dropped))
        self.personal = tuple(dict.fromkeys(name for part in parts for name in part.personal))

    @property
    def files(self) -> Sequence[Path]:
        return [file for part in self._parts for file in part.files]

    def batches(self, progress: Progress) -> Iterator[Batch]:
        self._counts = []
        highest = 0
        for part in self._parts:
            self._counts.append(0)
            before = highest
            for batch in part.batches(progress):
                self._counts[-1] += batch.height
                users = batch.users
                if part.numbers_users and isinstance(users, np.ndarray) and len(users):
                    highest = before + int(users.max())
                    yield batch._replace(users=users + before)
                else:
                    yield batch
        self.silent = sum(part.silent for part in self._parts)
        self.notes = list(dict.fromkeys(note for part in self._parts for note in part.notes))

    def places(self, positions: Sequence[int]) -> list[Place]:
        found: list[Place] = []
        before = 0
        for part, count in zip(self._parts, self._counts, strict=True):
            here = [position - before for position in positions if 0 <= position - before < count]
            found += part.places(here) if here else []
            before += count
        return found

    def column(self, role: str) -> str:
        return self._parts[0].column(role)

    def merged(self, count: int, duplicates: Duplicates) -> str:
        return self._parts[0].merged(count, duplicates)


def _refuse_other_columns(first: Opened, other: Opened) -> None:
    here, there = sorted(other.column_names), sorted(first.column_names)
    if here != there:
        raise InputError(
            f"the columns are not those of {first.path}: "
            f"{', '.join(here)} here, {', '.join(there)} there",
            where=str(other.path),
            hint="Files that are read as one must have the same columns.",
        )
