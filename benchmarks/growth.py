"""``python -m benchmarks.growth``: how the work of methods, guarantees and attacks grows.

People, items and ratings grow alone, from n to 8n, while the others stay as they are. Each line is
measured in a process of its own, in seconds of the processor, after the smallest was run once. The
exponent is the slope from 2n to 8n on logarithmic scales.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.__main__ import write
from recloak.attacks import ATTACKS
from recloak.methods import METHODS

HEAD = "| what | grows | n | 2n | 4n | 8n | exponent |\n|---|---|---|---|---|---|---|\n"
SHORT = 0.05  # seconds: below it, start-up and noise decide
STEEP = 1.3
LISTS = ("passive-inference", "release-difference")  # of lists and of two releases: see nights
ON_SURVEYS = ("proximity", "proximity-deletion", "survey-linking", "sensitive-inference")
ATTACKED = ("pseudonymize", "fragmentation", "microaggregation", "predictive", "disassociation")
CLAIMED = {
    "k-anonymity": "microaggregation",
    "km-anonymity": "disassociation",
    "diversity": "predictive:k=5,l=2",
    "differential-privacy": "synthetic:epsilon=2",
    "floor": "synthetic",
    "proximity": "proximity",
}
RATINGS = {
    "people": "users={size} * 500, items=1_000, ratings=120_000",
    "items": "users=1_000, items={size} * 500, ratings=120_000",
    "ratings": "users=2_000, items=2_000, ratings={size} * 40_000",
}
SURVEYS = {"people": "users={size} * 1_000, items=10", "items": "users=2_000, items={size} * 5"}
SETUP = """
import json, time
from recloak.auditing.run import audit
from recloak.auditing.verification import check_claims
from recloak.core.parameters import parse_spec
from recloak.core.randomness import Randomness
from recloak.methods import method
from recloak.simulation import synthesize
def applied(spec, data):
    name, parameters = parse_spec(spec)
    chosen = method(name, **parameters)
    return chosen, chosen.apply(data, Randomness.from_seed(1))
def timed(work, data):
    ready = prepare(data)
    started = time.process_time()
    work(data, ready)
    return time.process_time() - started
"""
RUN = """
sizes = [synthesize({like!r}, {shape}, seed=1) for size in (1, 2, 4, 8)]
timed(work, sizes[0])
print(json.dumps([timed(work, data) for data in sizes]))
"""
METHOD = """
prepare = lambda data: None
work = lambda data, ready: applied({name!r}, data)
"""
CLAIM = """
prepare = lambda data: applied({by!r}, data)[1].release
def work(data, release):
    claims = [one for one in release.manifest.claims if one.startswith({name!r})]
    assert claims, "the release does not claim it"
    check_claims(release, claims, original=data)
"""
ATTACK = """
def prepare(data):
    for name in {by!r}:
        chosen, made = applied(name, data)
        if attacked(data, (chosen, made)).attacks:
            return chosen, made
    raise SystemExit("no release that it applies to")
def attacked(data, ready):
    chosen, made = ready
    more = dict(attacks=[{name!r}], measures=[])
    return audit(data, made.release, secret=made.secret, method=chosen, **more)
work = attacked
"""


class Grown(NamedTuple):
    """One line of the table: what was run, what grew, and the seconds of n, 2n, 4n, 8n."""

    what: str
    grows: str
    seconds: list[float]

    @property
    def exponent(self) -> float | None:
        """From 2n to 8n; None where even the largest was too short to tell."""
        _, small, _, large = self.seconds
        return None if large < SHORT else math.log(large / max(small, 1e-3)) / math.log(4)

    @property
    def cells(self) -> tuple[str, ...]:
        exponent = self.exponent
        shown = "–" if exponent is None else f"{exponent:.1f}"
        if exponent is not None and exponent > STEEP:
            shown = f"**{shown}**"
        return self.what, self.grows, *(f"{one:.2f} s" for one in self.seconds), shown


def pieces(family: str) -> Iterator[tuple[str, str, str]]:
    """Of a family: the name of each piece of work, its label, and the code that runs it."""
    if family == "methods":
        for name in METHODS.names():
            yield name, name, METHOD.format(name=name)
    if family == "guarantees":
        for name, claimed_by in CLAIMED.items():
            yield name, f"{name}, of {claimed_by}", CLAIM.format(name=name, by=claimed_by)
    if family == "attacks":
        for name in (one for one in ATTACKS.names() if one not in LISTS):
            by = ("proximity",) if name in ON_SURVEYS else ATTACKED
            yield name, name, ATTACK.format(name=name, by=by)


def grown(name: str, label: str, code: str) -> Iterator[Grown]:
    """One piece of work on data of which people, items or ratings grow."""
    on_survey = name in ON_SURVEYS
    like, shapes = ("survey", SURVEYS) if on_survey else ("ml-10m", RATINGS)
    for grows, shape in shapes.items():
        script = SETUP + code + RUN.format(like=like, shape=shape.format(size="size"))
        words = [sys.executable, "-c", script]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{label} failed as {grows} grow:\n{done.stderr[-2000:]}")
        yield Grown(label, grows, json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    families = ("methods", "guarantees", "attacks")
    parser.add_argument("--only", nargs="+", choices=families, default=families)
    parser.add_argument("--names", nargs="+", default=None, help="of these alone; nothing written")
    arguments = parser.parse_args()
    for family in arguments.only:
        rows = []
        for name, label, code in pieces(family):
            if arguments.names is None or name in arguments.names:
                for line in grown(name, label, code):
                    print(" | ".join(line.cells), file=sys.stderr, flush=True)
                    rows.append(line.cells)
        if arguments.names is None:
            write(f"growth-{family}", rows, HEAD)


if __name__ == "__main__":
    main()
