"""CiaoDVD: reviews of films, with the date of each; no header."""

from __future__ import annotations

import re

from recloak.core.scale import Scale
from recloak.io._delimited import Delimited
from recloak.io._layout import TextLayout
from recloak.io._source import InputPath, plain_name
from recloak.io.base import Format, Opened
from recloak.io.movielens import ratings_file
from recloak.io.options import OF_TEXT, ReadOptions

_FILE = "movie-ratings.txt"
_PLACES = {"user": 0, "item": 1, "rating": 4, "time": 5}
_LINE = re.compile(rb"\d+,\d+,\d+,\d+,\d,\d{4}-\d\d-\d\d\r?\n")


class CiaoDvd(Format):
    """``movie-ratings.txt``: user, film, genre, review, rating (1..5) and date between commas."""

    name = "ciaodvd"
    summary = "CiaoDVD: a folder with movie-ratings.txt, or that file"
    looks_for = f"{_FILE} (CiaoDVD)"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        if source.path.is_dir():
            file = source.inside(_FILE)
            return file is not None and cls.sniff(file)
        return plain_name(source.path) == _FILE and _LINE.match(source.head) is not None

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns", *OF_TEXT, "order", "id_column", "issues")
        names = {role: f"{place + 1} ({role})" for role, place in _PLACES.items()}
        opened = Delimited(
            ratings_file(source, _FILE), TextLayout(",", 6, _PLACES, names, iso_times=True)
        )
        opened.scale = Scale(1, 5)
        opened.dropped = ("3 (genre)", "4 (review)")
        return opened
