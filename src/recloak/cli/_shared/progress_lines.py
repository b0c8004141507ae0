"""Progress as lines of JSON, for a program that started the command and shows how far it is."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Lock
from typing import Any

from recloak.core.progress import Task

VARIABLE = "RECLOAK_PROGRESS"
SECONDS_BETWEEN_LINES = 0.2
SECONDS_OF_SILENCE = 1.0  # after which work that is under way is told of again
_numbers = count(1)  # of all tasks of the process


class ProgressLines:
    """Appends to the file that the variable names: a line when a task begins, moves on and ends.

    Every line tells all about its task, and tasks under way are told of again while others move
    on, so that whoever reads may begin anywhere and needs only the end. A file that cannot be
    written is no reason to stop the work.
    """

    def __init__(self, path: str) -> None:
        self._path, self._lock = path, Lock()
        self._open: dict[int, _LineTask] = {}

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        number = next(_numbers)
        facts = {"task": number, "label": label, "total": total, "began": time.time()}
        task = self._open[number] = _LineTask(self, facts)
        task.tell()
        try:
            yield task
        finally:
            del self._open[number]
            task.tell(ended=True)
            self._tell_others()

    def _tell_others(self) -> None:
        """What a task is a part of may long have been silent."""
        for one in list(self._open.values()):
            if one.is_silent:
                one.tell()

    def write(self, content: dict[str, Any]) -> None:
        """Append one line."""
        line = json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
        with self._lock, suppress(OSError):
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line.encode("utf-8", "replace"))
            finally:
                os.close(handle)


class _LineTask:
    def __init__(self, lines: ProgressLines, facts: dict[str, Any]) -> None:
        self._lines, self._facts = lines, facts
        self._done, self._told = 0.0, 0.0

    @property
    def is_silent(self) -> bool:
        """Was nothing told of it for a while?"""
        return time.monotonic() - self._told >= SECONDS_OF_SILENCE

    def advance(self, amount: float = 1) -> None:
        self._done += amount
        if time.monotonic() - self._told >= SECONDS_BETWEEN_LINES:
            self.tell()

    def tell(self, *, ended: bool = False) -> None:
        self._told = time.monotonic()
        self._lines.write({**self._facts, "done": self._done, "ended": ended})
