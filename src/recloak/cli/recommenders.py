"""recommenders: what measures train on a release to see what it is still good for."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.listing import Family, add_name, referred, show_family

EXAMPLES = """examples:
  recloak recommenders
  recloak recommenders factorization
  recloak audit ratings.csv release --measure prediction:recommender=factorization"""


def configure(parser: Parser, words: list[str]) -> None:
    add_name(parser, "recommender")


def run(arguments: argparse.Namespace) -> int:
    from recloak.recommenders import RECOMMENDERS

    family = Family(
        RECOMMENDERS,
        "'recloak recommenders NAME' shows parameters and reference.",
        lambda one: f"recloak audit ORIGINAL RELEASE --measure prediction:recommender={one.name}",
        lambda one: {"reference": one.reference},
        referred,
    )
    return show_family(arguments, family)
