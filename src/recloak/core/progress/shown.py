"""Progress where somebody looks on: a display in a notebook, a line in a Python console.

Scripts stay silent; the command line draws bars of its own.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import count
from threading import RLock
from typing import Any

from recloak.core.progress import SILENT, Progress, Task

SHOWN_AFTER_SECONDS = 0.5  # quick work should not flicker
SECONDS_BETWEEN_UPDATES = 0.2


class Shown:
    """The default of functions that users call: what shows progress best where they are called."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._place: object = None
        self._progress: Progress = SILENT

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        with self._here().task(label, total) as task:
            yield task

    def _here(self) -> Progress:
        """One for each cell of a notebook, so that a cell has one display."""
        kernel = notebook()
        place = ("cell", kernel.execution_count) if kernel else "console" if _console() else None
        with self._lock:
            if place != self._place:
                self._place = place
                self._progress = (
                    NotebookProgress() if kernel else ConsoleProgress() if place else SILENT
                )
            return self._progress


SHOWN = Shown()


def notebook() -> Any:
    """The shell of Jupyter or another front end with displays; None elsewhere."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell if shell is not None and getattr(shell, "kernel", None) is not None else None


def _console() -> bool:
    """Does somebody type at a terminal? Scripts and pipes say nothing."""
    return hasattr(sys, "ps1") and sys.stderr is not None and sys.stderr.isatty()


class _Display(ABC):
    """All pieces of work that are under way, shown now and then; nothing once all are done."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._tasks: dict[int, _ShownTask] = {}
        self._numbers = count()
        self._shown_at, self._is_shown = 0.0, False

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        number, task = next(self._numbers), _ShownTask(self, label, total)
        with self._lock:
            self._tasks[number] = task
        try:
            yield task
        finally:
            with self._lock:
                del self._tasks[number]
            self.update(at_once=not self._tasks)

    def update(self, *, at_once: bool = False) -> None:
        """Show how far everything is, unless that was done a moment ago."""
        with self._lock:
            now = time.monotonic()
            if not at_once and now - self._shown_at < SECONDS_BETWEEN_UPDATES:
                return
            late = [one for one in self._tasks.values() if one.seconds >= SHOWN_AFTER_SECONDS]
            if late or self._is_shown:
                self._shown_at, self._is_shown = now, True
                self.show(late)

    @abstractmethod
    def show(self, tasks: Sequence[_ShownTask]) -> None:
        """Show these in the place of what was shown before."""


class NotebookProgress(_Display):
    """A display of a cell: bars with words beside them."""

    def __init__(self) -> None:
        super().__init__()
        self._display: Any = None

    def show(self, tasks: Sequence[_ShownTask]) -> None:
        """Update the display, which is made with the first work that takes a while."""
        from IPython.display import display

        plain = "\n".join(one.text() for one in tasks)
        data = {"text/plain": plain, "text/html": "".join(one.html() for one in tasks)}
        if self._display is None:
            self._display = display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._display.update(data, raw=True)


class ConsoleProgress(_Display):
    """A line on standard error that is written over."""

    def show(self, tasks: Sequence[_ShownTask]) -> None:
        """The piece of work that began last, which tells most."""
        line = tasks[-1].text()[:78] if tasks else ""
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


class _ShownTask:
    def __init__(self, shown: _Display, label: str, total: float | None) -> None:
        self._shown, self._label, self._total = shown, label, total
        self._done, self._started = 0.0, time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def advance(self, amount: float = 1) -> None:
        self._done += amount
        self._shown.update()

    def text(self) -> str:
        """For who sees no HTML."""
        return self._label if self._total is None else f"{self._label}: {self._share:.0%}"

    def html(self) -> str:
        """A label that says the share, and a bar."""
        label = escape(self.text())
        value = "" if self._total is None else f' value="{self._share:.3f}"'
        return f"<div><label>{label} <progress{value}></progress></label></div>"

    @property
    def _share(self) -> float:
        return min(self._done / self._total, 1.0) if self._total else 1.0
