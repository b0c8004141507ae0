"""The first audited publication after an install, when kernels are compiled, against the second."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from recloak.io import write
from recloak.simulation import synthesize

METHODS = ("synthetic", "predictive", "fragmentation")
PEOPLE, RATINGS = 120, 4_000  # few, so that compiling is most of a first run
PUBLISH = """
import resource, sys
from recloak.core.kernels import _compiler, compilations
if sys.argv.pop(1) == "plain":
    _compiler.REACHED_FOR = ("a part of numba that is not there",)
from recloak.cli.main import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(code, compilations(), used.ru_utime + used.ru_stime)
"""


def first_run(place: Path, size: int) -> Iterator[tuple[str, ...]]:
    """Seconds of the processor that a first run takes beyond a second one."""
    write(synthesize("ml-100k", users=PEOPLE, ratings=RATINGS, seed=1), place / "ratings.csv")
    for method in METHODS:
        plain, ours = _compiled(place, method, "plain"), _compiled(place, method, "ours")
        yield (
            f"compiling what a first audited publication needs, {method}",
            f"{RATINGS:,}",
            f"{ours:.1f} s of CPU",
            f"numba's own way: {plain:.1f} s of CPU",
            f"{ours / plain:.2f}",
        )


def _compiled(place: Path, method: str, way: str) -> float:
    """What the first run takes longer than the second."""
    first, kernels = _published(place, method, way)
    second, left = _published(place, method, way)
    print(f"    {method}, {way}: {kernels} kernels, {left} the second time", file=sys.stderr)
    shutil.rmtree(place / "kernels")
    return first - second


def _published(place: Path, method: str, way: str) -> tuple[float, int]:
    out = place / "out"
    out.mkdir()
    words = ["publish", str(place / "ratings.csv"), "--method", method, "--seed", "1", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", PUBLISH, way, *words, "--out", str(out / "release")],
        env={**os.environ, "NUMBA_CACHE_DIR": str(place / "kernels")},
        capture_output=True,
        text=True,
        check=True,
    )
    shutil.rmtree(out)
    code, kernels, seconds = done.stdout.split()
    if code != "0":
        raise RuntimeError(f"publish ended with {code}: {done.stderr}")
    return float(seconds), int(kernels)
