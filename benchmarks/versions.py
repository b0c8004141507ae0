"""``python -m benchmarks.versions CHECKOUT``: this version beside another, suite by suite.

Each version runs its own suites on its own source, in processes of their own; of each row that
both have, the least seconds over the rounds are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
USUAL = ["start-up", "publishing", "fragmentation", "scoreboard", "microaggregation"]
RUN = """
import json, sys, tempfile
from pathlib import Path
from benchmarks.suites import SUITES
with tempfile.TemporaryDirectory() as place:
    rows = [row[:3] for row in SUITES[sys.argv[1]](Path(place), int(sys.argv[2]))]
print(json.dumps(rows))
"""
Seconds = dict[tuple[str, str], float]


def measured(checkout: Path, suite: str, size: int) -> Seconds:
    """Seconds of each row of a suite, by what it does and on how many ratings."""
    own = {**os.environ, "PYTHONPATH": os.pathsep.join([str(checkout / "src"), str(checkout)])}
    words = [sys.executable, "-c", RUN, suite, str(size)]
    done = subprocess.run(words, env=own, cwd=checkout, check=True, capture_output=True, text=True)
    rows = json.loads(done.stdout.splitlines()[-1])
    return {(what, ratings): float(ours.split()[0]) for what, ratings, ours in rows}


def least(runs: list[Seconds]) -> Seconds:
    """The least of each row over all runs."""
    return {row: min(run[row] for run in runs if row in run) for run in runs for row in run}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a checkout of the other version")
    parser.add_argument("--size", type=int, default=2_000_000, help="ratings of the largest run")
    parser.add_argument("--only", nargs="+", default=USUAL)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    print("| what | ratings | before | after | ratio |\n|---|---|---|---|---|")
    for suite in arguments.only:
        runs: tuple[list[Seconds], list[Seconds]] = ([], [])
        for _ in range(arguments.rounds):
            for side, checkout in enumerate((arguments.before.resolve(), HERE)):
                runs[side].append(measured(checkout, suite, arguments.size))
        before, after = map(least, runs)
        for what, ratings in after:
            old, new = before.get((what, ratings)), after[what, ratings]
            if old is not None:
                cells = f"{old:.2f} s | {new:.2f} s | {new / max(old, 1e-9):.2f}"
                print(f"| {what} | {ratings} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
