"""Data that tests make themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from recloak.errors import Cancelled
from recloak.progress import Task
from recloak.ratings import Ratings


def random_ratings(
    n_users: int = 60, n_items: int = 40, density: float = 0.2, seed: int = 0, times: bool = False
) -> Ratings:
    """Small random ratings on 1..5; every user has at least one."""
    rng = np.random.default_rng(seed)
    rated = rng.random((n_users, n_items)) < density
    rated[np.arange(n_users), rng.integers(0, n_items, n_users)] = True
    users, items = np.nonzero(rated)
    values = rng.integers(1, 6, len(users))
    moments = rng.integers(900_000_000, 1_000_000_000, len(users)) if times else None
    return Ratings.from_columns(users + 100, items + 1, values, moments, scale="1..5")


def from_rows(rows: dict[str, dict[str, float]], scale: str = "1..5") -> Ratings:
    """Ratings written out: person to item to value."""
    cells = [(user, item, value) for user, row in rows.items() for item, value in row.items()]
    users, items, values = zip(*cells, strict=True)
    return Ratings.from_columns(users, items, values, scale=scale)


def empty_ratings() -> Ratings:
    return Ratings.from_columns(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


class Recorder:
    """A Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.steps = 0.0

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        self.labels.append(label)
        yield self

    def advance(self, amount: float = 1) -> None:
        self.steps += amount


class Stopper:
    """A Progress that asks to stop at the first step."""

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        yield self

    def advance(self, amount: float = 1) -> None:
        raise Cancelled
