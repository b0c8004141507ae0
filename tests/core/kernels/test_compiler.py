"""Kernels compiled in our way: one machine code for each entrance, and the same results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KERNELS = """
import gc
import numpy as np
from recloak.core.kernels import _compiler, compilations, inner_kernel, kernel

if {plain}:
    _compiler.REACHED_FOR = ("a part of numba that is not there",)

@inner_kernel
def scaled(values, at, factor):
    return values[at] * factor

@kernel
def summed(values, factor):
    total = 0.0
    for at in range(len(values)):
        total += scaled(values, at, factor) / 3 + scaled(values, 0, 1)
    return total

@kernel
def twice(values):
    if len(values) == 0:
        raise ValueError("nothing to sum")
    return summed(values, 2) + summed(values, 1)

@kernel
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

values = np.random.default_rng(1).normal(size=100)
print(twice(values).hex(), summed(values, 2).hex(), factorial(10))
try:
    twice(values[:0])
except ValueError as problem:
    print(problem)
print(gc.isenabled(), compilations())
"""


def result(folder: Path, *, plain: bool) -> list[str]:
    folder.mkdir(exist_ok=True)
    source = folder / "kernels.py"
    source.write_text(KERNELS.format(plain=plain))
    paths = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, str(source)],
        env={**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_results_and_errors_are_those_of_numbas_own_way_and_code_is_kept(tmp_path: Path) -> None:
    plain, ours = result(tmp_path / "plain", plain=True), result(tmp_path / "ours", plain=False)
    assert ours[:2] == plain[:2]
    assert ours[2] == "True 3"  # garbage is collected again; three kernels had an entrance
    assert result(tmp_path / "ours", plain=False) == [*ours[:2], "True 0"]
