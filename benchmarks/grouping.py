"""``python -m benchmarks.grouping CHECKOUT``: grouping of many people, before and after.

Each piece of work runs on the source of either checkout, in turn, in processes of their own. What
counts is seconds of the processor, both cores together, so that a busy machine matters less; what
is lost by the groups stands beside them, and how time grows when people double.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
TIMED = """
import time
from recloak.simulation import synthesize
{setup}
def run(given):
    started = time.process_time()
    done = work(given)
    return time.process_time() - started, loss(given, done)
for few in small:
    run(few)
print(*run(made({size})))
"""
POINTS = """
from recloak.clustering import CLUSTERINGS, Groups, Points
small = [Points.of(synthesize('jester', users=1500, seed=1)),
         Points.of(synthesize('ml-100k', users=1200, items=90, ratings=3000, seed=1))]
def work(points):
    return CLUSTERINGS.get('{name}')().partition(points, 3)
def loss(points, labels):
    return Groups.of(labels).loss(points).ratings
"""
PEOPLE = "def made(n):\n    return Points.of(synthesize('jester', users=n, seed=1))\n"
RATINGS = (
    "def made(n):\n    return Points.of(synthesize('ml-10m', ratings=n, users=n // 143, seed=1))\n"
)
SURVEY = """
import numpy as np
from recloak.core.progress import SILENT
from recloak.methods.proximity._groups import fit_answers, grouped
def made(n):
    table = synthesize('survey', users=n, items={issues}, seed=1)
    cells = np.zeros((n, {issues}), np.int8)
    cells[table.user_codes(), table.items] = table.values
    return cells[:, 1:].copy(), cells[:, :1].copy()
small = [made(300)]
def work(answers):
    return grouped(*answers, 5, 5, 0, 0.5, SILENT)
def loss(answers, labels):
    widths = np.zeros(int(labels.max()) + 1, np.int64)
    cells = answers[0]
    return fit_answers(cells, labels, 5, widths, SILENT).distortion / cells.size
"""


class Suite(NamedTuple):
    """A piece of work on n, 2n, 4n and 8n."""

    what: str
    unit: str
    setup: str
    most: int


SUITES = (
    Suite("mdav, k = 3, like jester", "people", POINTS.format(name="mdav") + PEOPLE, 73_421),
    Suite("refined, k = 3", "ratings", POINTS.format(name="refined") + RATINGS, 2_000_000),
    Suite("proximity, k = 5, 10 issues", "people", SURVEY.format(issues=10), 100_000),
    Suite("proximity, k = 5, 20 issues", "people", SURVEY.format(issues=20), 100_000),
    Suite("refined, k = 3, like jester", "people", POINTS.format(name="refined") + PEOPLE, 240_000),
)


def measured(checkout: Path, setup: str, size: int) -> tuple[float, float]:
    """Seconds of the processor, and what the groups lose."""
    own = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    words = [sys.executable, "-c", TIMED.format(setup=setup, size=size)]
    done = subprocess.run(words, env=own, check=True, capture_output=True, text=True)
    seconds, loss = map(float, done.stdout.split()[-2:])
    return seconds, loss


def rows(suite: Suite, before: Path, most: int) -> Iterator[str]:
    """A line for each size, and the exponents between the last two."""
    last: tuple[float, float] | None = None
    for size in (most // 8, most // 4, most // 2, most):
        (old, lost), (new, loses) = (measured(one, suite.setup, size) for one in (before, HERE))
        growth = ""
        if last is not None:
            growth = " → ".join(
                f"{math.log2(b / a):.1f}" for a, b in zip(last, (old, new), strict=True)
            )
        last = (old, new)
        cells = f"{old:.2f} s | {new:.2f} s | {new / old:.2f} | {loses / lost - 1:+.2%} | {growth}"
        yield f"| {suite.what} | {size:,} {suite.unit} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a checkout of the other version")
    parser.add_argument("--only", nargs="+", type=int, default=range(len(SUITES)))
    parser.add_argument("--share", type=float, default=1.0, help="of the largest size")
    arguments = parser.parse_args()
    print("| what | size | before, CPU | after, CPU | ratio | loss | exponent |")
    print("|---|---|---|---|---|---|---|")
    for at in arguments.only:
        most = int(SUITES[at].most * arguments.share)
        for line in rows(SUITES[at], arguments.before.resolve(), most):
            print(line, flush=True)


if __name__ == "__main__":
    main()
