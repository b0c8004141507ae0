"""Per-table cache: what is computed once from a table, shared, and freed with the table."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class PerTableCache(Generic[T]):
    """Values by table and key; of several threads that ask at once, one computes the value.

    A computation that fails leaves nothing behind, so that the next call tries again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: WeakKeyDictionary[object, dict[Hashable, _Entry[T]]] = WeakKeyDictionary()

    def get(self, table: object, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``key`` for ``table``; ``make`` computes it if it is not there yet."""
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
