"""lists history: what a store holds, release by release."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser
from recloak.cli.lists.release import add_store

if TYPE_CHECKING:
    from recloak.lists.store.records import ReleaseRecord

USAGE = "--store URL"
EXAMPLES = """examples:
  recloak lists history --store lists.db
  recloak lists history --store postgresql://job@db/shop --json

The chain of digests is checked first. Note the last digest elsewhere from time to time:
'recloak lists verify --known DIGEST' finds out if the whole chain was rewritten."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    add_store(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show all releases."""
    from dataclasses import asdict

    from recloak.cli._shared.screen import Screen
    from recloak.lists.store.urls import url_of

    url_of(arguments.store)
    from recloak.lists.store.store import Store

    screen = Screen(arguments)
    store = Store.at(arguments.store)
    with store.reading() as transaction:
        records = transaction.records()
        rotated = transaction.rotated(records)
    facts = [{**asdict(one), **one.worth, "rotated": one.number in rotated} for one in records]
    screen.result({"store": store.where, "releases": facts})
    columns = ("release", "published", "δ", ">window", ">slots", ">items", ">ratings", "algorithm")
    rows = [
        (
            f"{one.number:03d}",
            one.published_at,
            (one.delta or "–") + ("" if one.protected else " (public before)"),
            str(one.window),
            f"{one.top}{' (removed)' if one.number in rotated else ''}",
            f"{one.n_items:,}",
            f"{one.n_ratings:,}",
            one.algorithm,
        )
        for one in records
    ]
    screen.table(columns, rows)
    worth = ("release", ">filled", ">recall", ">attainable", ">suppressed", ">permuted")
    screen.heading("What is left of the unprotected lists")
    screen.table(worth, [(f"{one.number:03d}", *_shown(one)) for one in records])
    if records:
        screen.say(f"\nlast digest: {records[-1].digest}")
    return 0


def _shown(record: ReleaseRecord) -> tuple[str, ...]:
    """What a release is worth; – where it was not recorded."""
    worth = record.worth
    shares = ("filled", "recall", "attainable_recall")
    counts = ("suppressed", "permuted")
    return (
        *("–" if worth[name] is None else f"{worth[name]:.1%}" for name in shares),
        *("–" if worth[name] is None else f"{worth[name]:,}" for name in counts),
    )
