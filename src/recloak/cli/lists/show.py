"""lists show: the list of an item as it is in force."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli.lists.release import add_store

USAGE = "ITEM --store URL"
EXAMPLES = """examples:
  recloak lists show 318 --store lists.db
  recloak lists show 318 --store lists.db --release 12

An empty slot is shown as –; it stays in its place."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("item", nargs="?", metavar="ITEM", help="the item whose list is shown")
    add_store(parser)
    parser.add_argument(
        "--release", type=int, metavar="N", help="an earlier one (default: the last)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Show one list."""
    needed(arguments, "item")
    from recloak.cli._shared.screen import Screen
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    from recloak.lists.store.records import entries_of
    from recloak.lists.store.store import Store, list_of

    screen = Screen(arguments)
    record, text = list_of(Store.at(arguments.store), arguments.item, arguments.release)
    entries = entries_of(text, record)
    screen.result({"item": arguments.item, "related": entries, "release": record.public()})
    screen.say(f"item {arguments.item}, release {record.number:03d} of {record.published_at}")
    for slot, entry in enumerate(entries, 1):
        screen.say(f"{slot:>3}  {'–' if entry is None else entry}")
    return 0
