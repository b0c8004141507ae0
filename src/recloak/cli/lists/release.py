"""lists release: protect tonight's lists against those before, and put them in force."""

from __future__ import annotations

import argparse
from math import inf

from recloak.cli._shared.arguments import Parser, needed, within
from recloak.cli._shared.reading import Reading, add_reading
from recloak.cli.lists.replay import add_own, add_protection, algorithm_from, external_from

USAGE = "RATINGS --store URL"
EXAMPLES = """examples:
  recloak lists release ratings.csv --store lists.db --delta 0.1 --window 4 --top 5
  recloak lists release ratings.parquet --store postgresql://job@db/shop --json
  recloak lists release ratings.csv --lists scores.csv --store lists.db

RATINGS are all that there are tonight; what was erased since is simply not in them, and times are
not needed. The lists are protected against the window − 1 releases before, attacked by an
independent verifier as the store gives them back, and then in force: whole or not at all. Runs on
one store wait for each other. What ranking found is kept in the store for the next night, so that
only changed items are ranked anew; --forget neither uses nor keeps it. With --lists your own
recommender ranks, and the ratings tell how many people a list could give away."""


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
    add_own(parser)
    add_protection(parser, left_out=("new_raters_only",))
    add_reading(parser)


def add_store(parser: Parser) -> None:
    """The flag of every action that works with a store."""
    parser.add_argument(
        "--store",
        metavar="URL",
        default="lists.db",
        help="a SQLite file or postgresql://… (default: lists.db)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Publish the next release and say what is in force now."""
    needed(arguments, "file")
    from recloak.cli._shared.screen import Screen
    from recloak.io import read
    from recloak.lists.store.database import url_of
    from recloak.recommenders.similarity import SIMILARITIES

    screen = Screen(arguments)
    url_of(arguments.store)  # refused before data are read
    within(arguments, "wait", 0, inf)
    algorithm = algorithm_from(arguments)
    similarity = SIMILARITIES.get(arguments.similarity)()
    external = external_from(arguments)
    ratings = read(arguments.file, Reading(arguments).options, progress=screen.progress)
    from recloak.lists.store.releasing import release_next
    from recloak.lists.store.store import Store

    done = release_next(
        Store.at(arguments.store, make=True),
        ratings,
        algorithm,
        similarity,
        external=external,
        use_cache=not arguments.forget,
        wait=arguments.wait,
        progress=screen.progress,
    )
    facts = {**done.record.public(), "items_ranked_anew": done.n_reranked, "filled": done.filled}
    screen.result({"release": facts, "verdict": vars(done.verdict)})
    screen.say(f"release {done.record.number:03d} is in force, digest {done.record.digest}")
    screen.say(f"{done.verdict.claim}: {done.verdict.status}. {done.verdict.how}")
    screen.say(
        f"{done.record.n_items:,} items, {done.filled:.1%} of the slots filled; "
        f"{done.n_reranked:,} were ranked anew"
    )
    return 0
