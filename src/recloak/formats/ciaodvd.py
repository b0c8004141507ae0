"""CiaoDVD: reviews of films, with the date of each; no header."""

from __future__ import annotations

import re
from pathlib import Path

from recloak.formats.base import Format, Opened, Options
from recloak.formats.delimited import Delimited
from recloak.formats.layout import Layout
from recloak.formats.movielens import ratings_file
from recloak.formats.source import inside, plain_name, read_head
from recloak.scale import Scale

_FILE = "movie-ratings.txt"
_PLACES = {"user": 0, "item": 1, "rating": 4, "time": 5}
_LINE = re.compile(rb"\d+,\d+,\d+,\d+,\d,\d{4}-\d\d-\d\d\r?\n")


class CiaoDvd(Format):
    """``movie-ratings.txt``: user, film, genre, review, rating (1..5) and date between commas."""

    name = "ciaodvd"
    summary = "CiaoDVD: a folder with movie-ratings.txt, or that file"
    looks_for = f"{_FILE} (CiaoDVD)"

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        if path.is_dir():
            file = inside(path, _FILE)
            return file is not None and cls.sniff(file, read_head(file))
        return plain_name(path) == _FILE and _LINE.match(head) is not None

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "columns", "separator", "encoding", "id_column", "issues")
        names = {role: f"{place + 1} ({role})" for role, place in _PLACES.items()}
        opened = Delimited(
            ratings_file(path, _FILE), Layout(",", 6, _PLACES, names, iso_times=True)
        )
        opened.scale = Scale(1, 5)
        opened.dropped = ("3 (genre)", "4 (review)")
        return opened
