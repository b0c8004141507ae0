"""Commands in processes of their own that say when they have come to a certain place.

Run as a module, as ``python -m recloak`` is, it does what the text that it is given says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HANGS = 200  # seconds after which a command is taken to hang; the work itself would take hours
PUBLISH = ["publish", "ratings.csv", "--method", "pseudonymize", "--out", "release"]
STUCK = """
import recloak.publishing._publication as publication
publication.check_claims = compiled_work
"""
_BEGIN = """
import hashlib, sys, threading, time
from pathlib import Path
from recloak.cli.main import main
def compiled_work(*_, **__):
    # It is said once the work is under way, not just before it: a signal must find compiled code.
    threading.Timer(0.5, print, ("busy",), {"flush": True}).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
def busy_until_told(*_, **__):
    print("busy", flush=True)
    while not Path("go on").exists():
        time.sleep(0.01)
    Path("go on").unlink()
"""
_END = "\nsys.exit(main())\n"


@contextmanager
def busy(folder: Path, change: str, words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A command that has just come to where it is ``change``d to say so."""
    program = [sys.executable, "-m", __name__, _BEGIN + change + _END, *words]
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(program, cwd=folder, env=environment, **pipes) as job:  # type: ignore[call-overload]
        try:
            assert job.stdout.readline() == "busy\n", job.stderr.read()
            yield job
        finally:
            job.kill()


def go_on(folder: Path) -> None:
    """Let a command go on that is busy until it is told; signals sent before have reached it."""
    (folder / "go on").touch()


def left(folder: Path) -> list[str]:
    """What stands in a folder."""
    return sorted(path.name for path in folder.iterdir())


if __name__ == "__main__":
    exec(sys.argv.pop(1))
