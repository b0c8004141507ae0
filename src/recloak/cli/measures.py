"""measures: what can be said about the utility that is left."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.listing import add_name, evaluations_of, show_family

EXAMPLES = """examples:
  recloak measures
  recloak measures fold-in
  recloak audit ratings.csv release --measure prediction:recommender=item-mean"""


def configure(parser: Parser, words: list[str]) -> None:
    add_name(parser, "measure")


def run(arguments: argparse.Namespace) -> int:
    from recloak.measures import MEASURES

    return show_family(arguments, evaluations_of(MEASURES))
