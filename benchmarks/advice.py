"""Advice and single trials on data like Book-Crossing's and MovieLens 1M: seconds and memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import cost
from benchmarks.suites import SYNTH, Row, row

PEOPLE = 3_000
TRIED = (
    "pseudonymize",
    "gaussian-noise:sigma=2.5",
    "fragmentation:cut=centroids,fragments=4",
    "fragmentation:cut=shared,fragments=4",
    "microaggregation:k=5",
    "predictive:k=5",
    "synthetic:floor=10",
    "disassociation:k=3",
)
TRIAL = (
    "from recloak.auditing.policy import Policy\n"
    "from recloak.comparison._trial_runs import run_trial\n"
    "from recloak.comparison.protocol import Protocol\n"
    "from recloak.comparison.settings import settings_from\n"
    "from recloak.core.progress import SILENT\n"
    "ratings = synthesize('book-crossing', users={people}, seed=1)\n"
    "protocol = Protocol.usual().with_policy(Policy.default())\n"
    "(setting,) = settings_from(['{spec}'], ratings)\n"
)
ADVICE = "import recloak, tempfile\nratings = synthesize('{like}', seed=1)\n"


def trials(place: Path, n: int) -> Iterator[Row]:
    """One release of each method, attacked and measured as in a comparison."""
    for spec in TRIED:
        setup = SYNTH + TRIAL.format(people=PEOPLE, spec=spec)
        used = cost("run_trial(ratings, setting, protocol, SILENT)", setup, 1, cpu=True)
        yield row(f"a trial of {spec}, like book-crossing", f"{PEOPLE:,} people", used)


def advice(place: Path, n: int) -> Iterator[Row]:
    """All settings until one is advised, at full size; a first answer, and the whole."""
    for like, people in (("book-crossing", 105_283), ("ml-1m", 6_040)):
        for shown, more in (("first answer of advise", ", quick=True"), ("advise", "")):
            timed = f"recloak.advise(ratings, out=tempfile.mkdtemp(){more})"
            used = cost(timed, SYNTH + ADVICE.format(like=like), 1, cpu=True)
            yield row(f"{shown}, like {like}", f"{people:,} people", used)
