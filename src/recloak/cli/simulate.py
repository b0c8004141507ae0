"""simulate: make realistic ratings of any size, without any data."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed

EXAMPLES = """examples:
  recloak simulate --like ml-100k --seed 1 --out ratings.csv
  recloak simulate --like ml-1m --users 500 --ratings 40000 --seed 1 --out small.parquet
  recloak simulate --like netflix --seed 1 --out netflix.parquet
  recloak simulate --like survey --seed 1 --out survey.csv

The people are made up; counts, long tails, tastes and uniqueness are like the set's.
No data are needed; 'recloak publish --method synthetic' makes people up from data of your own. The
command was called synth before, and that name still works."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument(
        "--like",
        metavar="SET",
        help="ml-100k, ml-1m, ml-10m, netflix, jester, flixster, book-crossing or survey",
    )
    for counted in ("users", "items", "ratings"):
        parser.add_argument(
            f"--{counted}", type=int, metavar="N", help=f"how many {counted} (default: as the set)"
        )
    parser.add_argument("--seed", help="the same seed makes the same ratings")
    parser.add_argument(
        "--layout",
        choices=("long", "wide"),
        help="a row for each rating, or for each user (default: wide for surveys, else long)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="CSV (.csv.gz, .csv.zst), Parquet or Arrow, by its ending; must not exist",
    )


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "--like", "--out")
    from pathlib import Path

    from recloak.cli._shared.screen import Screen
    from recloak.core.files import parent_of, refuse_existing
    from recloak.io import write
    from recloak.simulation import synthesize

    screen = Screen(arguments)
    out = Path(arguments.out)
    refuse_existing(out, "--out")
    parent_of(out, "--out")
    ratings = synthesize(
        arguments.like,
        users=arguments.users,
        items=arguments.items,
        ratings=arguments.ratings,
        seed=arguments.seed,
        progress=screen.progress,
    )
    layout = arguments.layout or ("wide" if arguments.like == "survey" else "long")
    write(ratings, out, "survey" if layout == "wide" else None)
    counts = {"users": ratings.n_users, "items": ratings.n_items, "ratings": ratings.n_ratings}
    screen.result({"file": str(out), "like": arguments.like, "scale": str(ratings.scale), **counts})
    screen.say(f"Wrote {out}: {ratings!r}")
    return 0
