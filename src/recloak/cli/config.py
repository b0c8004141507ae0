"""config: describe config files, for editors."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed

EXAMPLES = """examples:
  recloak config schema > recloak.schema.json

'schema' prints the JSON Schema of config files. An editor that knows TOML completes and checks
them if their first line is '#:schema ./recloak.schema.json'."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("action", nargs="?", choices=("schema",), metavar="schema")


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "action")
    from recloak.cli._shared.config_schema import config_schema
    from recloak.cli._shared.screen import Screen

    Screen(arguments).document(config_schema())
    return 0
