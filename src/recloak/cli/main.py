"""Entry point: picks the command, runs it, turns errors into messages and exit codes."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from types import ModuleType

import recloak
from recloak.cli._shared.arguments import COMMANDS, load, parse
from recloak.cli._shared.event_log import EventLog
from recloak.cli._shared.signals import listening, stopped, telling
from recloak.core.errors import Cancelled, MachineError, RecloakError
from recloak.core.stopping import remove_unfinished, requested

DEBUG = "RECLOAK_DEBUG"
MOST_TELLING_SECONDS = 1.0  # whoever should read may not


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        with listening(partial(_worded_stop, words) if argv is None else None):
            code = _run(words)
    except BaseException as problem:
        code = _ended_by(problem, words)
    if argv is None and requested():
        from recloak.cli._shared.watching import leave

        leave(code)
    return code


def _ended_by(problem: BaseException, words: Sequence[str]) -> int:
    """The exit code of a command that ended by an exception, which is told in plain words.

    A request to stop can come out of a library as anything; once it was made, whatever ends the
    work is taken for its consequence.
    """
    if isinstance(problem, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if requested() or isinstance(problem, KeyboardInterrupt):
        remove_unfinished()  # an interrupt can fall into the removal itself
        with telling:
            return _report(stopped() or Cancelled(), words)
    if isinstance(problem, BrokenPipeError):
        return 0
    if not isinstance(problem, Exception):
        raise problem
    known = problem if isinstance(problem, RecloakError) else _machine_error(problem)
    return _defect(problem, words) if known is None else _report(known, words)


def _machine_error(problem: Exception) -> MachineError | None:
    """What the machine lacks, if that is what the problem is about."""
    if isinstance(problem, MemoryError):
        hint = "Use a smaller sample, or a machine with more memory."
        return MachineError("there is not enough memory", hint=hint)
    lacks = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS)
    if isinstance(problem, OSError) and problem.errno in lacks:
        where = str(problem.filename) if problem.filename else None
        return MachineError(problem.strerror or str(problem), where=where)
    return None


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"recloak {recloak.__version__}")
        return 0
    command = load(words[0])
    arguments = parse(command, words[0], words[1:])
    if arguments.json and "--json" not in words:
        words.append("--json")  # said in a config file: errors are for programs too
    return _logged(command, words[0], arguments)


def _logged(command: ModuleType, name: str, arguments: argparse.Namespace) -> int:
    """Run a command; if a log is asked for, its start, its end and what stopped it stand there."""
    log, started = EventLog.of(arguments), time.monotonic()
    if arguments.log:
        log.start(command=name, recloak=recloak.__version__)
    code = 1
    try:
        code = int(command.run(arguments))
    except RecloakError as problem:
        log.error(problem)
        code = problem.exit_code
        raise
    except KeyboardInterrupt:
        code = Cancelled.exit_code
        raise
    finally:
        log.write("end", exit_code=code, seconds=round(time.monotonic() - started, 3))
    return code


def overview() -> str:
    """The text of ``recloak --help``."""
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items())
    return (
        "usage: recloak COMMAND …\n\n"
        "Publish ratings that stay useful without giving the people away, and prove it.\n\n"
        f"commands:\n{listed}\n\n"
        "examples:\n"
        "  recloak demo                                    see it all work in a minute\n"
        "  recloak inspect ratings.csv\n"
        "  recloak publish ratings.csv --method synthetic --out release\n\n"
        "'recloak COMMAND --help' tells more. Exit codes: 0 done, 1 a defect of ours, 2 bad\n"
        "usage or bad input, 3 a claim or a policy line does not hold (nothing published),\n"
        "4 the machine failed, 130 interrupted."
    )


def _report(problem: RecloakError, words: Sequence[str]) -> int:
    handle, text = _worded(problem, words)
    print(text, end="", file=sys.stdout if handle == 1 else sys.stderr, flush=True)
    return problem.exit_code


def _worded(problem: RecloakError, words: Sequence[str]) -> tuple[int, str]:
    """Where a problem is told, and how: as JSON among the results, or in plain words."""
    if "--json" not in words:
        return 2, f"recloak: {problem}\n"
    parts = {"what": problem.what, "where": problem.where, "hint": problem.hint}
    document = {"error": {**parts, "exit_code": problem.exit_code}}
    return 1, json.dumps(document, ensure_ascii=False) + "\n"


def _worded_stop(words: Sequence[str]) -> tuple[int, str]:
    """The same for a process that must leave before the work has stopped, unless it was told."""
    problem = stopped()
    if problem is None:
        telling.acquire(timeout=MOST_TELLING_SECONDS)  # it may be under way
        return 2, ""
    return _worded(problem, words)


def _defect(problem: Exception, words: Sequence[str]) -> int:
    if os.environ.get(DEBUG):
        raise problem
    message = f"{type(problem).__name__}: {problem}".splitlines()[0]
    hint = f"Please report it. Set {DEBUG}=1 to see where it happened. Nothing was published."
    return _report(RecloakError(f"this is a defect of recloak ({message})", hint=hint), words)


__all__ = ["COMMANDS", "load", "main", "overview"]
