"""The Netflix size, end to end: 100,480,507 made-up ratings through every command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Cost, command, cost
from benchmarks.suites import Row, row


def netflix(place: Path, n: int) -> Iterator[Row]:
    """Synthesise, read, inspect, publish and factorise; ``n`` is ignored: the size is the point."""
    file, size = place / "netflix.parquet", "100,480,507"
    yield row("synth", size, recloak("synth", "--like", "netflix", "--seed", "1", "--out", file))
    read = f"from recloak.formats import read; ratings = read({str(file)!r})"
    yield row("Parquet → Ratings", size, cost(read, rounds=1))
    again = place / "again.parquet"
    timed = f"write(ratings, {str(again)!r})"
    yield row(
        "Ratings → Parquet", size, cost(timed, read + "\nfrom recloak.formats import write\n", 1)
    )
    again.unlink()
    yield row("inspect", size, recloak("inspect", file, "--json"))
    for method in ("pseudonymize", "gaussian-noise"):
        out = place / method
        words = ("publish", file, "--method", method, "--out", out, "--quiet")
        yield row(f"publish, {method}, audited", size, recloak(*words))
    timed = (
        "from recloak.recommenders.factorization import Factorization\n"
        "Factorization(factors=25, epochs=20).fit(ratings)"
    )
    yield row("factorisation, 25 × 20", size, cost(timed, read + "\n", 1))


def recloak(*words: str | Path) -> Cost:
    """One of our commands."""
    return command(sys.executable, "-m", "recloak", *map(str, words))
