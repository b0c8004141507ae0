"""warmup: compile what publishing and auditing need, once after an install."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser

PEOPLE, RATINGS = 120, 4_000  # few, but enough for every attack and measure to run
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
    from recloak.simulation import synthesize

    screen = Screen(arguments)
    screen.say("Compiling what publishing and auditing need; this happens once …")
    started, before = time.perf_counter(), compilations()
    with temporary_folder() as place:
        write(synthesize("ml-100k", users=PEOPLE, ratings=RATINGS, seed=1), place / "ratings.csv")
        ratings = read(place / "ratings.csv", progress=screen.progress)
        publish(ratings, "gaussian-noise", out=place / "release", progress=screen.progress)
    compiled, seconds = compilations() - before, time.perf_counter() - started
    screen.result({"compiled": compiled, "seconds": round(seconds, 1)})
    found = f"{compiled:,} kernels were compiled" if compiled else "Everything was compiled before"
    screen.say(f"{found} ({seconds:.0f} s).")
    return 0
