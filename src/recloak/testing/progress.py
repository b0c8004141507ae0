"""Progress for tests: one that remembers, one that asks to stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from recloak.core.errors import Cancelled
from recloak.core.progress import Task


class Recorder:
    """A Progress that remembers its tasks and how much of each was reported."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.totals: dict[str, float | None] = {}
        self.done: dict[str, float] = {}
        self.steps = 0.0

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        """Start a task; a second one of the same name counts from 0 again."""
        self.labels.append(label)
        self.totals[label], self.done[label] = total, 0.0
        yield self

    def advance(self, amount: float = 1) -> None:
        """Count what was done, for the task that was started last, if one was."""
        self.steps += amount
        if self.labels:
            self.done[self.labels[-1]] += amount


class Stopper:
    """A Progress that asks to stop at the first step."""

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        """Start a task."""
        yield self

    def advance(self, amount: float = 1) -> None:
        """Ask to stop."""
        raise Cancelled
