"""Commands: the words that a form stands for, the same that a person would type."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from recloak.core.options import Options


def shown_command(words: Iterable[str]) -> str:
    """A command as it is typed."""
    return f"recloak {shlex.join(words)}"


def flag_words(flag: str, value: str) -> list[str]:
    """A flag and its value; one that looks like a flag stands behind an equals sign."""
    return [f"--{flag}={value}"] if value.startswith("-") else [f"--{flag}", value]


def option_words(model: type[Options], given: Mapping[str, str]) -> list[str]:
    """The flags of declared options; of a switch, any value says that it is set."""
    words: list[str] = []
    for name, flag in model.flags().items():
        if not given.get(name):
            continue
        words += [f"--{flag.name}"] if flag.is_switch else flag_words(flag.name, given[name])
    return words
