"""lists import: write down which lists were public before the first protected release."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed
from recloak.cli.lists.release import add_new, add_store

USAGE = "LISTS --store URL"
EXAMPLES = """examples:
  recloak lists import shown.csv --store lists.db --new
  recloak lists release ratings.csv --store lists.db --delta 0.1 --window 4 --top 5

LISTS is a CSV or Parquet file with the columns item, related and slot (from 1; one that is missing
was empty) or score (the highest comes first), and release if it has several, oldest first. An
adversary has seen these lists, so that the window of the releases that follow counts them. They
promise nothing themselves. A new store is made only with --new. A store with protected releases
no longer accepts them."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="LISTS", help="lists that people saw")
    add_store(parser)
    add_new(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the lists down and say which releases they are."""
    needed(arguments, "file")
    from recloak.cli._shared.screen import Screen
    from recloak.lists.external import read_list_table
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    table = read_list_table(arguments.file)
    from recloak.lists.store.importing import import_public
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store, make=arguments.new)
    records = import_public(store, table, new=arguments.new)
    screen.result({"store": store.where, "releases": [record.public() for record in records]})
    for record in records:
        screen.say(f"release {record.number:03d} was public: {record.n_items:,} lists")
    screen.say("the next release is compared with them")
    return 0
