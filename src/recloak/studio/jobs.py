"""Jobs: commands in processes of their own, which go on without a tab and without the studio."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Thread
from typing import Any, Literal

from recloak.core.errors import InputError
from recloak.core.progress.durations import duration, remaining
from recloak.studio.commands import shown_command
from recloak.studio.history import now
from recloak.studio.workspace import Workspace

State = Literal["running", "done", "refused", "failed", "stopped", "died"]
STATES: dict[int, State] = {0: "done", 3: "refused", 130: "stopped"}
TAIL = 1 << 17  # bytes of the progress that are looked at
STEP = ("label", "done", "total", "began")  # what is shown of a line of it
# Stages in which one step takes longer than all others: from their count, the time that is left
# comes out up to 80 times too short or too long.
UNEQUAL = ("Attacks", "Measures")
# The shell outlives a request to stop that is meant for the command, and notes how that ended.
SHELL = 'job=$1; shift; trap : INT TERM; "$@"; echo $? > "$job/part" && mv "$job/part" "$job/ended"'
PASSPHRASE, PROGRESS = "RECLOAK_PASSPHRASE", "RECLOAK_PROGRESS"


@dataclass(frozen=True)
class Step:
    """A piece of work under way, as the command reports it."""

    label: str
    done: float
    total: float | None
    began: float

    @property
    def is_counted(self) -> bool:
        """Can be told how far it is? One step is either to come or done."""
        return self.total is not None and self.total > 1

    @property
    def left(self) -> str:
        """About how long it may still take, and on what condition; empty if nobody can tell."""
        seconds = remaining(time.time() - self.began, self.done, self.total)
        if seconds is None or self.label.rpartition(": ")[2] in UNEQUAL:
            return ""
        return f"about {duration(seconds)} left if the rest takes as long"


@dataclass(frozen=True)
class Job:
    """One command: what it is about, and where it writes."""

    number: int
    folder: Path
    words: tuple[str, ...]
    kind: str
    subject: str
    begun: str
    back: str = "/"
    more: dict[str, str] = field(default_factory=dict)

    @property
    def link(self) -> str:
        return f"/jobs/{self.number}"

    @property
    def command(self) -> str:
        """What to type in the workspace to do the same."""
        return shown_command([word for word in self.words if word != "--json"])

    @property
    def is_running(self) -> bool:
        """Does a process of it live? Each holds the lock, whoever started it."""
        try:
            handle = os.open(self.folder / "lock", os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    @property
    def state(self) -> State:
        """How it stands; a command that ended without telling how was killed."""
        if self.is_running:
            return "running"
        try:
            code = int((self.folder / "ended").read_text())
        except (OSError, ValueError):
            return "died"
        return STATES.get(code, "failed" if 0 < code < 128 else "died")

    @cached_property
    def output(self) -> dict[str, Any]:
        """What the command printed for programs; empty if that is not whole."""
        try:
            content = json.loads((self.folder / "output").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    @property
    def problem(self) -> dict[str, Any] | None:
        """What was wrong, where, and what to do: as the command says it."""
        found = self.output.get("error")
        return found if isinstance(found, dict) else None

    @property
    def notes(self) -> list[str]:
        """What the command noted beside its result."""
        try:
            text = (self.folder / "notes").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        notes = re.split(r"^note: ", text, flags=re.MULTILINE)
        return [" ".join(note.split()) for note in notes if note.strip()]

    @property
    def steps(self) -> list[Step]:
        """The work that is under way, outermost first."""
        found: dict[int, Step | None] = {}
        for line in _last_lines(self.folder / "progress"):
            with suppress(ValueError, KeyError, TypeError):
                event = json.loads(line)
                step = Step(**{key: event[key] for key in STEP})
                found[event["task"]] = None if event["ended"] else step
        return _together([step for _, step in sorted(found.items()) if step is not None])

    def stop(self) -> None:
        """Ask the command to stop, as Ctrl-C would; it removes what is unfinished."""
        with suppress(OSError, ValueError, ProcessLookupError):
            group = int((self.folder / "process").read_text())
            if self.is_running:  # else the number may be somebody else's by now
                os.killpg(group, signal.SIGINT)


class Jobs:
    """All commands of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.folder = workspace, workspace.folder / "jobs"

    def start(
        self,
        words: Sequence[str],
        kind: str,
        subject: str,
        *,
        back: str = "/",
        more: Mapping[str, str] | None = None,
        passphrase: str = "",
    ) -> Job:
        """Run a command in the workspace; it is in the history before it begins."""
        number, folder = self._new_folder()
        job = Job(number, folder, (*words, "--json"), kind, subject, now(), back, dict(more or {}))
        facts = {key: value for key, value in vars(job).items() if key not in ("folder", "number")}
        self.workspace.write_json(f"jobs/{folder.name}", "job.json", facts)
        self._log(job, "began")
        self._run(job, passphrase)
        return job

    def get(self, number: int) -> Job:
        """The job of this number; `InputError` if there is none."""
        folder = self.folder / f"{number:05d}"
        if not folder.is_dir():
            raise InputError("there is no such job", where=f"job {number}")
        return self._read(folder)

    def all(self) -> list[Job]:
        """Every job, the newest first."""
        folders = sorted((one for one in self.folder.iterdir() if one.name.isdigit()), reverse=True)
        found = []
        for folder in folders:
            with suppress(InputError):  # killed before it was written down: it never began
                found.append(self._read(folder))
        return found

    def running(self) -> list[Job]:
        """Those under way."""
        return [job for job in self.all() if job.is_running]

    def of(self, kind: str, subject: str) -> list[Job]:
        """Those of a kind about something, the newest first."""
        return [job for job in self.all() if (job.kind, job.subject) == (kind, subject)]

    def reconcile(self) -> None:
        """Write down how those ended that ended while there was no studio."""
        logged = {entry.link for entry in self.workspace.history.entries() if entry.note}
        for job in reversed(self.all()):
            if job.link not in logged:
                if job.is_running:
                    self._watch(job)
                else:
                    self._ended(job)

    def _read(self, folder: Path) -> Job:
        content = self.workspace.read_json(f"jobs/{folder.name}", "job.json")
        words = tuple(content.pop("words"))
        return Job(number=int(folder.name), folder=folder, words=words, **content)

    def _new_folder(self) -> tuple[int, Path]:
        """The next number; whoever makes the folder has it, also among two studios."""
        number = max(
            (int(one.name) for one in self.folder.iterdir() if one.name.isdigit()), default=0
        )
        while True:
            number += 1
            with suppress(FileExistsError):
                folder = self.folder / f"{number:05d}"
                folder.mkdir(mode=0o700)
                return number, folder

    def _run(self, job: Job, passphrase: str) -> None:
        environment = {key: value for key, value in os.environ.items() if key != PASSPHRASE}
        environment[PROGRESS] = str(job.folder / "progress")
        if passphrase:
            environment[PASSPHRASE] = passphrase
        command = [sys.executable, "-m", "recloak", *job.words]
        lock = os.open(job.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with (
                (job.folder / "output").open("wb") as out,
                (job.folder / "notes").open("wb") as err,
            ):
                process = subprocess.Popen(
                    ["/bin/sh", "-c", SHELL, "sh", str(job.folder), *command],
                    cwd=self.workspace.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    pass_fds=(lock,),
                    start_new_session=True,
                )
            (job.folder / "process").write_text(str(process.pid))
        finally:
            os.close(lock)
        Thread(
            target=self._wait, args=(job, process), name=f"job {job.number}", daemon=True
        ).start()

    def _wait(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        self._watch_out(job)

    def _watch(self, job: Job) -> None:
        Thread(target=self._watch_out, args=(job,), name=job.link, daemon=True).start()

    def _watch_out(self, job: Job) -> None:
        """Wait until no process of the job lives, then write down how it ended."""
        with suppress(OSError):
            handle = os.open(job.folder / "lock", os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_SH)
            finally:
                os.close(handle)
            self._ended(job)

    def _ended(self, job: Job) -> None:
        self._log(job, "ended", note=job.state)

    def _log(self, job: Job, what: str, **more: str) -> None:
        facts = {"subject": job.subject, "command": job.command, "link": job.link, **more}
        self.workspace.history.append(f"{job.kind}: {what}", **facts)


def _together(steps: list[Step]) -> list[Step]:
    """What belongs to one setting of a comparison stands together, in the order of beginning."""
    stages = list(dict.fromkeys(step.label.partition(": ")[0] for step in steps))
    return sorted(steps, key=lambda step: stages.index(step.label.partition(": ")[0]))


def _last_lines(path: Path) -> list[bytes]:
    """The whole lines at the end of a file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            lines = file.read().split(b"\n")
    except OSError:
        return []
    return lines[1:] if size > TAIL else lines
