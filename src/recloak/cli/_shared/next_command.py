"""The next command: what to type after a comparison or after advice, word for word."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.io.options import ReadOptions

if TYPE_CHECKING:
    from recloak.comparison.advising import Advice

EXAMPLE = "--require 'excess<=0.08' --require 'membership<=0.65'"
REQUIRED = "required.toml"  # what advice was asked for, as a policy


def advising_command(arguments: argparse.Namespace) -> str:
    """The command that asks for advice from what was compared, so that nothing is run again.

    With a policy every line of it is required; without, there is a requirement to be changed.
    """
    grid = _flags(arguments, "methods", "grid", "policy")
    if arguments.seed:
        grid.append(f"--seed {arguments.seed}")
    example = [] if arguments.policy else [EXAMPLE]
    words = ["recloak advise", _files(arguments), *grid, *example, "--maximise utility"]
    return " ".join([*words, *_flags(arguments, "out"), *_reading(arguments)])


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
    return " ".join([*words, *_reading(arguments, advice.pick.setting.given), *policy])


def _files(arguments: argparse.Namespace) -> str:
    return " ".join(shlex.quote(file) for file in arguments.file)


def _reading(arguments: argparse.Namespace, besides: Container[str] = ()) -> list[str]:
    """All that was said about the data, surveys included, but for what is said ``besides``."""
    flags = ReadOptions.flags()
    return _flags(arguments, *(flags[name].dest for name in flags if name not in besides))


def _flags(arguments: argparse.Namespace, *names: str) -> list[str]:
    """Those that were given, each as often as it was; a switch stands alone."""
    found = []
    for name in names:
        value, flag = getattr(arguments, name, None), f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            found += [flag] if value else []
        elif value is not None:
            found += [_flag_with(flag, str(one)) for one in (value if _is_list(value) else [value])]
    return found


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _flag_with(flag: str, value: str) -> str:
    """A value that looks like a flag stands behind an equals sign."""
    return f"{flag}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"
