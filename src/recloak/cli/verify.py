"""verify: check formal claims on a release or on any ratings file."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli._shared.reading import Reading, add_reading

EXAMPLES = """examples:
  recloak verify release
  recloak verify release --claim k-anonymity:k=3
  recloak verify anonymised.csv --claim k-anonymity:k=5,values=no
  recloak verify survey.csv --claim proximity:k=5,epsilon=1 --sensitive income,health
  recloak verify release --claim diversity:b=2,l=5 --original ratings.csv
  recloak verify release --parts-key recipient.key

A release's files are compared with the digests in its manifest first, and its bytes are searched
for what would link rows to people. Exit code 3 if a claim is broken or undecided, or a trace is
found. A claim on a file is about everything in it, including times. The verdict says what could
not be compared, such as further columns, and the claim is undecided if it is about that."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument(
        "target", nargs="?", metavar="RELEASE_OR_FILE", help="a release, or a ratings file"
    )
    parser.add_argument(
        "--claim", action="append", metavar="NAME:key=value,…", help="a claim to check; repeatable"
    )
    parser.add_argument(
        "--original", metavar="FILE", help="the original ratings, which some claims are about"
    )
    parser.add_argument(
        "--parts-key", metavar="FILE", help="the key file of a release that is encrypted"
    )
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "target")
    from dataclasses import asdict

    from recloak.auditing.verification import verify
    from recloak.cli._shared.screen import Screen

    screen = Screen(arguments)
    reading = Reading(arguments)
    claims = reading.declared.stated(arguments.claim or [])
    options = reading.options
    verdicts = verify(
        arguments.target,
        claims,
        screen.progress,
        arguments.original,
        arguments.parts_key,
        options=options,
    )
    screen.result({"verdicts": [asdict(verdict) for verdict in verdicts]})
    screen.table(("claim", "verdict", "how"), [(v.claim, v.status, v.how) for v in verdicts])
    for verdict in verdicts:
        if verdict.witness:
            screen.heading(f"Witness against {verdict.claim}")
            for key, value in verdict.witness.items():
                screen.say(f"  {key}: {value}")
    return 0 if all(verdict.holds for verdict in verdicts) else 3
