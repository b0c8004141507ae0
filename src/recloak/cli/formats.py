"""formats: the file formats that can be read and written."""

from __future__ import annotations

import argparse
from typing import Any

from recloak.cli._shared.arguments import Parser
from recloak.cli._shared.listing import Family, add_name, show_family

EXAMPLES = """examples:
  recloak formats
  recloak formats survey
  recloak inspect answers.csv --format survey"""


def configure(parser: Parser, words: list[str]) -> None:
    add_name(parser, "format")


def run(arguments: argparse.Namespace) -> int:
    from recloak.io import FORMATS

    family = Family(
        FORMATS,
        "Files are tried in this order; --format NAME says it instead. 'recloak formats NAME' "
        "tells more.",
        lambda one: f"recloak inspect FILE --format {one.name}",
        _facts,
        _lines,
    )
    return show_family(arguments, family)


def _facts(member: Any) -> dict[str, Any]:
    return {
        "folder": member.looks_for,
        "written_to": list(member.suffixes),
        "packed": member.text,
    }


def _lines(member: Any) -> list[str]:
    folder = [f"A folder is recognised by: {member.looks_for}."] if member.looks_for else []
    packed = ["May be compressed by gzip or zstd."] if member.text else []
    endings = ", ".join(member.suffixes)
    return [*folder, *packed, *([f"Written to names that end in {endings}."] if endings else [])]
