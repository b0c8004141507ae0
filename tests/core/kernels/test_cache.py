"""Machine code that was kept is used again, and never once something in it has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OUTER = """
from pack import constants
from pack.inner import add
from recloak.core.kernels import kernel

@kernel
def outer(x):
    return add(x) * constants.FACTOR
"""
INNER = """
from pack.constants import STEP
from recloak.core.kernels import inner_kernel

@inner_kernel
def add(x):
    return x + 1 + STEP
"""
CONSTANTS = "STEP, FACTOR = 0, 1\n"
RUN = """
from pack.outer import outer
print(outer(10), *outer.compiled.stats.cache_hits.values())
"""


NAMED = """
from typing import NamedTuple
from recloak.core.kernels import kernel

class Pair(NamedTuple):
    one: int
    two: int

@kernel
def outer(x):
    return inner(Pair(x, 1))

@kernel
def inner(pair):
    return pair.one + pair.two

inner(Pair(1, 2))
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    folder.mkdir()
    sources = {"__init__": "", "outer": OUTER, "inner": INNER, "constants": CONSTANTS}
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def result(pack: Path, **variables: str) -> list[int]:
    """What a new process computes, and 1 if it found the machine code."""
    paths = os.pathsep.join([str(pack.parent), *filter(None, sys.path)])
    # compiled Python must not be kept: it is compared by time and size alone
    environment = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(word) for word in done.stdout.split()]


def change(path: Path, old: str, new: str) -> None:
    """Another content of the same length and time."""
    before = path.stat()
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_what_a_kernel_calls_is_compiled_anew_when_it_changes(pack: Path) -> None:
    assert result(pack) == [11]
    assert result(pack) == [11, 1]
    change(pack / "inner.py", "x + 1", "x + 2")
    assert result(pack) == [12]
    change(pack / "constants.py", "0, 1", "5, 1")
    assert result(pack) == [17]
    change(pack / "constants.py", "5, 1", "5, 2")
    assert result(pack) == [34]
    assert result(pack) == [34, 1]


def test_a_class_in_a_signature_may_get_another_name(pack: Path) -> None:
    (pack / "outer.py").write_text(NAMED)
    assert result(pack) == [11]
    change(pack / "outer.py", "Pair", "Both")
    assert result(pack) == [11]
    assert result(pack) == [11, 1]


def test_where_the_package_cannot_be_written_to_the_code_is_kept_elsewhere(
    pack: Path, tmp_path: Path
) -> None:
    (pack / "__pycache__").write_text("no folder")  # as a folder that nobody may write to
    home = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
    assert result(pack, **home) == [11]
    assert result(pack, **home) == [11, 1]
    assert list((tmp_path / "caches").rglob("*.nbi"))


def test_without_any_folder_a_kernel_is_compiled_in_every_process(
    pack: Path, tmp_path: Path
) -> None:
    (pack / "__pycache__").write_text("no folder")
    (tmp_path / "caches").write_text("no folder")
    assert result(pack, XDG_CACHE_HOME=str(tmp_path / "caches")) == [11]
    assert result(pack, XDG_CACHE_HOME=str(tmp_path / "caches")) == [11]
