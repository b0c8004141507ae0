"""CSV and its kin: text with a separator, with or without a header, columns found or declared."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from recloak.formats.base import Format, Opened, Options
from recloak.formats.delimited import Delimited
from recloak.formats.sniffing import sniff_layout
from recloak.formats.source import plain_name, read_head
from recloak.ratings import Ratings


class Csv(Format):
    """Comma, tab, semicolon, bar, space or ``::`` between the fields; quotes as in RFC 4180.

    Ids that are all whole numbers become numbers, others (``007`` too) stay text. Quotes mark
    text, so ``"7"`` is a name, unless the file puts its ratings in quotes as well.
    """

    name = "csv"
    summary = "text with a separator (CSV, TSV, ;, |, ::), with or without a header"
    suffixes = (".csv", ".tsv")

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        return path.is_file()

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "id_column", "issues")
        sniffed = sniff_layout(path, read_head(path), options)
        opened = Delimited(path, sniffed.layout)
        opened.dropped = sniffed.columns.dropped
        opened.personal = sniffed.columns.personal
        opened.notes.extend(sniffed.notes)
        return opened

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        from recloak.formats.csv_writing import write_csv

        write_csv(ratings, file, "\t" if plain_name(path).lower().endswith(".tsv") else ",")
