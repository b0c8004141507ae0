"""Texts: the help of every command, and what is printed without any data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import recloak
from recloak.cli.lists import ACTIONS
from recloak.methods import METHODS
from tests.unchanged.commands import lines, run, shown
from tests.unchanged.releases import SETTINGS


def helps() -> dict[str, str]:
    """The help of each command, action of lists and method, by the name of its file."""
    overview = run("--help")
    commands = re.findall(r"^  (\w+)  +[A-Z]", overview.split("examples:")[0], flags=re.M)
    asked: dict[str, tuple[str, ...]] = {name: (name,) for name in commands}
    asked |= {f"lists-{name}": ("lists", name) for name in ACTIONS}
    asked |= {f"publish-{name}": ("publish", "--method", name) for name in METHODS}
    texts = {name: run(*words, "--help") for name, words in asked.items()}
    return {
        name: "\n".join(lines(text)) + "\n" for name, text in {"recloak": overview, **texts}.items()
    }


def printed() -> dict[str, Any]:
    """Methods one by one, policies and studies."""
    run("policy", "init", "--out", "policy.toml")
    return {
        "methods": shown("methods"),
        **{f"methods {name}": shown("methods", name) for name in SETTINGS},
        "policy of repeated releases": _lines_of(recloak.Policy.default(repeated=True)),
        "policy checked": shown("policy", "check", "policy.toml"),
        "policy": Path("policy.toml").read_text().splitlines(),
        "studies": shown("study", "--list"),
    }


def _lines_of(policy: recloak.Policy) -> list[str]:
    return [str(line) for line in policy.requirements]
