"""Kernels that take delimited text apart: records into fields, fields into numbers.

Fields are spans of a block of bytes (UTF-8). Nothing is guessed: whatever breaks the rules ends
the walk with a reason and the byte where it happened, so that every complaint can name its line.
"""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import (
    Bytes,
    Codes,
    Floats,
    Integers,
    Mask,
)
from recloak.core.kernels import kernel

FINE, TOO_FEW, TOO_MANY, AFTER_QUOTE, OPEN_QUOTE, CONTROL, STRAY_RETURN = range(7)
# DOUBLED: quoted, with quotes inside that are written twice; ESCAPED: behind backslashes as well
BARE, QUOTED, DOUBLED, ESCAPED = range(4)

_TAB, _LINE_FEED, _RETURN, _SPACE, _QUOTE = 9, 10, 13, 32, 34
_PLUS, _MINUS, _ZERO, _NINE, _BACKSLASH = 43, 45, 48, 57, 92
_MOST_DECIMALS = 8  # with more, rounding to float64 and then float32 could differ from one rounding


def stop_bytes(separator: int) -> Mask:
    """Which bytes may end an unquoted field: the separator, line ends and control bytes."""
    stops = np.arange(256) < _SPACE
    stops[_TAB] = False
    stops[separator] = True
    return stops


@kernel
def end_of_bare(data: Bytes, at: int, stops: Mask, second: int) -> int:
    """Where an unquoted field ends: at a separator, a line end or a control byte."""
    while not stops[data[at]] or (second >= 0 and data[at] >= _SPACE and data[at + 1] != second):
        at += 1
    return at


@kernel
def is_escape(data: Bytes, at: int) -> bool:
    """Does a backslash here take its meaning from what follows: a quote, or another backslash?"""
    if data[at] != _BACKSLASH or at + 1 >= len(data):
        return False
    return bool(data[at + 1] == _QUOTE or data[at + 1] == _BACKSLASH)


@kernel
def end_of_quoted(data: Bytes, at: int, escapes: bool) -> tuple[int, int]:
    """Where the closing quote of a field stands (the end of data if none does), and its kind."""
    kind = QUOTED
    while at < len(data):
        byte = data[at]
        if byte == _QUOTE:
            if data[at + 1] != _QUOTE:
                return at, kind
            kind = max(kind, DOUBLED)
            at += 1
        elif byte < _SPACE and byte != _TAB and byte != _LINE_FEED and byte != _RETURN:
            return at, kind
        elif escapes and is_escape(data, at):
            kind = ESCAPED
            at += 1
        at += 1
    return min(at, len(data)), kind


@kernel
def skip_spaces(data: Bytes, at: int, separator: int) -> int:
    """Past the spaces, unless spaces separate."""
    while data[at] == _SPACE and separator != _SPACE:
        at += 1
    return at


@kernel
def trim_spaces(data: Bytes, start: int, end: int, separator: int) -> int:
    """The end of a field without its trailing spaces."""
    while end > start and data[end - 1] == _SPACE and separator != _SPACE:
        end -= 1
    return end


@kernel
def quoted_field(
    data: Bytes, start: int, stops: Mask, separator: int, second: int, escapes: bool
) -> tuple[int, int, int, int]:
    """A field in quotes: its end, its kind, where the walk goes on, and what is wrong."""
    end, kind = end_of_quoted(data, start + 1, escapes)
    if end == len(data):
        return end, kind, start, OPEN_QUOTE
    if data[end] != _QUOTE:
        return end, kind, end, CONTROL
    after = skip_spaces(data, end + 1, separator)
    if after != end_of_bare(data, after, stops, second):
        return end, kind, start, AFTER_QUOTE
    return end, kind, after, FINE


@kernel
def next_line(data: Bytes, at: int) -> tuple[int, int]:
    """Past the end of the line at ``at``, and what is wrong if no line ends there."""
    if data[at] == _LINE_FEED:
        return at + 1, FINE
    if data[at] != _RETURN:
        return at, CONTROL
    return (at + 2, FINE) if data[at + 1] == _LINE_FEED else (at, STRAY_RETURN)


@kernel
def skip_blank_lines(data: Bytes, at: int) -> int:
    """The start of the next line that holds more than spaces."""
    while at < len(data):
        text = at
        while data[text] == _SPACE:
            text += 1
        if data[text] != _LINE_FEED and data[text] != _RETURN:
            return at
        after, problem = next_line(data, text)
        if problem != FINE:
            return at
        at = after
    return at


