"""warmup: compile what publishing and auditing need, once after an install."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recloak.cli._shared.arguments import Parser

PEOPLE, RATINGS = 120, 4_000  # few, but enough for every attack and measure to run
METHOD = "gaussian-noise"  # the attacks and measures of the usual path apply to it
PART = "import sys\nfrom recloak.cli.warmup import {part}\nprint({part}(sys.argv[1]))"
EXAMPLES = """examples:
  recloak warmup

Inner loops are compiled when they are first used and kept on disk, so that the first audit after an
install or an update takes longer. This compiles those of the usual path ahead, by publishing a few
made-up people. Use it when you build an image, set up a shared machine, or want no wait later."""


def configure(parser: Parser, words: list[str]) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    import time

    from recloak.cli._shared.screen import Screen
    from recloak.core.files import temporary_folder

    screen = Screen(arguments)
    screen.say("Compiling what publishing and auditing need; this happens once …")
    started = time.perf_counter()
    with temporary_folder() as place, screen.progress.task("Compiling", 3) as task:
        compiled = _publication(place)
        task.advance()
        with _beside("attacks", place) as attacks, _beside("measures", place) as measures:
            for part in (measures, attacks):
                compiled += _outcome(part)
                task.advance()
    seconds = time.perf_counter() - started
    screen.result({"compiled": compiled, "seconds": round(seconds, 1)})
    found = f"{compiled:,} kernels were compiled" if compiled else "Everything was compiled before"
    screen.say(f"{found} ({seconds:.0f} s).")
    return 0


def attacks(place: str) -> int:
    """Compile what attacks need; returns how many kernels that were."""
    return _audited(Path(place), None, ())


def measures(place: str) -> int:
    """Compile what measures and made-up people need; returns how many kernels that were."""
    from recloak.core.kernels import compilations
    from recloak.core.randomness import Randomness
    from recloak.io import read
    from recloak.methods import method

    before = compilations()
    method("synthetic").apply(read(Path(place) / "ratings.csv"), Randomness.from_seed(1))
    return compilations() - before + _audited(Path(place), (), None)


def _publication(place: Path) -> int:
    """Compile what simulating, reading, writing and publishing need."""
    from recloak.core.kernels import compilations
    from recloak.core.progress import SILENT
    from recloak.io import read, write
    from recloak.publishing.run import publish
    from recloak.simulation import synthesize

    before = compilations()
    write(synthesize("ml-100k", users=PEOPLE, ratings=RATINGS, seed=1), place / "ratings.csv")
    ratings = read(place / "ratings.csv")
    publish(ratings, METHOD, out=place / "release", audited=False, progress=SILENT)
    return compilations() - before


def _audited(place: Path, attacks: Sequence[str] | None, measures: Sequence[str] | None) -> int:
    from recloak.auditing.run import audit
    from recloak.core.kernels import compilations
    from recloak.core.randomness import Randomness
    from recloak.io import read
    from recloak.methods import method

    before, ratings = compilations(), read(place / "ratings.csv")
    applied = method(METHOD).apply(ratings, Randomness.from_seed(1))
    audit(ratings, applied.release, secret=applied.secret, attacks=attacks, measures=measures)
    return compilations() - before


@contextmanager
def _beside(part: str, place: Path) -> Iterator[subprocess.Popen[str]]:
    """A part in a process of its own, which ends with the block at the latest."""
    words = [sys.executable, "-c", PART.format(part=part), str(place)]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _outcome(process: subprocess.Popen[str]) -> int:
    """How many kernels a part compiled."""
    out, problem = process.communicate()
    if process.returncode:
        raise RuntimeError(f"compiling failed:\n{problem}")
    return int(out.split()[-1])
