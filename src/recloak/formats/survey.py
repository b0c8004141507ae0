"""Surveys: a row for each respondent and a column for each issue, as text, Parquet or Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from recloak.errors import InputError
from recloak.formats.arrow import Arrow
from recloak.formats.base import Format, Opened, Options
from recloak.formats.cells import MISSING
from recloak.formats.heads import Head, is_number
from recloak.formats.layout import Layout, Record, checked_separator
from recloak.formats.parquet import Parquet
from recloak.formats.sniffing import distinct, likeliest
from recloak.formats.source import read_head
from recloak.formats.survey_columns import Chosen, choose
from recloak.formats.survey_tables import ArrowSurvey, ParquetSurvey
from recloak.formats.wide import ID, Issues, WideText
from recloak.ratings import Ratings


class Survey(Format):
    """Answers of respondents to issues, one row for each; an empty cell is no answer.

    ``id_column`` says who a respondent is (rows are numbered without one) and ``issues`` which
    columns are taken; left out, all that hold numbers are, except those about the person.
    """

    name = "survey"
    summary = "surveys: a row for each respondent, a column for each issue (--id-column, --issues)"

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        return False  # any table of numbers might be one, so it must be said

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        options.refuse(cls.name, "columns")
        head = read_head(path)
        if not head:
            raise InputError("the file is empty", where=str(path))
        if Parquet.sniff(path, head):
            return ParquetSurvey(path, options)
        if Arrow.sniff(path, head):
            return ArrowSurvey(path, options)
        return _open_text(path, head, options)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        from recloak.formats.survey_writing import write_survey

        write_survey(ratings, file, path)


def _open_text(path: Path, head_bytes: bytes, options: Options) -> Opened:
    head = Head.of(path, head_bytes, options.encoding)
    separator = checked_separator(options.separator) if options.separator else likeliest(head)
    header, *rows = head.records(separator)
    where = f"{path}, line 1"
    _refuse_data(header.texts, where)
    names = distinct([head.readable(text) for text in header.texts])
    if not rows:
        raise InputError("there is a header, but no answers follow it", where=where)
    numeric = [name for at, name in enumerate(names) if _is_numeric(rows, at)]
    chosen = choose(names, numeric, options, where)
    quoted = {name for name, field in zip(names, header.fields, strict=True) if field.quoted}
    issues = Issues.of(chosen.issues, numbers=not quoted & set(chosen.issues))
    opened = WideText(path, _layout(head, header, separator, names, chosen), issues)
    opened.dropped, opened.personal = chosen.dropped, chosen.personal
    opened.notes.extend(chosen.notes)
    return opened


def _refuse_data(texts: Sequence[str], where: str) -> None:
    """A first line that says the same thing twice is no header, and would be lost as one."""
    seen: set[str] = set()
    for text in filter(None, texts):
        if text in seen:
            raise InputError(
                f"'{text}' stands there twice, so this is no line of column names",
                where=where,
                hint="A survey needs a header: one name for each column.",
            )
        seen.add(text)


def _layout(head: Head, header: Record, separator: str, names: list[str], chosen: Chosen) -> Layout:
    places = {name: names.index(name) for name in chosen.issues}
    told = {name: name for name in chosen.issues}
    if chosen.id_column is not None:
        places[ID], told[ID] = names.index(chosen.id_column), chosen.id_column
    size, lines = head.extent(header)
    return replace(
        Layout(separator, len(names), places, told),
        encoding=head.encoding,
        skipped_bytes=size + head.mark_bytes,
        first_line=1 + lines,
    )


def _is_numeric(rows: Sequence[Record], at: int) -> bool:
    """Mostly numbers: one bad cell must be complained about, not cost the whole column."""
    texts = [row.texts[at] for row in rows if at < len(row.fields)]
    given = [text for text in texts if text and text not in MISSING]
    return 2 * sum(map(is_number, given)) > len(given)
