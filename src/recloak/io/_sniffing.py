"""Detecting the layout of a text file from its first records and the options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from recloak.core.columns import (
    Columns,
    find_columns,
    implicit_note,
    names_user,
    names_user_and_item,
    refuse_lost_ratings,
)
from recloak.core.errors import InputError
from recloak.io._cells import MISSING
from recloak.io._layout import (
    NOT_TEXT_HINT,
    SEPARATORS,
    TextLayout,
    TextRecord,
    checked_separator,
    separator_name,
)
from recloak.io._text_head import TextHead, is_number, is_time, may_be_number
from recloak.io._values import Written
from recloak.io.options import ReadOptions

_BY_PLACE = {
    2: ("user", "item"),
    3: ("user", "item", "rating"),
    4: ("user", "item", "rating", "time"),
}


@dataclass(frozen=True)
class DetectedLayout:
    """A layout, the columns that it takes and drops, and notes for the user."""

    layout: TextLayout
    columns: Columns
    notes: tuple[str, ...] = ()


def sniff_layout(path: Path, head_bytes: bytes, options: ReadOptions) -> DetectedLayout:
    """The layout of the text file that starts with ``head_bytes``."""
    head = TextHead.of(path, head_bytes, options.encoding, options.quotes)
    separator = (
        checked_separator(options.separator) if options.separator else likeliest_separator(head)
    )
    records = head.records(separator)
    if len(records[0].fields) < 2:
        raise _one_column(head, separator, given=options.separator is not None)
    if has_header(records, options.columns):
        sniffed = _with_header(head, records, separator, options)
    else:
        sniffed = _without_header(head, records, separator, options)
    layout = replace(
        sniffed.layout,
        encoding=head.encoding,
        escapes=head.escapes,
        skipped_bytes=sniffed.layout.skipped_bytes + head.mark_bytes,
    )
    return replace(sniffed, layout=layout)


def likeliest_separator(head: TextHead) -> str:
    """The separator that cuts the first records into the most numbers, then the most fields."""

    def merit(separator: str) -> tuple[float, float]:
        records = head.records(separator)
        width = len(records[0].fields)
        if width < 2:
            return 0.0, 0.0
        alike = sum(len(record.fields) == width for record in records) / len(records)
        numbers = sum(may_be_number(text) for record in records for text in record.texts)
        return alike * numbers / len(records), alike * width

    return max(SEPARATORS, key=merit)


def has_header(records: Sequence[TextRecord], declared: Mapping[str, str]) -> bool:
    """Is the first line a header: known or declared names, or no number before numbers?"""
    first = records[0].texts
    if names_user_and_item(first) or any(not name.isdigit() for name in declared.values()):
        return True
    if any(is_number(text) or is_time(text) for text in first):
        return False
    return len(records) > 1 and any(is_number(text) for text in records[1].texts)


def _with_header(
    head: TextHead, records: Sequence[TextRecord], separator: str, options: ReadOptions
) -> DetectedLayout:
    names = distinct([head.readable(text) for text in records[0].texts])
    columns = _found(names, options.columns, head)
    if len(records) < 2:
        raise InputError("there is a header, but no ratings follow it", where=head.where)
    places = {role: names.index(name) for role, name in columns.roles.items()}
    header_bytes, header_lines = head.extent(records[0])
    layout = replace(
        _layout(separator, len(names), places, columns.roles, records[1:], options),
        skipped_bytes=header_bytes,
        first_line=1 + header_lines,
    )
    return DetectedLayout(
        layout, columns, _nothing_lost(head, names, records[1:], columns, options)
    )


def _without_header(
    head: TextHead, records: Sequence[TextRecord], separator: str, options: ReadOptions
) -> DetectedLayout:
    width = len(records[0].fields)
    names = [f"column {place + 1}" for place in range(width)]
    columns = _found(names, options.columns or _roles_by_place(head, records), head)
    places = {role: names.index(name) for role, name in columns.roles.items()}
    column_names = {role: f"{place + 1} ({role})" for role, place in places.items()}
    notes = _nothing_lost(head, names, records, columns, options)
    if not any(is_number(text) for text in records[0].texts):
        notes += ("The first line was read as a rating, not as names of columns.",)
    layout = _layout(separator, width, places, column_names, records, options)
    return DetectedLayout(layout, columns, notes)


def _nothing_lost(
    head: TextHead,
    names: Sequence[str],
    rows: Sequence[TextRecord],
    columns: Columns,
    options: ReadOptions,
) -> tuple[str, ...]:
    """A note if no column is the rating; one of numbers that may be it is not left behind."""
    if options.implicit:
        return ()
    numeric = {name for at, name in enumerate(names) if _holds_numbers(rows, at)}
    with _in_line_one(head):
        refuse_lost_ratings(columns, numeric)
    return implicit_note(columns)


def _holds_numbers(rows: Sequence[TextRecord], at: int) -> bool:
    """Are all cells of a column numbers, and not times?"""
    given = [text for text in _texts(rows, at) if text and text not in MISSING]
    return bool(given) and all(map(may_be_number, given)) and not all(map(is_time, given))


def _texts(rows: Sequence[TextRecord], at: int | None) -> list[str]:
    return [row.texts[at] for row in rows if at is not None and at < len(row.fields)]


def _layout(
    separator: str,
    width: int,
    places: dict[str, int],
    names: dict[str, str],
    rows: Sequence[TextRecord],
    options: ReadOptions,
) -> TextLayout:
    fields = dict(enumerate(rows[0].fields))
    rating, time = fields.get(places.get("rating", -1)), fields.get(places.get("time", -1))
    return TextLayout(
        separator=separator,
        width=width,
        places=places,
        names=names,
        iso_times=time is not None and not is_number(time.text),
        quotes_mark_text=rating is None or not rating.quoted,
        written=Written.of(options, _texts(rows, places.get("rating"))),
    )


def _roles_by_place(head: TextHead, records: Sequence[TextRecord]) -> dict[str, str]:
    width, shown = len(records[0].fields), " | ".join(records[0].texts)
    timed = width in _BY_PLACE and width > 2 and all(is_time(rec.texts[-1]) for rec in records)
    if any(map(names_user, records[0].texts)) and width > 2:
        raise InputError(
            "a column names the person, but none names the item",
            where=f"{head.where}, line 1",
            hint="If it is a survey, with a row for each respondent, say --format survey. If not, "
            "say which column is the item: --columns item=NAME (or its place, counted from 1). "
            f"The columns are: {head.readable(', '.join(records[0].texts))[:200]}",
        )
    if width not in _BY_PLACE or timed != (width == 4):
        raise InputError(
            f"{width} columns, and no header that names user and item: which is which?",
            where=f"{head.where}, line 1",
            hint="Say it by place, counted from 1: --columns user=1,item=2,rating=3 (and time=4). "
            "A survey, with a row for each respondent, is read by --format survey, or once "
            f"--sensitive names an issue of it. The first line is: {head.readable(shown)[:80]}",
        )
    return {role: str(place + 1) for place, role in enumerate(_BY_PLACE[width])}


def _found(names: list[str], declared: Mapping[str, str], head: TextHead) -> Columns:
    with _in_line_one(head):
        return find_columns(names, declared)


@contextmanager
def _in_line_one(head: TextHead) -> Iterator[None]:
    """Say where complaints about columns come from."""
    try:
        yield
    except InputError as problem:
        raise InputError(problem.what, where=f"{head.where}, line 1", hint=problem.hint) from None


def distinct(names: list[str]) -> list[str]:
    """Unique names: a column with no name, or a repeated one, is named by its position."""
    return [
        name if name and name not in names[:place] else f"{name} (column {place + 1})".strip()
        for place, name in enumerate(names)
    ]


def _one_column(head: TextHead, separator: str, *, given: bool) -> InputError:
    better = likeliest_separator(head)
    if len(head.records(better)[0].fields) > 1:
        hint = f"It seems to be separated by {separator_name(better)}; leave --separator out."
    else:
        hint = f"Give the --separator. {NOT_TEXT_HINT}"
    tried = ", ".join(separator_name(each) for each in ([separator] if given else SEPARATORS))
    return InputError(
        f"only one column is found: the line cannot be split at {tried}",
        where=f"{head.where}, line 1",
        hint=hint,
    )
