"""The files for systemd and compose: every command in them is one that recloak takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from recloak.cli._shared.arguments import load, parse

DEPLOY = Path(__file__).parents[2] / "deploy"
COMMAND = re.compile(r"recloak (lists [^\"\n]*)")


def commands() -> list[str]:
    return [
        found[1]
        for file in sorted(DEPLOY.iterdir())
        for line in file.read_text().splitlines()
        if not line.startswith("#")
        for found in COMMAND.finditer(line)
    ]


def test_there_are_commands_to_check() -> None:
    assert len(commands()) == 6


@pytest.mark.parametrize("command", commands())
def test_every_command_is_one_that_recloak_takes(command: str) -> None:
    words = shlex.split(command)[1:]
    assert parse(load("lists"), "lists", words).action == words[0]
