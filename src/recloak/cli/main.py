"""Entry point: picks the command, runs it, turns errors into messages and exit codes."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Sequence

import recloak
from recloak.cli._shared.arguments import COMMANDS, load, parse
from recloak.cli._shared.signals import listening
from recloak.core.errors import Cancelled, MachineError, RecloakError

DEBUG = "RECLOAK_DEBUG"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        with listening(leaving=argv is None):
            return _run(words)
    except RecloakError as problem:
        return _report(problem, words)
    except KeyboardInterrupt:
        return _report(Cancelled(), words)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        hint = "Use a smaller sample, or a machine with more memory."
        return _report(MachineError("there is not enough memory", hint=hint), words)
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
            return _defect(problem, words)
        where = str(problem.filename) if problem.filename else None
        return _report(MachineError(problem.strerror or str(problem), where=where), words)
    except Exception as problem:
        return _defect(problem, words)


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
    return int(command.run(arguments))


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
        "  recloak publish ratings.csv --method gaussian-noise --sigma 0.5 --out release\n\n"
        "'recloak COMMAND --help' tells more. Exit codes: 0 done, 1 a defect of ours, 2 bad\n"
        "usage or bad input, 3 a claim or a policy line does not hold (nothing published),\n"
        "4 the machine failed, 130 interrupted."
    )


def _report(problem: RecloakError, words: Sequence[str]) -> int:
    if "--json" in words:
        parts = {"what": problem.what, "where": problem.where, "hint": problem.hint}
        print(json.dumps({"error": {**parts, "exit_code": problem.exit_code}}, ensure_ascii=False))
    else:
        print(f"recloak: {problem}", file=sys.stderr)
    return problem.exit_code


def _defect(problem: Exception, words: Sequence[str]) -> int:
    if os.environ.get(DEBUG):
        raise problem
    said = f"{type(problem).__name__}: {problem}".splitlines()[0]
    hint = f"Please report it. Set {DEBUG}=1 to see where it happened. Nothing was published."
    return _report(RecloakError(f"this is a defect of recloak ({said})", hint=hint), words)


__all__ = ["COMMANDS", "load", "main", "overview"]
