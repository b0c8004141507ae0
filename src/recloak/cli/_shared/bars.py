"""Bars: what is being done, how far it is and how long it may still take, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock, Timer

from rich.console import Console
from rich.errors import LiveError
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Task as ShownTask
from rich.text import Text

from recloak.core.progress import Task
from recloak.core.progress.durations import duration, remaining

BAR_AFTER_SECONDS = 0.5


class Remaining(ProgressColumn):
    """What is left at the pace of the whole piece of work so far, if that can be told."""

    def render(self, task: ShownTask) -> Text:
        left = remaining(task.elapsed or 0.0, task.completed, task.total)
        return Text("" if left is None else f"about {duration(left)} left", style="cyan")


class Bars:
    """All pieces of work that are under way, each on its line; what is quick is never drawn."""

    def __init__(self, console: Console) -> None:
        self._shown = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            Remaining(),
            console=console,
            transient=True,
        )
        self._lock, self._open = RLock(), 0

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        with self._lock:
            self._open += 1
        late = _LateTask(self._shown, self._lock, label, total)
        try:
            yield late
        finally:
            late.end()
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._shown.stop()


class _LateTask:
    """Draws nothing until the work has taken a moment: quick work should not flicker.

    Then it is drawn whether or not the work has come to a step.
    """

    def __init__(self, shown: Progress, lock: RLock, label: str, total: float | None) -> None:
        self._shown, self._lock = shown, lock
        self._task = shown.add_task(label, total=total, visible=False)
        self._ended = False
        self._timer = Timer(BAR_AFTER_SECONDS, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _show(self) -> None:
        with self._lock, suppress(LiveError):  # another screen of rich is drawing
            if self._ended:
                return
            for task in self._shown.tasks:
                if task.id <= self._task:  # what it is a part of began before
                    self._shown.update(task.id, visible=True)
            self._shown.start()

    def advance(self, amount: float = 1) -> None:
        self._shown.advance(self._task, amount)

    def end(self) -> None:
        """The work is done: what was drawn goes."""
        self._timer.cancel()
        with self._lock:
            self._ended = True
            self._shown.remove_task(TaskID(self._task))
