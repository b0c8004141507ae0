"""WorkspaceHistory: who did what when, in a file that is only ever appended to."""

from __future__ import annotations

import fcntl
import getpass
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recloak.core.files import machine_errors


def now() -> str:
    """The moment, as the history has it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def moment(text: str) -> str:
    """The same for people: to the minute.

    >>> moment("2024-05-01T08:30:12Z")
    '2024-05-01 08:30 UTC'
    """
    return f"{text[:10]} {text[11:16]} UTC" if text.endswith("Z") else text


def who() -> str:
    """The user of this machine in whose name the studio runs."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


_EARLIER = {"said": "note"}  # names of fields in lines that stand already


@dataclass(frozen=True)
class Entry:
    """One line: when, by whom, what was done, to what, and the command that does the same."""

    at: str
    by: str
    what: str
    subject: str = ""
    command: str = ""
    link: str = ""
    note: str = ""


class WorkspaceHistory:
    """The lines of one workspace.

    A line is written in one piece under a lock and synced. What a crash cut short is closed by the
    next line and skipped by whoever reads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, what: str, **facts: str) -> Entry:
        """Add a line; nothing that stands is ever changed."""
        entry = Entry(now(), facts.pop("by", "") or who(), what, **facts)
        line = json.dumps(vars(entry), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with machine_errors(self.path):
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                os.write(handle, _closing(handle) + line)
                os.fsync(handle)
            finally:
                os.close(handle)
        return entry

    def entries(self) -> list[Entry]:
        """All lines that are whole, the newest first."""
        return list(self._read())[::-1]

    def _read(self) -> Iterator[Entry]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        for line in lines:
            try:
                content: dict[str, Any] = json.loads(line)
                yield Entry(**{_EARLIER.get(name, name): what for name, what in content.items()})
            except (ValueError, TypeError):
                continue


def _closing(handle: int) -> bytes:
    """A line end, if a crash left the last line without one."""
    size = os.fstat(handle).st_size
    return b"\n" if size and os.pread(handle, 1, size - 1) != b"\n" else b""
