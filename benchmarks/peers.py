"""Libraries of other makers beside ours, in turns, in seconds of the processor.

They run in an environment of their own; RECLOAK_BENCH_PEERS names its Python, as `make bench-peers`
does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measuring import processor
from recloak.io import write
from recloak.simulation import synthesize

ROUNDS = 3
TIMED = """
import sys, time
{setup}
least = []
for turn in range(3):
    started = time.process_time()
    {timed}
    least.append(time.process_time() - started)
print(min(least))
"""
OURS = TIMED.format(
    setup="from recloak.core.timeline import Timeline\n"
    "from recloak.io import load\n"
    "from recloak.recommenders.similarity import Cosine, rank\n"
    "ratings = load(sys.argv[1]).ratings\n"
    "snapshot = Timeline(ratings).at(ratings.n_ratings)\n"
    "snapshot.postings\n"
    "rank(snapshot, Cosine(), 20)",
    timed="rank(snapshot, Cosine(), 20)",
)
IMPLICIT = TIMED.format(
    setup="import os, warnings\n"
    "os.environ['OPENBLAS_NUM_THREADS'] = '1'\n"
    "warnings.simplefilter('ignore')\n"
    "import pandas, scipy.sparse\n"
    "from implicit.nearest_neighbours import CosineRecommender\n"
    "frame = pandas.read_csv(sys.argv[1])\n"
    "places = [pandas.factorize(frame[name])[0] for name in ('user', 'item')]\n"
    "table = scipy.sparse.csr_matrix((frame['rating'].to_numpy('f8'), places))",
    timed="CosineRecommender(K=21).fit(table, show_progress=False)",  # an item is its own nearest
)
PYCANON = """
import sys
import pandas
from pycanon import anonymity
frame = pandas.read_csv(sys.argv[1])
print(anonymity.k_anonymity(frame, [name for name in frame.columns if name != "id"]))
"""


def peers(place: Path, n: int) -> Iterator[tuple[str, ...]]:
    """Related items against implicit, a claim on a file against pyCANON; ``n`` is ignored."""
    python = os.environ.get("RECLOAK_BENCH_PEERS")
    if python is None:
        raise SystemExit("RECLOAK_BENCH_PEERS names no Python: run 'make bench-peers'")
    yield _related_items(place, python)
    for people in (5_000, 50_000, 200_000):
        yield _claim(place, python, people)


def _related_items(place: Path, python: str) -> tuple[str, ...]:
    file = place / "ratings.csv"
    write(synthesize("ml-1m", seed=1), file)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_said(sys.executable, "-c", OURS, str(file)))
        theirs.append(_said(python, "-c", IMPLICIT, str(file)))
    return _row("cosine top 20 of all items", "1,000,209", min(ours), "implicit", min(theirs))


def _claim(place: Path, python: str, people: int) -> tuple[str, ...]:
    """Whole processes, on a file in which five people each give the same answers."""
    file = place / f"survey-{people}.csv"
    answers = np.repeat(np.random.default_rng(1).integers(1, 6, (people // 5, 8)), 5, axis=0)
    table = np.column_stack([np.arange(people), answers])
    names = ",".join(["id", *(f"q{number}" for number in range(8))])
    np.savetxt(file, table, "%d", ",", header=names, comments="")
    verify = [sys.executable, "-m", "recloak", "verify", str(file), "--format", "survey"]
    verify += ["--id-column", "id", "--claim", "k-anonymity:k=5", "--quiet"]
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(processor(*verify).seconds)
        theirs.append(processor(python, "-c", PYCANON, str(file)).seconds)
    what = "`recloak verify`, k-anonymity, whole process"
    return _row(what, f"{people:,} × 8", min(ours), "pyCANON", min(theirs))


def _row(what: str, size: str, ours: float, peer: str, theirs: float) -> tuple[str, ...]:
    shown = f"{ours:.2f} s of CPU", f"{peer}: {theirs:.2f} s of CPU"
    return what, size, *shown, f"{ours / theirs:.2f}"


def _said(*words: str) -> float:
    """The number that a program prints last."""
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])
