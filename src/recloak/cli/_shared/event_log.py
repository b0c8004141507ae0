"""The log of a command: a line of JSON for each event, for pipelines and monitoring."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from recloak.core.errors import ParameterError, RecloakError
from recloak.core.progress import Progress, Task


class EventLog:
    """Appends events to a file; without one nothing is written.

    Every line has the time, the process and the event: ``start``, ``stage``, ``note``, ``error``
    or ``end``. The log is for the inside: it names files, not what stands in them.
    """

    def __init__(self, path: str | None) -> None:
        self._path, self._lock = path, Lock()

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> EventLog:
        """The log that the flags ask for."""
        return cls(getattr(arguments, "log", None))

    @property
    def is_kept(self) -> bool:
        """Is anything written at all?"""
        return self._path is not None

    def start(self, **facts: Any) -> None:
        """Append the first event; `ParameterError` if the file cannot be written."""
        try:
            self._append("start", facts)
        except OSError as problem:
            message = f"cannot be written: {problem.strerror}"
            raise ParameterError(message, where=f"--log {self._path}") from None

    def write(self, event: str, **facts: Any) -> None:
        """Append an event; a log that can no longer be written does not stop the work."""
        with suppress(OSError):
            self._append(event, facts)

    def _append(self, event: str, facts: dict[str, Any]) -> None:
        """At once, so that a run that is killed leaves what it came to."""
        if self._path is None:
            return
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        content = {"time": moment, "process": os.getpid(), "event": event, **facts}
        line = json.dumps(content, ensure_ascii=False, default=str) + "\n"
        with self._lock, Path(self._path).open("a", encoding="utf-8") as file:
            file.write(line)

    def error(self, problem: RecloakError) -> None:
        """Append what went wrong, in the words that the user is told."""
        parts = {"what": problem.what, "where": problem.where, "hint": problem.hint}
        self.write("error", **parts, exit_code=problem.exit_code)

    def watching(self, shown: Progress) -> Progress:
        """A progress that also logs each stage once it has ended."""
        return shown if self._path is None else _Logged(shown, self)


class _Logged:
    def __init__(self, shown: Progress, log: EventLog) -> None:
        self._shown, self._log = shown, log

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        started, ended = time.monotonic(), "stopped"
        try:
            with self._shown.task(label, total) as task:
                yield task
            ended = "done"
        finally:
            seconds = round(time.monotonic() - started, 3)
            self._log.write("stage", label=label, seconds=seconds, ended=ended)
