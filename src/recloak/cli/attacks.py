"""attacks: the simulated adversaries, what they know and what they find."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.listing import add_name, evaluations_of, show_family

EXAMPLES = """examples:
  recloak attacks
  recloak attacks record-linkage
  recloak audit ratings.csv release --attack record-linkage:known=4"""


def configure(parser: Parser, words: list[str]) -> None:
    add_name(parser, "attack")


def run(arguments: argparse.Namespace) -> int:
    from recloak.attacks import ATTACKS

    return show_family(arguments, evaluations_of(ATTACKS))
