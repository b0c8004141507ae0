"""Other end: a second process that compiles what an audit needs, beginning with what comes last.

Compilers hold Python's lock, so that threads do not help. Whoever publishes compiles attacks and
measures from the first one on; this process compiles them from the last one on, and what is kept
on disk by one is read by the other. They need not know where they meet.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import IO, TYPE_CHECKING

from recloak.core.parallel import thread_count

if TYPE_CHECKING:
    from recloak.core.ratings import Ratings

PEOPLE, ITEMS = 100, 120  # few, but enough for every attack and measure to run
METHOD = "gaussian-noise"  # the attacks and measures of the usual path apply to it
MODULE = __name__
STARTS = f"from {MODULE} import compile_from_the_last; compile_from_the_last()"


@contextmanager
def compiling_from_the_last() -> Iterator[Callable[[], int]]:
    """While the block runs, another process compiles; gives how many kernels that did so far.

    It is ended with the block. Where there is one core only, nothing is started.
    """
    if thread_count() < 2:
        yield lambda: 0
        return
    process = subprocess.Popen(
        [sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    counts = _Counts(process.stdout)
    try:
        yield lambda: counts.last
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


class _Counts:
    """The last of the numbers that come from a pipe, one a line."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self.last = 0
        self._pipe = pipe
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(ValueError):  # the pipe is closed
            for line in self._pipe or ():
                self.last = int(line)


def few_ratings() -> Ratings:
    """Random ratings, a few items with most of them; 'recloak simulate' has kernels of its own."""
    import numpy as np

    from recloak.core.ratings import Ratings

    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((PEOPLE, ITEMS)) < 0.6 * rng.beta(0.5, 1.5, ITEMS))
    values = rng.integers(1, 6, len(users))
    times = rng.integers(900_000_000, 1_000_000_000, len(users))
    return Ratings.from_columns(users, items, values, times, scale="1..5")


def compile_from_the_last() -> None:
    """What the other process does: measures, then attacks, each family from its last one on."""
    Thread(target=_end_with_the_first, daemon=True).start()

    from recloak.auditing.run import findings_from_the_last
    from recloak.core.kernels import compilations
    from recloak.core.randomness import Randomness
    from recloak.methods import method

    ratings = few_ratings()
    applied = method(METHOD).apply(ratings, Randomness.from_seed(1))
    assert applied.secret is not None
    for _ in findings_from_the_last(ratings, applied.release, applied.secret):
        print(compilations(), flush=True)


def _end_with_the_first() -> None:
    """Nothing ever comes: what is waited for is the end of the process that would send it."""
    import os

    sys.stdin.read()
    os._exit(1)
