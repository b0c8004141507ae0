"""lists release: protect tonight's lists against those before, and put them in force."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser, needed, within
from recloak.cli._shared.flags import TakesFlags
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.lists.replay import add_own, add_protection, algorithm_from, external_from

if TYPE_CHECKING:
    from recloak.lists.store.feed import Feed
    from recloak.lists.store.records import ReleaseRecord
    from recloak.lists.store.safeguards import Safeguards

STORE_VARIABLE = "RECLOAK_STORE"
_LOW_RECALL = 0.8
USAGE = "RATINGS|--from SOURCE --store URL"
EXAMPLES = """examples:
  recloak lists release ratings.csv --store lists.db --delta 0.1 --window 4 --top 5 --new
  recloak lists release ratings.csv --store lists.db --delta 0.1 --window 4 --top 5
  recloak lists release ratings.parquet --store postgresql://job@db/shop --anchor last.txt --json
  recloak lists release ratings.csv --lists scores.csv --store lists.db
  recloak lists release --from "sql:SELECT customer, article, 1, id FROM sales" --since id \\
      --merge count --store postgresql://job@db/shop

RATINGS are all that exist tonight; ratings that were erased since are no longer in them, and
times are not needed. The lists are protected against the window − 1 releases before, attacked by
an independent verifier, and then in force: whole or not at all. Runs on one store wait for each
other. The very first release needs --new, and no later one may have it. Without --new, a store
that does not exist is refused. So is a store whose chain lacks the digest of --known or of the
file of --anchor, and so are ratings if more than --most-lost of them are gone. With the same
ratings and settings nothing is done: a retry does no harm. What the ranking needs for the next
night is kept in the store, encrypted, so that only changed items are ranked again; --forget
neither uses nor keeps it. With --lists your own recommender ranks, and the ratings tell how many
people a list could give away."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="RATINGS", help="all ratings that there are")
    add_store(parser)
    parser.add_argument(
        "--wait",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="for another run (default: 600)",
    )
    parser.add_argument("--forget", action="store_true", help="rank everything anew, keep nothing")
    add_safeguards(parser)
    add_feed(parser)
    add_own(parser)
    add_protection(parser, left_out=("new_raters_only",))
    add_reading(parser)


def add_feed(parser: Parser) -> None:
    """Flags for purchases from the store's own database, in place of a file."""
    group = parser.group("feed")
    group.add_argument(
        "--from",
        dest="feed",
        metavar="SOURCE",
        help="sql:SELECT … or table:NAME of the store's database, instead of RATINGS: the person, "
        "the item and the rating",
    )
    group.add_argument(
        "--merge",
        metavar="RULE",
        help="several rows of a person and item: last, max, count or any (default: last)",
    )
    group.add_argument(
        "--since",
        metavar="COLUMN",
        help="a column that only grows: only rows after those of the last night are read",
    )


def add_store(parser: Parser) -> None:
    """The flag of every action that works with a store."""
    parser.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get(STORE_VARIABLE) or "lists.db",
        help=f"a SQLite file or postgresql://… (default: {STORE_VARIABLE}, else lists.db)",
    )


def add_key(parser: TakesFlags) -> None:
    """The flag of actions that need the key of the store's digests."""
    parser.add_argument(
        "--key",
        metavar="FILE",
        help="the key of the store's digests (default: beside a SQLite store, else "
        "~/.config/recloak/lists.key)",
    )


def add_safeguards(parser: Parser) -> None:
    """Flags for what must be so before a release may follow."""
    group = parser.group("safeguards")
    add_new(group)
    group.add_argument("--known", metavar="DIGEST", help="must be in the chain of the store")
    add_anchor(group)
    group.add_argument(
        "--most-lost",
        metavar="SHARE",
        default="5%",
        help="of ratings, people, items or filled slots since the last release (default: 5%%)",
    )
    add_key(group)
    group.add_argument("--new-key", action="store_true", help="the key was lost: make another")


def add_new(parser: TakesFlags) -> None:
    """The flag without which no store is made."""
    parser.add_argument(
        "--new", action="store_true", help="the very first: make the store, which must be empty"
    )


def add_anchor(parser: TakesFlags) -> None:
    """The flag for a digest that is kept outside of the store."""
    parser.add_argument(
        "--anchor",
        metavar="FILE",
        help="keeps the last digest outside the store; it must be in the chain",
    )


def safeguards_from(arguments: argparse.Namespace) -> Safeguards:
    """What the flags ask for."""
    from recloak.core.errors import ParameterError
    from recloak.lists.store.safeguards import (
        Safeguards,
        checked_digest,
        read_anchor,
        refuse_unwritable_anchor,
        share_of,
    )

    known = checked_digest(arguments.known, "--known") if arguments.known else None
    if arguments.anchor:
        if known:
            raise ParameterError("give either --known or --anchor")
        known = read_anchor(Path(arguments.anchor), new=arguments.new)
        refuse_unwritable_anchor(Path(arguments.anchor))
    return Safeguards(
        new=arguments.new,
        known=known,
        most_lost=share_of(arguments.most_lost, "--most-lost"),
        new_key=arguments.new_key,
    )


