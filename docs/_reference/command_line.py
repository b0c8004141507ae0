"""The page of the command line: the help of every command, as it prints it itself."""

from __future__ import annotations

import contextlib
import io
import os
from unittest import mock

from _reference.pieces import block, page
from recloak.cli._shared.arguments import parse
from recloak.cli.main import COMMANDS, load, overview

HELP_WIDTH = "92"
METHOD_FLAGS = "With `--method NAME` the parameters of the [method](methods.md) are flags too."


def cli_page() -> str:
    """All commands."""
    shared = "Every command takes `--json`, `--quiet`, `--config FILE` and `--log FILE`."
    parts = [f"{shared} [Exit codes](exit-codes.md) are the same for all.", block(overview())]
    for name, summary in COMMANDS.items():
        parts += [f"## recloak {name}", summary, block(help_of(name))]
        if name == "publish":
            parts.append(METHOD_FLAGS)
        for action, purpose in getattr(load(name), "ACTIONS", {}).items():
            parts += [f"### recloak {name} {action}", purpose, block(help_of(name, action))]
    return page("Command line", *parts)


def help_of(command: str, *action: str) -> str:
    """What ``recloak COMMAND --help`` prints, or that of one of its actions."""
    shown = io.StringIO()
    plain = {"COLUMNS": HELP_WIDTH, "NO_COLOR": "1"}
    with (
        mock.patch.dict(os.environ, plain),
        contextlib.redirect_stdout(shown),
        contextlib.suppress(SystemExit),
    ):
        parse(load(command), command, [*action, "--help"])
    return shown.getvalue()
