"""Predictive anonymization: how time grows with the number of people, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import cost
from benchmarks.suites import SYNTH, Row, row

RATINGS_PER_PERSON = 60
MADE = SYNTH + "ratings = synthesize('ml-10m', ratings={ratings}, users={users}, seed=1)\n"
READY = (
    "import numpy as np\n"
    "from recloak.methods.predictive.bounded_groups import bounded_groups\n"
    "from recloak.methods import method\n"
    "from recloak.methods.predictive.padding import pad\n"
    "from recloak.auditing.verification import check_claims\n"
    "few = synthesize('ml-100k', users=300, seed=1)\n"
    "for mode in ('pure', 'padded'):\n"
    "    first = method('predictive', mode=mode, l=2).apply(few).release\n"
    "    check_claims(first, ['diversity:b=2,l=2'], original=few)\n"
)
ROWS = "rows = pad(ratings, 0).rows()\ngenerator = np.random.default_rng(0)\n"


def made(users: int) -> str:
    return MADE.format(ratings=RATINGS_PER_PERSON * users, users=users) + READY


def predictive(place: Path, n: int) -> Iterator[Row]:
    """Groups alone grow as m^1.5; the whole method, and the check of its diversity."""
    most = n // 200
    sizes = (most // 8, most // 4, most // 2, most)
    for k in (5, 50):
        for users in sizes:
            timed = cost(f"bounded_groups(rows, {k}, generator)", made(users) + ROWS, 1)
            yield row(f"groups alone, k = {k}", f"{users:,} people", timed)
    for mode in ("pure", "padded"):
        run = f"applied = method('predictive', k=50, mode='{mode}').apply(ratings)"
        for users in sizes[:3]:
            timed = cost(run, made(users), 1)
            yield row(f"predictive, {mode}, k = 50", f"{users:,} people", timed)
    yield from _diversity(sizes[0])


def _diversity(users: int) -> Iterator[Row]:
    for b in (1, 2):
        ready = made(users) + f"recipe = method('predictive', k=5, l=5, b={b})\n"
        timed = cost("applied = recipe.apply(ratings)", ready, 1)
        yield row(f"predictive, pure, k = 5, ({b}, 5)-diversity", f"{users:,} people", timed)
        ready += "release = recipe.apply(ratings).release\n"
        timed = cost(f"check_claims(release, ['diversity:b={b},l=5'], original=ratings)", ready, 1)
        yield row(f"verification of ({b}, 5)-diversity", f"{users:,} people", timed)
