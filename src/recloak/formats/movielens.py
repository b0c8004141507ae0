"""MovieLens as GroupLens hands it out: 100k (tabs) and 1M (double colons), folder or file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from recloak.errors import InputError
from recloak.formats.base import Format, Opened, Options
from recloak.formats.delimited import Delimited
from recloak.formats.layout import Layout
from recloak.formats.source import read_head
from recloak.scale import Scale

_ROLES = {"user": 0, "item": 1, "rating": 2, "time": 3}
_NAMES = {role: f"{place + 1} ({role})" for role, place in _ROLES.items()}


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
            return (path / cls.file_name).is_file()
        first = head.split(b"\n", 1)[0]
        return path.name == cls.file_name and first.count(cls.separator.encode()) == 3

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "columns", "separator", "encoding")
        file = path / cls.file_name if path.is_dir() else path
        if not read_head(file):
            raise InputError("the file is empty", where=str(file))
        opened = Delimited(file, Layout(cls.separator, 4, _ROLES, _NAMES))
        if (file.parent / cls.people).is_file():
            opened.personal = (f"{cls.people}: {cls.about_people}",)
        opened.scale = cls.declared_scale(file)
        return opened

    @classmethod
    def declared_scale(cls, file: Path) -> Scale | None:
        """The scale that the format fixes."""
        return Scale(1, 5)


class MovieLens1M(MovieLens100k):
    """``ratings.dat``: user, item, rating, time between double colons.

    Later sets and MovieTweetings share the layout but not the scale; only beside the ``users.dat``
    of MovieLens 1M is the scale 1..5, elsewhere it follows from the values.
    """

    name = "movielens-1m"
    summary = "MovieLens 1M and its like: a folder with ratings.dat (::), or that file"
    looks_for = "ratings.dat (MovieLens 1M)"
    file_name = "ratings.dat"
    separator = "::"
    people = "users.dat"
    about_people = "gender, age, occupation, zip"

    @classmethod
    def declared_scale(cls, file: Path) -> Scale | None:
        return Scale(1, 5) if (file.parent / cls.people).is_file() else None
