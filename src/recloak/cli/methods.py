"""methods: the methods, their parameters and what they promise."""

from __future__ import annotations

import argparse
from typing import Any

from recloak.cli._shared.arguments import Parser
from recloak.core.errors import ParameterError

EXAMPLES = """examples:
  recloak methods
  recloak methods gaussian-noise"""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="show one method in full")


def run(arguments: argparse.Namespace) -> int:
    from recloak.cli._shared.screen import Screen
    from recloak.methods import METHODS

    screen = Screen(arguments)
    if arguments.name:
        _show_one(screen, METHODS.get(arguments.name))
        return 0
    methods = []
    for name in METHODS:
        try:
            methods.append(METHODS.get(name))
        except ParameterError as problem:
            screen.warn(str(problem))
    screen.result({"methods": [_described(method) for method in methods]})
    screen.table(("method", "what it does"), [(one.name, one.summary) for one in methods])
    screen.say("\n'recloak methods NAME' shows parameters, promise and reference.")
    return 0


def _show_one(screen: Any, method: Any) -> None:
    screen.result(_described(method))
    screen.heading(method.name)
    screen.say(method.summary)
    screen.say(f"\nPromise: {method.promise}")
    if method.caveat:
        screen.say(f"Caveat: {method.caveat}.")
    if method.reference:
        screen.say(f"Reference: {method.reference}")
    screen.heading("Parameters")
    rows = [
        (f"--{info.flag}", info.kind, _default(info), info.allowed, info.doc)
        for info in method.Parameters.described()
    ]
    screen.table(("flag", "kind", "default", "allowed", "meaning"), rows)
    screen.say(f"\nrecloak publish FILE --method {method.name} --out DIR")


def _default(info: Any) -> str:
    return "required" if info.required else str(info.default)


def _described(method: Any) -> dict[str, Any]:
    return {
        "name": method.name,
        "summary": method.summary,
        "promise": method.promise,
        "caveat": method.caveat,
        "reference": method.reference,
        "parameters": [vars(info) for info in method.Parameters.described()],
    }
