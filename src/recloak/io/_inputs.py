"""Inputs: all that may be given to be read, from files and frames to tables of databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recloak.core.errors import ParameterError
from recloak.core.frames import is_frame
from recloak.io._given_tables import InputFrame
from recloak.io._source import InputPath, local_paths
from recloak.io.duckdb import InputQuery, is_url


@contextmanager
def inputs_of(source: Any) -> Iterator[list[InputPath]]:
    """What ``source`` names: a file, a folder, ``-``, a URL, a frame, or a list of these."""
    given = _listed(source)
    files = [one for one in given if isinstance(one, Path)]
    if not files and given:
        yield [_table(one) for one in given]
        return
    with local_paths(files) as paths:
        local = iter(paths)
        yield [InputPath(next(local)) if isinstance(one, Path) else _table(one) for one in given]


def _listed(source: Any) -> list[Any]:
    """The parts of a source; a text is the path of a file unless it is a URL."""
    many = isinstance(source, Sequence) and not isinstance(source, str) and not is_frame(source)
    parts = list(source) if many else [source]
    if isinstance(source, Mapping) or not all(map(is_source, parts)):
        raise no_source(source)
    return [Path(one) if isinstance(one, str) and not is_url(one) else one for one in parts]


def is_source(one: Any) -> bool:
    """May this be read?"""
    return isinstance(one, str | Path) or is_frame(one)


def no_source(source: Any) -> ParameterError:
    """What to say of something that is no source at all."""
    return ParameterError(
        f"a {type(source).__name__} holds no ratings",
        hint="Give what recloak.read returns, a Polars, pandas or Arrow table with columns such as "
        "user, item and rating, or the path of a file.",
    )


def _table(one: Any) -> InputPath:
    return InputQuery(one) if isinstance(one, str) else InputFrame(one)
