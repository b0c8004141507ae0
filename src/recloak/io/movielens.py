"""MovieLens as GroupLens hands it out: 100k (tabs), 1M and 10M (double colons), folder or file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from recloak.core.errors import InputError
from recloak.core.scale import Scale
from recloak.io._delimited import Delimited
from recloak.io._layout import TextLayout
from recloak.io._source import InputPath, file_inside, plain_name
from recloak.io.base import Format, Opened
from recloak.io.options import OF_TEXT, ReadOptions

_ROLES = {"user": 0, "item": 1, "rating": 2, "time": 3}
_NAMES = {role: f"{place + 1} ({role})" for role, place in _ROLES.items()}
_HALF_STARS = re.compile(rb"^\d+::\d+::[0-4]\.5::\d+\r?$", re.MULTILINE)
HALF_STARS = Scale(0.5, 5, 0.5)


class MovieLens100k(Format):
    """``u.data``: user, item, rating, time between tabs, on 1..5; people are in ``u.user``."""

    name = "movielens-100k"
    summary = "MovieLens 100k: a folder with u.data, or that file"
    looks_for = "u.data (MovieLens 100k)"
    file_name: ClassVar[str] = "u.data"
    separator: ClassVar[str] = "\t"
    people: ClassVar[str] = "u.user"
    about_people: ClassVar[str] = "age, gender, occupation, zip"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        if source.path.is_dir():
            return source.inside(cls.file_name) is not None
        first = source.head.split(b"\n", 1)[0]
        return plain_name(source.path) == cls.file_name and first.count(cls.separator.encode()) == 3

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns", *OF_TEXT, "order", "id_column", "issues")
        file = ratings_file(source, cls.file_name)
        opened = Delimited(file, TextLayout(cls.separator, 4, _ROLES, _NAMES))
        if file_inside(file.path.parent, cls.people):
            opened.personal = (f"{cls.people}: {cls.about_people}",)
        opened.scale = cls.declared_scale(file.path)
        return opened

    @classmethod
    def declared_scale(cls, file: Path) -> Scale | None:
        """The scale that the format fixes."""
        return Scale(1, 5)


class MovieLens1M(MovieLens100k):
    """``ratings.dat``: user, item, rating, time between double colons.

    MovieTweetings shares the layout but not the scale; only beside the ``users.dat`` of MovieLens
    1M is the scale 1..5, elsewhere it follows from the values.
    """

    name = "movielens-1m"
    summary = "MovieLens 1M and its like: a folder with ratings.dat (::), or that file"
    looks_for = "ratings.dat (MovieLens 1M and 10M)"
    file_name = "ratings.dat"
    separator = "::"
    people = "users.dat"
    about_people = "gender, age, occupation, zip"

    @classmethod
    def declared_scale(cls, file: Path) -> Scale | None:
        return Scale(1, 5) if file_inside(file.parent, cls.people) else None


class MovieLens10M(MovieLens1M):
    """``ratings.dat`` with half stars, on 0.5..5 step 0.5; nothing about people beside it."""

    name = "movielens-10m"
    summary = "MovieLens 10M: ratings.dat (::) with half stars, as a folder or that file"
    looks_for = ""

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        if not super().sniff(source):
            return False
        file = ratings_file(source, cls.file_name)
        if file_inside(file.path.parent, cls.people):
            return False
        return _HALF_STARS.search(file.head) is not None

    @classmethod
    def declared_scale(cls, file: Path) -> Scale | None:
        return HALF_STARS


def ratings_file(source: InputPath, name: str) -> InputPath:
    """The file of a data set: ``source`` itself, or what is called ``name`` in that folder."""
    file = source
    if source.path.is_dir():
        file = source.inside(name) or InputPath(source.path / name)
    if not file.head:
        raise InputError("the file is empty", where=str(file.path))
    return file


_FILE = "ratings.csv"
_CSV_NAMES = ("userId", "movieId", "rating", "timestamp")
_HEADER = re.compile(rb"userId,movieId,rating,timestamp\r?\n")
_RATING = re.compile(rb"-?\d+,-?\d+,(0\.5|[1-4](\.[05])?|5(\.0)?),-?\d+\r?")


class MovieLensCsv(Format):
    """``ratings.csv``: userId, movieId, rating, timestamp, on 0.5..5 step 0.5."""

    name = "movielens-20m"
    summary = "MovieLens 20M, 25M, 32M and latest: a folder with ratings.csv, or that file"
    looks_for = f"{_FILE} (MovieLens 20M and later)"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        if source.path.is_dir():
            file = source.inside(_FILE)
            return file is not None and cls.sniff(file)
        header = _HEADER.match(source.head)
        if header is None or plain_name(source.path) != _FILE:
            return False
        lines = source.head[header.end() :].split(b"\n")[:100]
        return all(_RATING.fullmatch(line) for line in lines[:-1])

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns", *OF_TEXT, "order", "id_column", "issues")
        file = ratings_file(source, _FILE)
        header = _HEADER.match(file.head)
        if header is None:
            raise InputError(
                f"the first line is not {','.join(_CSV_NAMES)}",
                where=f"{file.path}, line 1",
                hint="If it has other columns, read it as --format csv.",
            )
        roles = ("user", "item", "rating", "time")
        layout = TextLayout(
            separator=",",
            width=4,
            places={role: place for place, role in enumerate(roles)},
            names=dict(zip(roles, _CSV_NAMES, strict=True)),
            skipped_bytes=header.end(),
            first_line=2,
        )
        opened = Delimited(file, layout)
        opened.scale = HALF_STARS
        return opened
