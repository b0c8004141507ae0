"""Audits: their growth with the ratings, and the attack on fragments by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import cost
from benchmarks.suites import Row, made, row

AUDITED = (
    "from recloak.auditing.run import audit\n"
    "from recloak.core.randomness import Randomness\n"
    "from recloak.methods import method\n"
    "chosen = method('{method}')\n"
    "applied = chosen.apply(ratings, Randomness.from_seed(3))\n"
)
RUN = "audit(ratings, applied.release, secret=applied.secret, method=chosen{more})"


def audits(place: Path, n: int) -> Iterator[Row]:
    """Everything that an audit of noise runs; linking fragments, as an audit does it."""
    for size in (n // 20, n // 10, n // 5):
        setup = made(size) + AUDITED.format(method="gaussian-noise")
        timed = RUN.format(more="")
        yield row("audit, gaussian-noise", f"{size:,}", cost(timed, setup, 1))
    only = ", attacks=['fragment-linking'], measures=[]"
    for size in (n // 40, n // 20, n // 10):
        setup = made(size) + AUDITED.format(method="fragmentation")
        yield row("fragment-linking alone", f"{size:,}", cost(RUN.format(more=only), setup, 1))
