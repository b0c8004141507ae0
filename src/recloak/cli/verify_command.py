"""verify: check formal claims on a release or on any ratings file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.cli.arguments import add_reading, needed, reading_options
from recloak.cli.survey_arguments import declared_in, stated_claims

if TYPE_CHECKING:
    from recloak.cli.screen import Screen
    from recloak.ratings import Ratings

EXAMPLES = """examples:
  recloak verify release
  recloak verify release --claim k-anonymity:k=3
  recloak verify anonymised.csv --claim k-anonymity:k=5,values=no
  recloak verify survey.csv --claim proximity:k=5,epsilon=1 --sensitive income,health
  recloak verify release --claim diversity:b=2,l=5 --original ratings.csv

A release's files are compared with the digests in its manifest first, and its bytes are searched
for what would link rows to people. Exit code 3 if a claim is broken or undecided, or a trace is
found."""


def configure(parser: argparse.ArgumentParser, words: list[str]) -> None:
    parser.add_argument("target", nargs="?", metavar="RELEASE_OR_FILE")
    parser.add_argument(
        "--claim", action="append", metavar="NAME:key=value,…", help="a claim to check; repeatable"
    )
    parser.add_argument(
        "--original", metavar="FILE", help="what it was made from; decides claims about it"
    )
    add_reading(parser)


def _read(target: str, reading: dict[str, Any], screen: Screen) -> str | Ratings:
    """The ratings of a file, with what was left aside: nothing is verified about that."""
    from recloak.formats import load
    from recloak.release import is_release

    if is_release(Path(target)):
        return target
    loaded = load(target, progress=screen.progress, **reading)
    for note in loaded.notes:
        screen.warn(note)
    if loaded.personal:
        screen.warn(f"columns about the person are not looked at: {', '.join(loaded.personal)}")
    return loaded.every_row


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "target")
    from dataclasses import asdict

    from recloak.cli.screen import Screen
    from recloak.verifying import verify

    screen = Screen(arguments)
    claims = stated_claims(arguments.claim or [], declared_in(arguments))
    reading = reading_options(arguments)
    target = _read(arguments.target, reading, screen) if claims else arguments.target
    verdicts = verify(target, claims, screen.progress, arguments.original, **reading)
    screen.result({"verdicts": [asdict(verdict) for verdict in verdicts]})
    screen.table(("claim", "verdict", "how"), [(v.claim, v.status, v.how) for v in verdicts])
    for verdict in verdicts:
        if verdict.witness:
            screen.heading(f"Witness against {verdict.claim}")
            for key, value in verdict.witness.items():
                screen.say(f"  {key}: {value}")
    return 0 if all(verdict.holds for verdict in verdicts) else 3
