"""Progress: one small interface by which long work reports; the caller renders it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of work under way."""

    def advance(self, amount: float = 1) -> None:
        """Report that ``amount`` more is done. Raises ``Cancelled`` if the work is to stop."""


class Progress(Protocol):
    """Where work reports to; the command line draws bars, a notebook or a page may do otherwise."""

    def task(self, label: str, total: float | None = None) -> AbstractContextManager[Task]:
        """Open a piece of work; ``total`` is None when its length is not known."""


class Staged:
    """Reports to another progress and names the stage before each piece of work."""

    def __init__(self, shown: Progress, stage: str) -> None:
        self._shown, self._stage = shown, stage

    def task(self, label: str, total: float | None = None) -> AbstractContextManager[Task]:
        return self._shown.task(f"{self._stage}: {label}", total)


class _SilentTask:
    def advance(self, amount: float = 1) -> None:
        pass


class Silent:
    """Reports nowhere: the default of every library call."""

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        yield _SilentTask()


SILENT = Silent()
