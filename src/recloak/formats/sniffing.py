"""Finding out how a text file is laid out, from its first records and what the user said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recloak.columns import Columns, find_columns
from recloak.errors import InputError
from recloak.formats.base import Options
from recloak.formats.heads import Head, is_number, is_time
from recloak.formats.layout import (
    NOT_TEXT_HINT,
    SEPARATORS,
    Layout,
    Record,
    checked_separator,
    said_separator,
)

_BY_PLACE = {
    2: ("user", "item"),
    3: ("user", "item", "rating"),
    4: ("user", "item", "rating", "time"),
}


@dataclass(frozen=True)
class Sniffed:
    """A layout, the columns that it takes and leaves behind, and what to tell the user."""

    layout: Layout
    columns: Columns
    notes: tuple[str, ...] = ()


def sniff_layout(path: Path, head_bytes: bytes, options: Options) -> Sniffed:
    """The layout of the text file that starts with ``head_bytes``."""
    head = Head.of(path, head_bytes, options.encoding)
    separator = checked_separator(options.separator) if options.separator else likeliest(head)
    records = head.records(separator)
    if len(records[0].fields) < 2:
        raise _one_column(head, separator, given=options.separator is not None)
    if _has_header(records, options.columns):
        sniffed = _with_header(head, records, separator, options.columns)
    else:
        sniffed = _without_header(head, records, separator, options.columns)
    layout = replace(
        sniffed.layout,
        encoding=head.encoding,
        skipped_bytes=sniffed.layout.skipped_bytes + head.mark_bytes,
    )
    return replace(sniffed, layout=layout)


def likeliest(head: Head) -> str:
    """The separator that cuts the first records into the most numbers, then the most fields."""

    def merit(separator: str) -> tuple[float, float]:
        records = head.records(separator)
        width = len(records[0].fields)
        if width < 2:
            return 0.0, 0.0
        alike = sum(len(record.fields) == width for record in records) / len(records)
        numbers = sum(is_number(text) for record in records for text in record.texts)
        return alike * numbers / len(records), alike * width

    return max(SEPARATORS, key=merit)


def _has_header(records: Sequence[Record], declared: Mapping[str, str]) -> bool:
    """Do names stand in the first line? Known ones, those declared, or no number before numbers."""
    first = records[0].texts
    if _names_user_and_item(first) or any(not name.isdigit() for name in declared.values()):
        return True
    if any(is_number(text) or is_time(text) for text in first):
        return False
    return len(records) > 1 and any(is_number(text) for text in records[1].texts)


def _names_user_and_item(names: Sequence[str]) -> bool:
    try:
        find_columns(names, {})
    except InputError:
        return False
    return True


def _with_header(
    head: Head, records: Sequence[Record], separator: str, declared: Mapping[str, str]
) -> Sniffed:
    names = distinct([head.readable(text) for text in records[0].texts])
    columns = _found(names, declared, head)
    if len(records) < 2:
        raise InputError("there is a header, but no ratings follow it", where=head.where)
    places = {role: names.index(name) for role, name in columns.roles.items()}
    header_bytes, header_lines = head.extent(records[0])
    layout = replace(
        _layout(separator, len(names), places, columns.roles, records[1]),
        skipped_bytes=header_bytes,
        first_line=1 + header_lines,
    )
    return Sniffed(layout, columns)


def _without_header(
    head: Head, records: Sequence[Record], separator: str, declared: Mapping[str, str]
) -> Sniffed:
    width = len(records[0].fields)
    names = [f"column {place + 1}" for place in range(width)]
    columns = _found(names, declared or _roles_by_place(head, records), head)
    places = {role: names.index(name) for role, name in columns.roles.items()}
    said = {role: f"{place + 1} ({role})" for role, place in places.items()}
    notes: tuple[str, ...] = ()
    if not any(is_number(text) for text in records[0].texts):
        notes = ("The first line was read as a rating, not as names of columns.",)
    return Sniffed(_layout(separator, width, places, said, records[0]), columns, notes)


def _layout(
    separator: str, width: int, places: dict[str, int], names: dict[str, str], record: Record
) -> Layout:
    fields = dict(enumerate(record.fields))
    rating, time = fields.get(places.get("rating", -1)), fields.get(places.get("time", -1))
    return Layout(
        separator=separator,
        width=width,
        places=places,
        names=names,
        iso_times=time is not None and not is_number(time.text),
        quotes_mark_text=rating is None or not rating.quoted,
    )


def _roles_by_place(head: Head, records: Sequence[Record]) -> dict[str, str]:
    width, shown = len(records[0].fields), " | ".join(records[0].texts)
    timed = width in _BY_PLACE and width > 2 and all(is_time(rec.texts[-1]) for rec in records)
    if width not in _BY_PLACE or timed != (width == 4):
        raise InputError(
            f"{width} columns and no header: it is not known which is which",
            where=f"{head.where}, line 1",
            hint="Say it by place, counted from 1: --columns user=1,item=2,rating=3 (and time=4). "
            f"The first line is: {head.readable(shown)[:80]}",
        )
    return {role: str(place + 1) for place, role in enumerate(_BY_PLACE[width])}


def _found(names: list[str], declared: Mapping[str, str], head: Head) -> Columns:
    try:
        return find_columns(names, declared)
    except InputError as problem:
        raise InputError(problem.what, where=f"{head.where}, line 1", hint=problem.hint) from None


def distinct(names: list[str]) -> list[str]:
    """Each name once: a column without a name, or with one taken before, is told by its place."""
    return [
        name if name and name not in names[:place] else f"{name} (column {place + 1})".strip()
        for place, name in enumerate(names)
    ]


def _one_column(head: Head, separator: str, *, given: bool) -> InputError:
    better = likeliest(head)
    if len(head.records(better)[0].fields) > 1:
        hint = f"It seems to be separated by {said_separator(better)}; leave --separator out."
    else:
        hint = f"Give the --separator. {NOT_TEXT_HINT}"
    tried = ", ".join(said_separator(each) for each in ([separator] if given else SEPARATORS))
    return InputError(
        f"only one column is found: the line cannot be split at {tried}",
        where=f"{head.where}, line 1",
        hint=hint,
    )
