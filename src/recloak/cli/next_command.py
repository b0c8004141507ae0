"""The next command: what to type after a comparison or after advice, word for word."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recloak.frontier.advising import Advice

READING_FLAGS = (
    "format",
    "columns",
    "scale",
    "separator",
    "encoding",
    "id_column",
    "issues",
    "duplicates",
    "schema",
    "most_rated",
)
EXAMPLE = "--require 'success<=0.2'"
REQUIRED = "required.toml"  # what advice was asked for, as a policy


def advising_command(arguments: argparse.Namespace) -> str:
    """The command that asks for advice from what was compared, so that nothing is run again.

    With a policy every line of it is required; without, there is a requirement to be changed.
    """
    grid = _flags(arguments, "methods", "grid", "policy")
    if arguments.seed:
        grid.append(f"--seed {arguments.seed}")
    wish = [] if arguments.policy else [EXAMPLE]
    words = ["recloak advise", _files(arguments), *grid, *wish, "--maximise utility"]
    return " ".join([*words, *_flags(arguments, "out"), *_flags(arguments, *READING_FLAGS)])


def publishing_command(arguments: argparse.Namespace, advice: Advice) -> str | None:
    """The command that publishes what was picked; without a pick there is none.

    Where results are kept, the release is held to all that was required, else to the policy alone.
    """
    if advice.pick is None:
        return None
    words = ["recloak publish", _files(arguments), advice.pick.setting.words, "--out release"]
    if arguments.out:
        policy = [f"--policy={shlex.quote(str(Path(arguments.out) / REQUIRED))}"]
    else:
        policy = _flags(arguments, "policy")
    return " ".join([*words, *_flags(arguments, *READING_FLAGS), *policy])


def _files(arguments: argparse.Namespace) -> str:
    return " ".join(shlex.quote(file) for file in arguments.file)


def _flags(arguments: argparse.Namespace, *names: str) -> list[str]:
    """Those that were given; a value that looks like a flag stands behind an equals sign."""
    found = []
    for name in names:
        value = getattr(arguments, name)
        if value is not None:
            between = "=" if str(value).startswith("-") else " "
            found.append(f"--{name.replace('_', '-')}{between}{shlex.quote(str(value))}")
    return found
