"""Surveys: a row for each respondent and a column for each issue, as text or typed table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.io._cells import MISSING
from recloak.io._given_tables import InputTable
from recloak.io._layout import TextLayout, TextRecord, checked_separator
from recloak.io._sniffing import distinct, likeliest_separator
from recloak.io._source import InputPath
from recloak.io._text_head import TextHead, is_number, may_be_number
from recloak.io._values import Written
from recloak.io._wide import ID, Issues, WideText
from recloak.io.arrow import Arrow
from recloak.io.base import Format, Opened
from recloak.io.options import ReadOptions
from recloak.io.parquet import Parquet
from recloak.io.survey._columns import (
    ArrowSurvey,
    GivenSurvey,
    ParquetSurvey,
    SurveyColumns,
    choose_columns,
)
from recloak.io.survey._writing import write_survey


class SurveyFormat(Format):
    """Answers of respondents to issues, one row for each; an empty cell is no answer.

    ``id_column`` says who a respondent is (rows are numbered without one) and ``issues`` which
    columns are taken; left out, all that hold numbers are, except those about the person.
    """

    name = "survey"
    summary = "surveys: a row for each respondent, a column for each issue (--id-column, --issues)"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        return False  # any table of numbers might be one, so it must be said

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns")
        if not source.head:
            raise InputError("the file is empty", where=str(source.path))
        if isinstance(source, InputTable):
            return GivenSurvey(source, options)
        if Parquet.sniff(source):
            return ParquetSurvey(source, options)
        if Arrow.sniff(source):
            return ArrowSurvey(source, options)
        return _open_text(source, options)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        write_survey(ratings, file, path)


def _open_text(source: InputPath, options: ReadOptions) -> Opened:
    head = TextHead.of(source.path, source.head, options.encoding, options.quotes)
    separator = (
        checked_separator(options.separator) if options.separator else likeliest_separator(head)
    )
    header, *rows = head.records(separator)
    where = f"{source.path}, line 1"
    _refuse_data(header.texts, where)
    names = distinct([head.readable(text) for text in header.texts])
    if not rows:
        raise InputError("there is a header, but no answers follow it", where=where)
    written = Written.of(options, [text for row in rows for text in row.texts])
    numeric = [name for at, name in enumerate(names) if _has_answers(rows, at, written)]
    chosen = choose_columns(names, numeric, options, where)
    quoted = {name for name, field in zip(names, header.fields, strict=True) if field.quoted}
    issues = Issues.of(chosen.issues, numbers=not quoted & set(chosen.issues))
    layout = replace(_layout(head, header, separator, names, chosen), written=written)
    opened = WideText(source, layout, issues)
    if all(_in_words(rows, names.index(name), written) for name in chosen.issues):
        opened.scale = written.scale
    opened.dropped, opened.personal = chosen.dropped, chosen.personal
    opened.notes.extend(chosen.notes)
    return opened


def _refuse_data(texts: Sequence[str], where: str) -> None:
    """Refuse a first line with a repeated value: it is no header, and would be lost as one."""
    seen: set[str] = set()
    for text in filter(None, texts):
        if text in seen:
            raise InputError(
                f"'{text}' is in it twice, so this is not a line of column names",
                where=where,
                hint="A survey needs a header: one name for each column.",
            )
        seen.add(text)


def _layout(
    head: TextHead, header: TextRecord, separator: str, names: list[str], chosen: SurveyColumns
) -> TextLayout:
    places = {name: names.index(name) for name in chosen.issues}
    shown = {name: name for name in chosen.issues}
    if chosen.id_column is not None:
        places[ID], shown[ID] = names.index(chosen.id_column), chosen.id_column
    size, lines = head.extent(header)
    return replace(
        TextLayout(separator, len(names), places, shown),
        encoding=head.encoding,
        escapes=head.escapes,
        skipped_bytes=size + head.mark_bytes,
        first_line=1 + lines,
    )


def _has_answers(rows: Sequence[TextRecord], at: int, written: Written) -> bool:
    """Are most cells answers? A single bad cell is an error later, not a column dropped."""
    given = _given(rows, at)
    is_answer = may_be_number if written.comma else is_number
    return 2 * sum(is_answer(text) or written.holds(text) for text in given) > len(given)


def _in_words(rows: Sequence[TextRecord], at: int, written: Written) -> bool:
    """Are all answers words of the order?"""
    return all(map(written.holds, _given(rows, at)))


def _given(rows: Sequence[TextRecord], at: int) -> list[str]:
    texts = [row.texts[at] for row in rows if at < len(row.fields)]
    return [text for text in texts if text and text not in MISSING]
