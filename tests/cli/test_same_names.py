"""The functions of Python take what their commands take, under the same names."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import recloak
from recloak.cli._shared.arguments import load, parser_of
from recloak.core.options import Options
from recloak.methods.fragmentation.growth import GrowthParameters
from recloak.publishing.options import ExtendOptions, PublishOptions

OF_THE_TERMINAL = {"help", "json", "quiet", "log", "config", "verbose", "dry_run"}
LOCKS = {"key_file": "lock", "passphrase_file": "lock"}
OTHERWISE: dict[str, dict[str, str]] = {
    # the flag, and the name of what says the same in Python
    "publish": {"file": "ratings", **LOCKS},
    "extend": {"file": "ratings", "wallets": "secret", **LOCKS},
    "audit": {"claim": "claims", "attack": "attacks", "measure": "measures", **LOCKS},
    "compare": {"file": "ratings"},
    "advise": {"file": "ratings"},
    "inspect": {"file": "ratings"},
    "verify": {"claim": "claims"},
    "draw": LOCKS,
    "simulate": {},
}
FUNCTIONS = {name: "synthesize" if name == "simulate" else name for name in OTHERWISE}
NOT_IN_PYTHON = {
    "simulate": {"layout": "recloak.io.write says it", "out": "recloak.io.write says it"},
}
MODELS: dict[str, type[Options]] = {"publish": PublishOptions, "extend": ExtendOptions}


def keywords(command: str) -> set[str]:
    """The names that a function takes, also those that only its options declare."""
    function: Any = getattr(recloak, FUNCTIONS[command])
    growth = {info.name for info in GrowthParameters.described()} if command == "extend" else set()
    return {*inspect.signature(function).parameters, *growth}


def flags(command: str) -> set[str]:
    """The flags and arguments of a command, as config files call them."""
    declared = parser_of(load(command), command, []).declared
    return {key for one in declared for key in one.keys}


def in_python(command: str, name: str) -> str:
    """What the value of a flag is called in Python."""
    if name in OTHERWISE[command]:
        return OTHERWISE[command][name]
    model = MODELS.get(command)
    fields = {flag.dest: field for field, flag in model.flags().items()} if model else {}
    return fields.get(name, name)


@pytest.mark.parametrize("command", OTHERWISE)
def test_every_flag_has_a_keyword_of_its_name(command: str) -> None:
    taken, left_out = keywords(command), NOT_IN_PYTHON.get(command, {})
    wanted = {name for name in flags(command) if name not in OF_THE_TERMINAL | set(left_out)}
    assert len(wanted) > 3
    missing = {name for name in wanted if in_python(command, name) not in taken}
    assert missing == set()


@pytest.mark.parametrize("command", OTHERWISE)
def test_the_exceptions_are_still_needed(command: str) -> None:
    assert set(OTHERWISE[command]) <= flags(command)
    assert set(NOT_IN_PYTHON.get(command, {})) <= flags(command)
    assert not set(OTHERWISE[command]) & keywords(command)
