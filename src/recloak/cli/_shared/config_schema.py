"""The JSON Schema of a config file, from the flags of all commands: editors complete by it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from recloak.auditing.policy.schema import DRAFT
from recloak.cli._shared.arguments import COMMANDS, DeclaredArgument, load, parser_of
from recloak.methods import METHODS

_LEFT_OUT = ("help", "config")


def config_schema() -> dict[str, Any]:
    """What a config file may hold: keys for all commands, and a table for each of them."""
    tables: dict[str, dict[str, Any]] = {
        command: _keys(_declared(command), summary)
        for command, summary in COMMANDS.items()
        if command != "config"
    }
    shared: dict[str, Any] = {}
    for table in tables.values():
        shared |= table["properties"]
    written = {f"^{name}$": how for table in tables.values() for name, how in _undashed(table)}
    return {
        "$schema": DRAFT,
        "title": "recloak config",
        "description": "Keys at the top are for every command that takes them.",
        "type": "object",
        "additionalProperties": False,
        "properties": shared | tables,
        "patternProperties": written,
    }


def _undashed(table: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Keys with underscores are taken, too; editors offer those with dashes."""
    for key, how in table["properties"].items():
        if "-" in key:
            yield key.replace("-", "_"), how


def _declared(command: str) -> list[DeclaredArgument]:
    """The flags of a command, with those of its actions and of all methods."""
    module = load(command)
    words = [[], *([action] for action in getattr(module, "ACTIONS", ()))]
    if command == "publish":
        words += [["--method", name] for name in METHODS.names()]
    return [one for some in words for one in parser_of(module, command, some).declared]


def _keys(declared: Iterable[DeclaredArgument], summary: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for one in declared:
        for key in one.keys:
            if key not in _LEFT_OUT:
                properties.setdefault(key.replace("_", "-"), _value(one))
    table: dict[str, Any] = {"type": "object", "description": summary, "properties": properties}
    table["additionalProperties"] = False
    table["patternProperties"] = {f"^{name}$": how for name, how in _undashed(table)}
    return table


def _value(declared: DeclaredArgument) -> dict[str, Any]:
    action = declared.action
    text = {"description": action.help.replace("%%", "%")} if action.help else {}
    if action.nargs == 0:
        return {"type": "boolean", **text}
    one = _single(action)
    if declared.many:
        return {"anyOf": [one, {"type": "array", "items": one}], **text}
    return {**one, **text}


def _single(action: argparse.Action) -> dict[str, Any]:
    if action.choices:
        return {"enum": list(action.choices)}
    return {"type": "integer"} if action.type is int else {"type": ["string", "number"]}
