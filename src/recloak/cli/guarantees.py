"""guarantees: the formal claims that can be checked."""

from __future__ import annotations

import argparse
from typing import Any

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.listing import Family, add_name, referred, show_family

EXAMPLES = """examples:
  recloak guarantees
  recloak guarantees k-anonymity
  recloak verify anonymised.csv --claim k-anonymity:k=5"""


def configure(parser: Parser, words: list[str]) -> None:
    add_name(parser, "guarantee")


def run(arguments: argparse.Namespace) -> int:
    from recloak.guarantees import GUARANTEES

    family = Family(
        GUARANTEES,
        "'recloak guarantees NAME' shows parameters and how the claim is written.",
        lambda one: f"recloak verify RELEASE_OR_FILE --claim {_written(one)}",
        lambda one: {"reference": one.reference},
        referred,
    )
    return show_family(arguments, family)


def _written(guarantee: Any) -> str:
    """The claim with what must be said, as it is written."""
    required = [info.flag for info in guarantee.Parameters.described() if info.required]
    values = ",".join(f"{name}=…" for name in required)
    return f"{guarantee.name}:{values}" if values else str(guarantee.name)