def _feed_from(arguments: argparse.Namespace) -> Feed | None:
    """What the flags say of purchases in the store's database, if there are any."""
    from recloak.core.errors import ParameterError
    from recloak.lists.store.feed import Feed

    if arguments.feed and arguments.file:
        raise ParameterError("give either RATINGS or --from")
    if arguments.feed:
        return Feed.of(arguments.feed, arguments.merge or "last", arguments.since)
    for flag in ("merge", "since"):
        if getattr(arguments, flag):
            raise ParameterError("is for purchases that --from reads", where=f"--{flag}")
    return None


@contextmanager
def _once_in_force(record: ReleaseRecord) -> Iterator[None]:
    """Say of what fails now that the release is out: a run that fails usually changes nothing."""
    from recloak.core.errors import InputError, MachineError, ParameterError

    try:
        yield
    except (InputError, MachineError, ParameterError) as problem:
        raise MachineError(
            f"release {record.number:03d} is in force, but what belongs to it could not be kept: "
            f"{problem.what}",
            where=problem.where,
            hint="Then run the same again: it publishes nothing twice.",
        ) from problem


def run(arguments: argparse.Namespace) -> int:
    """Publish the next release and say what is in force now."""
    if not arguments.feed:
        needed(arguments, "file")
    from recloak.cli._shared.screen import Screen
    from recloak.io import read
    from recloak.lists.store.safeguards import write_anchor
    from recloak.lists.store.urls import url_of
    from recloak.recommenders.similarity import SIMILARITIES

    screen = Screen(arguments)
    url_of(arguments.store)  # refused before data are read
    from recloak.lists.store.feed import keep_feed, read_feed
    from recloak.lists.store.releasing import release_next
    from recloak.lists.store.store import Store

    within(arguments, "wait", 0, inf)
    algorithm = algorithm_from(arguments)
    similarity = SIMILARITIES.get(arguments.similarity)()
    external = external_from(arguments)
    safeguards = safeguards_from(arguments)
    if not arguments.new:
        Store.at(arguments.store)  # is it there?
    feed = _feed_from(arguments)
    store = Store.at(arguments.store, make=arguments.new, key=arguments.key)
    anew = arguments.forget or arguments.new_key  # without the key, what was kept cannot be read
    fed = read_feed(store, feed, anew=anew) if feed else None
    done = release_next(
        store,
        fed.ratings
        if fed
        else read(arguments.file, Reading(arguments).options, progress=screen.progress),
        algorithm,
        similarity,
        external=external,
        safeguards=safeguards,
        use_cache=not arguments.forget,
        wait=arguments.wait,
        progress=screen.progress,
    )
    with _once_in_force(done.record):
        if arguments.anchor:
            write_anchor(Path(arguments.anchor), done.record)
        if fed:  # also if a run was killed before it could
            kept = replace(fed, kept=None) if arguments.forget else fed
            keep_feed(store, kept, done.record, arguments.wait)
    facts = {
        **done.record.public(),
        **done.record.worth,
        "items_ranked_anew": done.n_reranked,
    }
    screen.result(
        {
            "release": facts,
            "already_in_force": done.already,
            "rows_read": fed.n_rows if fed else None,
            "verdict": vars(done.verdict),
        }
    )
    state = "is in force already" if done.already else "is in force"
    screen.say(f"release {done.record.number:03d} {state}, digest {done.record.digest}")
    screen.say(f"{done.verdict.claim}: {done.verdict.status}. {done.verdict.how}")
    for line in worth_lines(done.record):
        screen.say(line)
    if not done.already:
        screen.say(
            f"{done.n_reranked:,} items were ranked anew, {done.record.n_items:,} have a list"
        )
    return 0


def worth_lines(record: ReleaseRecord) -> list[str]:
    """What is left of the unprotected lists, for people."""
    worth = record.worth
    if worth["recall"] is None:
        return []
    lines = [
        f"{worth['recall']:.1%} of the entries of the unprotected lists are shown, "
        f"{worth['filled']:.1%} of the slots filled; {worth['suppressed']:,} entries are "
        f"suppressed, {worth['permuted']:,} are in another slot"
    ]
    if worth["recall"] < _LOW_RECALL:
        lines.append(
            "after the releases before, no lists that keep the bound could show more than "
            f"{worth['attainable_recall']:.1%}: entries that reveal too much and were not in the "
            "lists before may not enter; 'recloak lists advise' shows what would keep more"
        )
    return lines
