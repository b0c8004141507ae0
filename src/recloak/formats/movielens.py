"""MovieLens as GroupLens hands it out: 100k (tabs), 1M and 10M (double colons), folder or file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from recloak.errors import InputError
from recloak.formats.base import Format, Opened, Options
from recloak.formats.delimited import Delimited
from recloak.formats.layout import Layout
from recloak.formats.source import inside, plain_name, read_head
from recloak.scale import Scale

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
    def sniff(cls, path: Path, head: bytes) -> bool:
        if path.is_dir():
            return inside(path, cls.file_name) is not None
        first = head.split(b"\n", 1)[0]
        return plain_name(path) == cls.file_name and first.count(cls.separator.encode()) == 3

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "columns", "separator", "encoding", "id_column", "issues")
        file = ratings_file(path, cls.file_name)
        opened = Delimited(file, Layout(cls.separator, 4, _ROLES, _NAMES))
        if inside(file.parent, cls.people):
            opened.personal = (f"{cls.people}: {cls.about_people}",)
        opened.scale = cls.declared_scale(file)
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
        return Scale(1, 5) if inside(file.parent, cls.people) else None


class MovieLens10M(MovieLens1M):
    """``ratings.dat`` with half stars, on 0.5..5 step 0.5; nothing about people beside it."""

    name = "movielens-10m"
    summary = "MovieLens 10M: ratings.dat (::) with half stars, as a folder or that file"
    looks_for = ""

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        if not super().sniff(path, head):
            return False
        file = ratings_file(path, cls.file_name)
        if inside(file.parent, cls.people):
            return False
        return _HALF_STARS.search(head or read_head(file)) is not None

    @classmethod
    def declared_scale(cls, file: Path) -> Scale | None:
        return HALF_STARS


def ratings_file(path: Path, name: str) -> Path:
    """The file of a data set: ``path`` itself, or what is called ``name`` in that folder."""
    file = (inside(path, name) or path / name) if path.is_dir() else path
    if not read_head(file, 1):
        raise InputError("the file is empty", where=str(file))
    return file
