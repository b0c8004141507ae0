"""verify: check formal claims on a release or on any ratings file."""

from __future__ import annotations

import argparse

from recloak.cli.arguments import add_reading, needed, reading_options

EXAMPLES = """examples:
  recloak verify release
  recloak verify release --claim k-anonymity:k=3
  recloak verify anonymised.csv --claim k-anonymity:k=5,values=no

A release's files are compared with the digests in its manifest first, and its bytes are searched
for what would link rows to people. Exit code 3 if a claim is broken or undecided, or a trace is
found."""


def configure(parser: argparse.ArgumentParser, words: list[str]) -> None:
    parser.add_argument("target", nargs="?", metavar="RELEASE_OR_FILE")
    parser.add_argument(
        "--claim", action="append", metavar="NAME:key=value,…", help="a claim to check; repeatable"
    )
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "target")
    from dataclasses import asdict

    from recloak.cli.screen import Screen
    from recloak.verifying import verify

    screen = Screen(arguments)
    claims = arguments.claim or []
    verdicts = verify(arguments.target, claims, screen.progress, **reading_options(arguments))
    screen.result({"verdicts": [asdict(verdict) for verdict in verdicts]})
    screen.table(("claim", "verdict", "how"), [(v.claim, v.status, v.how) for v in verdicts])
    for verdict in verdicts:
        if verdict.witness:
            screen.heading(f"Witness against {verdict.claim}")
            for key, value in verdict.witness.items():
                screen.say(f"  {key}: {value}")
    return 0 if all(verdict.holds for verdict in verdicts) else 3
