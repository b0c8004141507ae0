"""The screen: tables, notes and bars for people, or JSON for programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from recloak.cli._shared.bars import Bars
from recloak.cli._shared.event_log import EventLog
from recloak.cli._shared.progress_lines import VARIABLE, ProgressLines
from recloak.cli._shared.signals import StoppableProgress
from recloak.core.progress import Progress, Silent

WIDTH_WITHOUT_TERMINAL = 120
COMPILING = (
    "compiling for this machine, once after an install or an update: the first audit takes 15 to "
    "40 seconds longer ('recloak warmup' does it in advance)"
)


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
        self._log = EventLog.of(arguments)
        width = None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
        self._out = _Out(highlight=False, soft_wrap=True, width=width)
        self._err = Console(stderr=True, highlight=False, soft_wrap=True)

    @cached_property
    def progress(self) -> Progress:
        """Lines for the program that asks for them, bars on a terminal; silence otherwise."""
        if os.environ.get(VARIABLE):
            lines = ProgressLines(os.environ[VARIABLE])
            return StoppableProgress(self._log.watching(lines))
        silent = self.quiet or not sys.stderr.isatty()
        shown: Progress = Silent() if silent else Bars(self._err)
        if not silent or self._log.is_kept:
            from recloak.core.kernels import tell_of_first_compilation

            tell_of_first_compilation(lambda: self._say_compiling(silent=silent))
        return StoppableProgress(self._log.watching(shown))

    def _say_compiling(self, *, silent: bool) -> None:
        self._log.write("note", text=COMPILING)
        if not silent:
            self._err.print(f"[yellow]note:[/yellow] {COMPILING}")

    def result(self, content: dict[str, Any]) -> None:
        """The result for programs."""
        if self.json and not self.quiet:
            from recloak.report.to_json import to_plain  # only programs need it

            plain = to_plain(content)
            print(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False))

    def document(self, content: dict[str, Any]) -> None:
        """A result that is JSON for people, too."""
        if not self.quiet:
            print(json.dumps(content, indent=2, ensure_ascii=False))

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
        self._log.write("note", text=text)
        if not self.quiet:
            self._err.print(f"[yellow]note:[/yellow] {escape(text)}")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table for people; columns that start with '>' are set to the right."""
        if self.json or self.quiet:
            return
        table = Table(box=None, pad_edge=False, header_style="dim")
        for column in columns:
            right = column.startswith(">")
            table.add_column(
                column.lstrip(">"),
                justify="right" if right else "left",
                no_wrap=column == "setting",  # settings differ at their ends: headings wrap first
                overflow="fold",  # a claim is one long word, and its end counts as well
            )
        for row in rows:
            table.add_row(*(escape(cell) for cell in row))
        self._out.print(table)
