"""Standard input as a file: spooled to the disk, so that it can be sniffed and read twice."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recloak.errors import InputError, ParameterError, RecloakError
from recloak.files import machine_errors

DASH = "-"
NAME = "standard input"


@contextmanager
def spooled(source: str | Path | Sequence[str | Path]) -> Iterator[list[Path]]:
    """The files that are meant; ``-`` is a temporary copy of standard input."""
    given = [source] if isinstance(source, str | Path) else list(source)
    paths = [Path(each) for each in given]
    if not paths:
        raise ParameterError("no file is given to read")
    _refuse_repeated(paths)
    if DASH not in map(str, paths):
        yield paths
        return
    with tempfile.TemporaryDirectory(prefix="recloak-") as folder:
        copy = Path(folder) / NAME
        _spool(copy)
        try:
            yield [copy if str(path) == DASH else path for path in paths]
        except RecloakError as problem:
            if problem.where:
                problem.where = problem.where.replace(str(copy), NAME)
            problem.what = problem.what.replace(str(copy), NAME)
            raise


def _refuse_repeated(paths: list[Path]) -> None:
    repeated = [path for place, path in enumerate(paths) if path in paths[:place]]
    if repeated:
        raise ParameterError("the file is given twice", where=str(repeated[0]))


def _spool(copy: Path) -> None:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise InputError("there is no standard input", where=NAME)
    with machine_errors(copy), copy.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
