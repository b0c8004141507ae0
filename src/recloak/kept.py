"""Kept: what is made once of a table, shared by all who ask, and gone when the table is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class Kept(Generic[T]):
    """Values by table and key; of several threads that ask at once, one makes the value.

    A maker that fails leaves nothing behind, so that the next one tries again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: WeakKeyDictionary[object, dict[Hashable, _Entry[T]]] = WeakKeyDictionary()

    def get(self, table: object, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``key`` for ``table``, made now if nobody has."""
        with self._lock:
            entry = self._entries.setdefault(table, {}).setdefault(key, _Entry())
        with entry.lock:
            if not entry.made:
                entry.made.append(make())
            return entry.made[0]


class _Entry(Generic[T]):
    def __init__(self) -> None:
        self.lock = Lock()
        self.made: list[T] = []
