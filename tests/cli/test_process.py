"""What only a process of its own can show: start-up, signals, pipes, cached kernels."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recloak.io import write
from recloak.testing import random_ratings

RECLOAK = [sys.executable, "-m", "recloak"]


def run(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RECLOAK, *words], capture_output=True, text=True, **options)  # type: ignore[call-overload,no-any-return]


def test_help_loads_nothing_heavy() -> None:
    probe = (
        "import sys; from recloak.cli import main; main(['--help']); "
        "heavy = {'numpy', 'polars', 'numba', 'scipy', 'pydantic', 'rich'} & set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_importing_recloak_loads_nothing_heavy() -> None:
    probe = "import sys, recloak; sys.exit(bool({'numpy', 'polars', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", probe]).returncode == 0


HEAVY = ["scipy.special", "scipy.stats", "scipy.sparse", "sklearn", "pandas", "pyarrow", "duckdb"]
HEAVY += ["jinja2", "matplotlib", "recloak.attacks", "recloak.measures"]
NOT_LOADED_BY = {  # one after the other in a process, so what one loads the next has loaded, too
    "formats": [*HEAVY, "cryptography", "pydantic", "recloak.releases", "recloak.auditing"],
    "simulate --like ml-100k --users 20 --ratings 500 --seed 1 --out made.csv": [
        *HEAVY,
        "cryptography",
        "pydantic",
        "recloak.releases",
        "recloak.auditing",
    ],
    "inspect made.csv": [*HEAVY, "cryptography", "recloak.methods", "recloak.guarantees"],
    "verify made.csv --claim k-anonymity:k=2": [
        *HEAVY,
        "recloak.methods",
        "recloak.auditing.leak_scan",
        "recloak.publishing",
    ],
}


def test_commands_load_nothing_that_they_do_not_use(tmp_path: Path) -> None:
    probe = (
        "import json, sys; from recloak.cli import main\n"
        "for words, heavy in json.loads(sys.argv[1]).items():\n"
        "    assert main([*words.split(), '--quiet']) in (0, 3), words\n"
        "    found = [name for name in heavy if name in sys.modules]\n"
        "    assert not found, f'{words} loads {found}'\n"
    )
    words = [sys.executable, "-c", probe, json.dumps(NOT_LOADED_BY)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    probe = (
        "import sys; sys.path.insert(0, sys.argv[1]); from recloak.testing import random_ratings; "
        "from recloak.core.row_classes import row_hashes as kernel; r = random_ratings(); "
        "kernel(r.offsets, r.items, r.values.view('u4'), True); "
        "stats = kernel.compiled.stats; "
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))"
    )
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    counts = [
        subprocess.run(
            [sys.executable, "-c", probe, root], capture_output=True, text=True, env=environment
        ).stdout.split()
        for _ in range(2)
    ]
    assert counts == [["0", "1"], ["1", "0"]]


@pytest.mark.parametrize(
    ("command", "code"), [("inspect", 0), ("verify --claim k-anonymity:k=3", 3)]
)
def test_whoever_stops_reading_changes_nothing(tmp_path: Path, command: str, code: int) -> None:
    write(random_ratings(), tmp_path / "ratings.csv")
    words = [*RECLOAK, *command.split(), str(tmp_path / "ratings.csv")]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (code, "")


def test_python_m_recloak_and_exit_codes() -> None:
    assert run("--version").stdout.startswith("recloak ")
    failed = run("inspect", "none.csv")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_publication_leaves_nothing(tmp_path: Path, number: int) -> None:
    write(random_ratings(3000, 300, 0.3), tmp_path / "ratings.csv")
    words = ["publish", "ratings.csv", "--method", "gaussian-noise", "--out", "release"]
    with subprocess.Popen(
        [*RECLOAK, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as job:
        deadline = time.monotonic() + 200
        while not list(tmp_path.glob(".recloak-partial-*")) and time.monotonic() < deadline:
            time.sleep(0.005)
        job.send_signal(number)
        _, errors = job.communicate(timeout=200)
    assert job.returncode == 130
    assert "stopped on request" in errors
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["ratings.csv"]


def test_a_closed_pipe_is_no_defect(tmp_path: Path) -> None:
    write(random_ratings(), tmp_path / "ratings.csv")
    line = f"{sys.executable} -m recloak inspect {tmp_path / 'ratings.csv'} | true"
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
