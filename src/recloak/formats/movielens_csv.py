"""MovieLens since 20M (20M, 25M, 32M, latest): ratings.csv with a header and half stars."""

from __future__ import annotations

import re
from pathlib import Path

from recloak.errors import InputError
from recloak.formats.base import Format, Opened, Options
from recloak.formats.delimited import Delimited
from recloak.formats.layout import Layout
from recloak.formats.movielens import HALF_STARS, ratings_file
from recloak.formats.source import inside, plain_name, read_head

_FILE = "ratings.csv"
_NAMES = ("userId", "movieId", "rating", "timestamp")
_HEADER = re.compile(rb"userId,movieId,rating,timestamp\r?\n")
_RATING = re.compile(rb"-?\d+,-?\d+,(0\.5|[1-4](\.[05])?|5(\.0)?),-?\d+\r?")


class MovieLensCsv(Format):
    """``ratings.csv``: userId, movieId, rating, timestamp, on 0.5..5 step 0.5."""

    name = "movielens-20m"
    summary = "MovieLens 20M, 25M, 32M and latest: a folder with ratings.csv, or that file"
    looks_for = f"{_FILE} (MovieLens 20M and later)"

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        if path.is_dir():
            file = inside(path, _FILE)
            return file is not None and cls.sniff(file, read_head(file))
        header = _HEADER.match(head)
        if header is None or plain_name(path) != _FILE:
            return False
        lines = head[header.end() :].split(b"\n")[:100]
        return all(_RATING.fullmatch(line) for line in lines[:-1])

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "columns", "separator", "encoding", "id_column", "issues")
        file = ratings_file(path, _FILE)
        header = _HEADER.match(read_head(file, 1 << 12))
        if header is None:
            raise InputError(
                f"the first line is not {','.join(_NAMES)}",
                where=f"{file}, line 1",
                hint="If it has other columns, read it as --format csv.",
            )
        roles = ("user", "item", "rating", "time")
        layout = Layout(
            separator=",",
            width=4,
            places={role: place for place, role in enumerate(roles)},
            names=dict(zip(roles, _NAMES, strict=True)),
            skipped_bytes=header.end(),
            first_line=2,
        )
        opened = Delimited(file, layout)
        opened.scale = HALF_STARS
        return opened
