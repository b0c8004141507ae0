"""Is a survey (k, ε, l)-anonymous? Three routes side by side, then ours at a million."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import cost
from benchmarks.suites import SYNTH, Row, row

ISSUES = 20
SURVEY = SYNTH + (
    "from recloak.guarantees import guarantee\n"
    "first = synthesize('survey', users=300, seed=1)\n"
    "for warm in ('bitmap', 'slicing', 'pairwise'):\n"
    "    guarantee(f'proximity:k=5,l=0.5,sensitive=20,route={{warm}}').check(first)\n"
    "    guarantee(f'proximity:k=5,sensitive=20,route={{warm}}').check(first)\n"
    "guarantee('proximity:k=5,l=0.5,sensitive=20,quick=yes').check(first)\n"
    "ratings = synthesize('survey', users={users}, items=20{more}, seed=1)\n"
)
MILLION = 1_000_000
COMPLETE = ", ratings={ratings}"


def setup(users: int, complete: bool) -> str:
    more = COMPLETE.format(ratings=users * ISSUES) if complete else ""
    return SURVEY.format(users=users, more=more)


def check(claim: str) -> str:
    return f"guarantee('proximity:{claim},sensitive=20').check(ratings)"


def proximity(place: Path, n: int) -> Iterator[Row]:
    """Growth of all routes where all can finish; a million with and without nulls."""
    for users in (10_000, 20_000, 40_000):
        ours = cost(check("k=20"), setup(users, False), 1)
        for route in ("slicing", "pairwise"):
            other = cost(check(f"k=20,route={route}"), setup(users, False), 1)
            yield row("(k, ε), k = 20, ε = 1", _size(users), ours, (route, other))
    for users in (MILLION // 4, MILLION // 2, MILLION):
        for claim in ("k=20", "k=20,l=1"):
            timed = cost(check(claim), setup(users, False), 1)
            yield row(f"proximity:{claim}", _size(users), timed)
    for claim in ("k=20", "k=20,l=1", "k=20,l=1,quick=yes"):
        timed = cost(check(claim), setup(MILLION, True), 1)
        yield row(f"proximity:{claim}, no nulls", _size(MILLION), timed)


def _size(users: int) -> str:
    return f"{users:,} × {ISSUES}"
