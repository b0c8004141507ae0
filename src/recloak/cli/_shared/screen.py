"""The screen: tables, notes and bars for people, or JSON for programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import Any

from rich.console import Console
from rich.errors import LiveError
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.table import Table

from recloak.cli._shared.progress_lines import VARIABLE, ProgressLines
from recloak.cli._shared.signals import Watchful
from recloak.core.progress import Progress, Silent, Task

BAR_AFTER_SECONDS = 0.5
WIDTH_WITHOUT_TERMINAL = 120


class _Out(Console):
    """Standard output: if whoever reads it has seen enough, the command goes on in silence."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Screen:
    """Where a command shows what it found.

    With ``--json`` only the result goes to standard output; with ``--quiet`` nothing does.
    Progress and warnings go to standard error.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.json = bool(arguments.json)
        self.quiet = bool(arguments.quiet)
        width = None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
        self._out = _Out(highlight=False, soft_wrap=True, width=width)
        self._err = Console(stderr=True, highlight=False, soft_wrap=True)

    @property
    def progress(self) -> Progress:
        """Lines for the program that asks for them, bars on a terminal; silence otherwise."""
        if os.environ.get(VARIABLE):
            return Watchful(ProgressLines(os.environ[VARIABLE]))
        shown: Progress = Silent() if self.quiet or not sys.stderr.isatty() else _Bars(self._err)
        return Watchful(shown)

    def result(self, content: dict[str, Any]) -> None:
        """The result for programs."""
        if self.json and not self.quiet:
            from recloak.report.to_json import to_plain  # only programs need it

            plain = to_plain(content)
            print(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False))

    def say(self, text: str = "") -> None:
        """A line for people."""
        if not self.json and not self.quiet:
            self._out.print(escape(text))

    def heading(self, text: str) -> None:
        """A heading for people."""
        if not self.json and not self.quiet:
            self._out.print(f"\n[bold]{escape(text)}[/bold]")

    def warn(self, text: str) -> None:
        """A warning, apart from the result."""
        if not self.quiet:
            self._err.print(f"[yellow]note:[/yellow] {escape(text)}")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table for people; columns that start with '>' are set to the right."""
        if self.json or self.quiet:
            return
        table = Table(box=None, pad_edge=False, header_style="dim")
        for column in columns:
            right = column.startswith(">")
            table.add_column(column.lstrip(">"), justify="right" if right else "left")
        for row in rows:
            table.add_row(*(escape(cell) for cell in row))
        self._out.print(table)


class _LateTask:
    """Draws nothing until the work has taken a moment: quick work should not flicker.

    Then it is drawn whether or not the work has come to a step.
    """

    def __init__(self, bars: Bars, label: str, total: float | None) -> None:
        self._bars, self._label, self._total = bars, label, total
        self._lock, self._done = Lock(), 0.0
        self._task: TaskID | None = None
        self._timer = Timer(BAR_AFTER_SECONDS, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if self._task is not None:
                return
            with suppress(LiveError):  # older versions of rich draw one bar at a time
                self._bars.start()
                self._task = self._bars.add_task(self._label, total=self._total)
                self._bars.advance(self._task, self._done)

    def advance(self, amount: float = 1) -> None:
        with self._lock:
            self._done += amount
            if self._task is not None:
                self._bars.advance(self._task, amount)

    def end(self) -> None:
        """The work is done: what was drawn goes."""
        self._timer.cancel()
        with self._lock:
            if self._task is None:
                self._task = TaskID(0)  # nothing is drawn from here on
            self._bars.stop()


class _Bars:
    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        task = _LateTask(bars, label, total)
        try:
            yield task
        finally:
            task.end()
