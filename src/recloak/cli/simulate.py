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
No data are needed; 'recloak publish --method synthetic' makes people up from data of your own.
'recloak simulate' was called 'recloak synth' before, and the old name still works."""


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
    from recloak.io.writing import write, write_blocks, writes_blocks
    from recloak.simulation import MadeUpRatings

    screen = Screen(arguments)
    out = Path(arguments.out)
    refuse_existing(out, "--out")
    parent_of(out, "--out")
    wide = (arguments.layout or ("wide" if arguments.like == "survey" else "long")) == "wide"
    by_blocks = not wide and writes_blocks(out)
    sizes = arguments.users, arguments.items, arguments.ratings
    made = MadeUpRatings.like(arguments.like, *sizes, seed=arguments.seed, at_once=not by_blocks)
    if by_blocks:
        write_blocks(made.blocks(screen.progress), out)
    else:
        write(made.whole(screen.progress), out, "survey" if wide else None)
    like = made.model
    counts = {"users": like.users, "items": like.items, "ratings": like.ratings}
    screen.result({"file": str(out), "like": arguments.like, "scale": str(like.scale), **counts})
    screen.say(f"Wrote {out}: {made!r}")
    return 0
