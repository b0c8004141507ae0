"""The screen: tables, notes and bars for people, or JSON for programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.table import Table

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
        """Bars on a terminal; silence otherwise."""
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


class _BarTask:
    def __init__(self, bars: Bars, label: str, total: float | None) -> None:
        self._bars = bars
        self._task = bars.add_task(label, total=total)

    def advance(self, amount: float = 1) -> None:
        self._bars.advance(self._task, amount)


class _LateTask:
    """Draws nothing until the work has taken a moment: quick work should not flicker."""

    def __init__(self, bars: Bars, label: str, total: float | None) -> None:
        self._label, self._total = label, total
        self._started = time.monotonic()
        self._done = 0.0
        self._shown: _BarTask | None = None
        self._bars = bars

    def advance(self, amount: float = 1) -> None:
        if self._shown is not None:
            self._shown.advance(amount)
            return
        self._done += amount
        if time.monotonic() - self._started > BAR_AFTER_SECONDS:
            self._bars.start()
            self._shown = _BarTask(self._bars, self._label, self._total)
            self._shown.advance(self._done)


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
        try:
            yield _LateTask(bars, label, total)
        finally:
            bars.stop()
