"""warmup: compile what publishing and auditing need, once after an install."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser

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

    from recloak.cli._shared.other_end import METHOD, compiling_from_the_last, few_ratings
    from recloak.cli._shared.screen import Screen
    from recloak.core.files import temporary_folder
    from recloak.core.kernels import compilations
    from recloak.io import read, write
    from recloak.publishing.run import publish

    screen = Screen(arguments)
    screen.say("Compiling what publishing and auditing need, once for this machine …")
    started, before = time.perf_counter(), compilations()
    with temporary_folder() as place, compiling_from_the_last() as compiled_beside:
        write(few_ratings(), place / "ratings.csv")
        ratings = read(place / "ratings.csv", progress=screen.progress)
        publish(ratings, METHOD, out=place / "release", progress=screen.progress)
        compiled = compilations() - before + compiled_beside()
    seconds = time.perf_counter() - started
    screen.result({"compiled": compiled, "seconds": round(seconds, 1)})
    found = f"{compiled:,} kernels were compiled" if compiled else "Nothing was left to compile"
    screen.say(f"{found} ({seconds:.0f} s).")
    return 0
