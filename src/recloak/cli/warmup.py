"""warmup: compile what publishing and auditing need, once after an install."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from recloak.cli._shared.arguments import Parser

if TYPE_CHECKING:
    from recloak.core.ratings import Ratings

PEOPLE, ITEMS = 100, 120  # few, but enough for every attack and measure to run
EXAMPLES = """examples:
  recloak warmup

Inner loops are compiled when they are first used and kept on disk, so that the first audit after an
install or an update takes longer. This compiles those of the usual path in advance, by publishing a
few made-up people. Use it when you build an image, set up a shared machine, or want no
wait later."""


def configure(parser: Parser, words: list[str]) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    import time

    from recloak.cli._shared.screen import Screen
    from recloak.core.files import temporary_folder
    from recloak.core.kernels import compilations
    from recloak.io import read, write
    from recloak.publishing.run import publish

    screen = Screen(arguments)
    screen.say("Compiling what publishing and auditing need, once for this machine …")
    started, before = time.perf_counter(), compilations()
    with temporary_folder() as place:
        write(_some_ratings(), place / "ratings.csv")
        ratings = read(place / "ratings.csv", progress=screen.progress)
        publish(ratings, "gaussian-noise", out=place / "release", progress=screen.progress)
    compiled, seconds = compilations() - before, time.perf_counter() - started
    screen.result({"compiled": compiled, "seconds": round(seconds, 1)})
    found = f"{compiled:,} kernels were compiled" if compiled else "Nothing was left to compile"
    screen.say(f"{found} ({seconds:.0f} s).")
    return 0


def _some_ratings() -> Ratings:
    """Random ratings, a few items with most of them; 'recloak simulate' has kernels of its own."""
    import numpy as np

    from recloak.core.ratings import Ratings

    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((PEOPLE, ITEMS)) < 0.6 * rng.beta(0.5, 1.5, ITEMS))
    values = rng.integers(1, 6, len(users))
    times = rng.integers(900_000_000, 1_000_000_000, len(users))
    return Ratings.from_columns(users, items, values, times, scale="1..5")
