"""methods: the methods, their parameters and what they promise."""

from __future__ import annotations

import argparse
from typing import Any

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.listing import Family, add_name, referred, show_family

EXAMPLES = """examples:
  recloak methods
  recloak methods gaussian-noise"""


def configure(parser: Parser, words: list[str]) -> None:
    add_name(parser, "method")


def run(arguments: argparse.Namespace) -> int:
    from recloak.methods import METHODS

    family = Family(
        METHODS,
        "'recloak methods NAME' shows parameters, promise and reference.",
        lambda method: f"recloak publish FILE --method {method.name} --out DIR",
        _facts,
        _lines,
    )
    return show_family(arguments, family)


def _lines(method: Any) -> list[str]:
    lines = [f"Promise: {method.promise}"]
    lines += [f"Caveat: {method.caveat}."] if method.caveat else []
    return lines + referred(method)


def _facts(method: Any) -> dict[str, Any]:
    return {
        "promise": method.promise,
        "caveat": method.caveat,
        "reference": method.reference,
    }
