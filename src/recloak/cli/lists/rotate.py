"""lists rotate: put the lists of old releases away, and keep their facts and digests."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser
from recloak.cli.lists.release import add_store

USAGE = "--store URL --keep N"
EXAMPLES = """examples:
  recloak lists rotate --store lists.db --keep 90

The facts and digests of all releases stay, so that the chain can still be checked. Keep at least as
many as the largest window; a release whose window reaches further back is refused."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    add_store(parser)
    parser.add_argument("--keep", type=int, default=90, metavar="N", help="releases (default: 90)")


def run(arguments: argparse.Namespace) -> int:
    """Put old lists away."""
    from recloak.cli._shared.screen import Screen
    from recloak.core.errors import ParameterError
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    from recloak.lists.store.night import now
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store)
    with store.writing() as transaction:
        records = transaction.records()
        least = max((record.window for record in records[-1:]), default=1)
        if arguments.keep < least:
            raise ParameterError(
                f"must be at least the window, {least}", where=f"--keep {arguments.keep}"
            )
        gone = transaction.rotate(arguments.keep, now())
    screen.result({"store": store.where, "put_away": gone})
    screen.say(f"the lists of {len(gone):,} releases were removed, {len(records):,} are known")
    return 0
