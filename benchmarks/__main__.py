"""``python -m benchmarks [--size N] [--only NAME …]``: run, print, write the tables."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.advice import advice, trials
from benchmarks.audits import audits
from benchmarks.engines import billion, drawing, engines
from benchmarks.first_run import first_run
from benchmarks.lists import lists
from benchmarks.many_rows import many_rows
from benchmarks.netflix import netflix
from benchmarks.nights import nights
from benchmarks.peers import peers
from benchmarks.predictive import predictive
from benchmarks.proximity import proximity
from benchmarks.spark_engine import spark_engine
from benchmarks.suites import SUITES

README = Path(__file__).with_name("README.md")
HEAD = "| what | ratings | ours | other way | ratio |\n|---|---|---|---|---|\n"


def main() -> None:
    large = {
        "first-run": first_run,
        "predictive": predictive,
        "lists": lists,
        "nights": nights,
        "proximity": proximity,
        "many-rows": many_rows,
        "drawing": drawing,
        "trials": trials,
        "audits": audits,
    }
    apart = {
        "advice": advice,
        "netflix": netflix,
        "engines": engines,
        "billion": billion,
        "spark": spark_engine,
        "peers": peers,
    }
    suites = {**SUITES, **large, **apart}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000_000, help="ratings of the largest run")
    usual = [*SUITES, *large]
    parser.add_argument("--only", nargs="+", choices=suites, default=usual)
    parser.add_argument("--place", default=None, help="where large files go for the time being")
    arguments = parser.parse_args()
    for name in arguments.only:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows = []
        with tempfile.TemporaryDirectory(dir=arguments.place) as place:
            for row in suites[name](Path(place), arguments.size):
                print("  " + " | ".join(row), file=sys.stderr, flush=True)
                rows.append(row)
        write(name, rows)


def write(name: str, rows: Sequence[tuple[str, ...]], head: str = HEAD) -> None:
    """Put the table of one suite between its marks in the README, the rest untouched."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    text = README.read_text(encoding="utf-8")
    table = head + "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
    heading = (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    if start not in text:
        text += f"\n## {name}\n\n{start}{end}"
    before, rest = text.split(start)
    _, after = rest.split(end)
    README.write_text(f"{before}{start}{heading}\n\n{table}{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
