"""Commands: run the command line within this process, and mask what differs from run to run."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import recloak
from recloak.cli import main

VERSION = "0.0.0"
SEED = "0xf123456789abcdef0123456789abcdef"  # 128 bits
SURROUNDINGS = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONHASHSEED": "0"}
_MASKS = (
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds|min|minutes)\b"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "MOMENT"),
    (re.compile(r"\(-?0\.0+%?( to |–)-?0\.0+%?\)"), "(ZERO)"),  # the sign of 1e-17 is the machine's
    (re.compile(r"(?<![\w.])-(0\.0+)(?!\d)"), r"\1"),
)


@contextlib.contextmanager
def surroundings(folder: Path) -> Iterator[Path]:
    """Work in a folder, with a screen of a fixed width, as a version that does not move.

    Files of a release name the version, and the manifest has digests of them.
    """
    version, recloak.__version__ = recloak.__version__, VERSION
    before = {name: os.environ.get(name) for name in SURROUNDINGS}
    os.environ.update(SURROUNDINGS)
    try:
        with contextlib.chdir(folder):
            yield folder
    finally:
        recloak.__version__ = version
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def call(*words: str) -> tuple[int, str, str]:
    """The exit code, and what was printed on standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def run(*words: str, code: int = 0) -> str:
    """Standard output of a command that must end with this code."""
    ended, out, err = call(*words)
    assert ended == code, f"recloak {' '.join(words)}: ended with {ended}\n{err}{out}"
    return out


def shown(*words: str, code: int = 0) -> list[str]:
    """The masked lines that a command prints."""
    return lines(run(*words, code=code))


def lines(text: str) -> list[str]:
    """A text's lines without what depends on the run: times, spaces at the end."""
    return [line.rstrip() for line in masked(text).splitlines()]


def masked(text: str) -> str:
    """A text without times, moments and the current folder."""
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text.replace(str(Path.cwd()), "HERE")


def digest(content: bytes | str) -> str:
    """The first half of a SHA-256: enough to see a change, short enough to read."""
    raw = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(raw).hexdigest()[:32]


def digests(folder: str | Path) -> dict[str, str]:
    """The digest of every file below a folder."""
    root = Path(folder)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): digest(path.read_bytes()) for path in files}
