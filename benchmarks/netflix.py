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
    yield row(
        "simulate", size, recloak("simulate", "--like", "netflix", "--seed", "1", "--out", file)
    )
    read = f"from recloak.io import read; ratings = read({str(file)!r})"
    yield row("Parquet → Ratings", size, cost(read, rounds=1))
    again = place / "again.parquet"
    timed = f"write(ratings, {str(again)!r})"
    yield row("Ratings → Parquet", size, cost(timed, read + "\nfrom recloak.io import write\n", 1))
    again.unlink()
    yield row("inspect", size, recloak("inspect", file, "--json"))
    for method in ("pseudonymize", "gaussian-noise"):
        out = place / method
        words: tuple[str | Path, ...] = ("publish", file, "--method", method, "--out", out)
        yield row(f"publish, {method}, audited", size, recloak(*words, "--quiet"))
    words = ("publish", file, "--method", "predictive", "--k", "50", "--no-audit", "--quiet")
    out = place / "predictive"
    yield row("publish, predictive, k = 50", size, recloak(*words, "--out", out))
    yield from _fragmented(read, size)
    timed = (
        "from recloak.recommenders.factorization import Factorization\n"
        "Factorization(factors=25, epochs=20).fit(ratings)"
    )
    yield row("factorisation, 25 × 20", size, cost(timed, read + "\n", 1))


def _fragmented(read: str, size: str) -> Iterator[Row]:
    """Fragmentation with and without learning its features, and one audit point on each."""
    setup = read + (
        "\nimport numpy as np\nfrom recloak.methods.fragmentation import Fragmentation\n"
        "from recloak.attacks import attack\n"
        "from recloak.evaluation.context import AuditContext, match_items\n"
        "features = np.random.default_rng(0).random((ratings.n_items, 25), dtype=np.float32)\n"
    )
    for preset in ("netflix-1", "paper-1", "netflix-6"):
        timed = f"applied = Fragmentation(preset='{preset}').using(features).apply(ratings)"
        yield row(f"fragmentation, {preset}, features given", size, cost(timed, setup, 1))
    timed = "applied = Fragmentation(preset='netflix-1').apply(ratings)"
    yield row("fragmentation, netflix-1, with its features", size, cost(timed, setup, 1))
    attacked = setup + (
        "applied = Fragmentation(preset='netflix-6').using(features).apply(ratings)\n"
        "rows = applied.release.as_ratings()\n"
        "linkage = applied.secret.linkage(ratings, rows)\n"
        "context = AuditContext(ratings, rows, linkage, match_items(ratings, rows))\n"
    )
    timed = "attack('scoreboard-rh:known=20,matching=values').run(context)"
    yield row("scoreboard-rh, one audit point on 9.1M fragments", size, cost(timed, attacked, 1))


def recloak(*words: str | Path) -> Cost:
    """One of our commands."""
    return command(sys.executable, "-m", "recloak", *map(str, words))