@kernel
def split_records(  # noqa: C901 - one function, since a call for each record costs more than its work
    data: Bytes,
    stops: Mask,
    separator: int,
    second: int,
    quoting: bool,
    escapes: bool,
    slot_of: Integers,
    starts: Codes,
    ends: Codes,
    quoted: Bytes,
    record_starts: Codes,
) -> tuple[int, int, int]:
    """Find the wanted fields of all records: how many records, what ended the walk, and where.

    ``data`` ends with a line feed. ``slot_of`` gives for each field of a record the row of
    ``starts``, ``ends`` and ``quoted`` that keeps it, or -1. A separator of two bytes has its
    ``second``; else that is -1. ``stops`` is from `stop_bytes`. With ``escapes`` a quote behind a
    backslash does not end a field in quotes. Blank lines are no records. Spaces around a field do
    not belong to it; quotes keep them.
    """
    step, last = 1 if second < 0 else 2, len(slot_of) - 1
    count, at, problem = 0, 0, FINE
    while at < len(data):
        if data[at] <= _SPACE:
            at = skip_blank_lines(data, at)
            if at == len(data):
                break
        record = at
        for field in range(last + 1):
            if data[at] == _SPACE:
                at = skip_spaces(data, at, separator)
            start, kind = at, BARE
            if data[at] == _QUOTE and quoting:
                end, kind, at, problem = quoted_field(data, at, stops, separator, second, escapes)
                if problem != FINE:
                    return count, problem, at
                start += 1
            else:
                at = end_of_bare(data, at, stops, second)
                end = trim_spaces(data, start, at, separator)
            slot = slot_of[field]
            if slot >= 0:
                starts[slot, count], ends[slot, count], quoted[slot, count] = start, end, kind
            if data[at] != separator:
                break
            at += step
        else:
            return count, TOO_MANY, record
        at, problem = next_line(data, at)
        if problem != FINE:
            return count, problem, at
        if field < last:
            return count, TOO_FEW, record
        record_starts[count] = record
        count += 1
    return count, FINE, at


@kernel
def last_record_end(data: Bytes, stops: Mask, separator: int, second: int, escapes: bool) -> int:
    """Where the last whole record of ``data`` ends; quoted fields may hold line ends.

    ``data`` ends with a line feed, which need not end a record.
    """
    at, done = 0, 0
    while at < len(data):
        start = skip_spaces(data, at, separator)
        if data[start] == _QUOTE:
            _, _, after, problem = quoted_field(data, start, stops, separator, second, escapes)
            if problem == OPEN_QUOTE:
                return done
            start = max(after, start + 1)
        at = end_of_bare(data, start, stops, second)
        if data[at] == _LINE_FEED:
            done = at + 1
        at += 2 if second >= 0 and data[at] == separator else 1
    return done


@kernel
def whole_numbers(
    data: Bytes, starts: Codes, ends: Codes, quoted: Bytes, bare_only: bool, out: Integers
) -> int:
    """Fields as whole numbers, as far as each is written the one way that we would write it.

    Returns the place of the first that is not (``007``, ``+7``, ``-0``, beyond 64 bits, text, or
    quoted where quotes mark text), or the count of fields.
    """
    for place in range(len(starts)):
        at, end = starts[place], ends[place]
        if bare_only and quoted[place] != BARE:
            return place
        negative = at < end and data[at] == _MINUS
        if negative:
            at += 1
        digits = end - at
        if digits < 1 or digits > 19 or (data[at] == _ZERO and (digits > 1 or negative)):
            return place
        number = np.uint64(0)
        for position in range(at, end):
            digit = data[position] - _ZERO
            if digit > 9 or data[position] < _ZERO:
                return place
            number = number * np.uint64(10) + np.uint64(digit)
        if number > np.uint64(9223372036854775807):
            return place
        out[place] = -np.int64(number) if negative else np.int64(number)
    return len(starts)


@kernel
def simple_decimals(
    data: Bytes,
    starts: Codes,
    ends: Codes,
    point: int,
    powers: Floats,
    out: Floats,
) -> int:
    """Fields as decimals of at most 15 digits, 8 of them after the point, exactly rounded.

    ``point`` is the byte that stands before the fraction. Returns the place of the first that is
    written otherwise, or the count of fields.
    """
    for place in range(len(starts)):
        at, end = starts[place], ends[place]
        negative = at < end and data[at] == _MINUS
        if negative:
            at += 1
        number, digits, decimals = 0, 0, -1
        for position in range(at, end):
            byte = data[position]
            if byte == point and decimals < 0:
                decimals = 0
            elif _ZERO <= byte <= _NINE:
                number = number * 10 + (byte - _ZERO)
                digits += 1
                decimals += 1 if decimals >= 0 else 0
            else:
                return place
        if digits == 0 or digits > 15 or decimals > _MOST_DECIMALS:
            return place
        value = number / powers[max(decimals, 0)]
        out[place] = -value if negative else value
    return len(starts)


@kernel
def widen_fields(data: Bytes, starts: Codes, ends: Codes, quoted: Bytes, separator: int) -> None:
    """Let each span take in the quotes and the spaces around its field, in place."""
    for place in range(len(starts)):
        start, end = starts[place], ends[place]
        if quoted[place] != BARE:
            start, end = start - 1, end + 1
        while start > 0 and data[start - 1] == _SPACE and separator != _SPACE:
            start -= 1
        starts[place], ends[place] = start, skip_spaces(data, end, separator)


@kernel
def join_fields(
    data: Bytes, starts: Codes, ends: Codes, quoted: Bytes, end_mark: int, out: Bytes
) -> int:
    """Fields one after the other, each with ``end_mark`` behind it, as they are meant.

    Doubled quotes are made single, and backslashes before quotes and backslashes go.
    """
    to = 0
    for place in range(len(starts)):
        at, end = starts[place], ends[place]
        kind = quoted[place]
        while at < end:
            if kind == ESCAPED and is_escape(data, at):
                at += 1
                out[to] = data[at]
                at += 1
            else:
                out[to] = data[at]
                at += 2 if kind >= DOUBLED and data[at] == _QUOTE else 1
            to += 1
        out[to] = end_mark
        to += 1
    return to
