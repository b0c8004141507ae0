"""Kernels for blocks of plain records: numbers, dates and texts without quotes, in one go."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Codes, Floats, Integers, Values
from recloak.core.kernels import kernel
from recloak.core.kernels.text_words import digits_at, end_of_text

SKIP, WHOLE, DECIMAL, DATE, TEXT = range(5)
_LINE_FEED, _RETURN, _SPACE, _QUOTE = 10, 13, 32, 34
_MINUS, _ZERO = 45, 48
_DAY = 86400


@kernel
def days_before(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar, whose years start in March here."""
    shifted = year - (month <= 2)
    era = shifted // 400
    year_of_era = shifted - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return (
        era * 146097
        + year_of_era * 365
        + year_of_era // 4
        - year_of_era // 100
        + (day_of_year - 719468)
    )


@kernel
def month_length(year: int, month: int) -> int:
    """How many days a month has."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


@kernel
def date_at(data: Bytes, at: int) -> int:
    """The day, since 1970, of a date written ``2005-12-31`` at ``at``; -2**62 if none is."""
    if at + 10 > len(data):
        return -(1 << 62)
    for position in range(10):
        digit = np.uint8(data[at + position] - _ZERO)
        if (data[at + position] != _MINUS) if position in (4, 7) else digit > 9:
            return -(1 << 62)
    year, month, day = 0, 0, 0
    for position in range(4):
        year = year * 10 + (data[at + position] - _ZERO)
    month = (data[at + 5] - _ZERO) * 10 + (data[at + 6] - _ZERO)
    day = (data[at + 8] - _ZERO) * 10 + (data[at + 9] - _ZERO)
    if year < 1 or month < 1 or month > 12 or day < 1 or day > month_length(year, month):
        return -(1 << 62)
    return days_before(year, month, day)


@kernel
def number_records(  # noqa: C901 - one function, since a call for each field costs more than its work
    data: Bytes,
    separator: int,
    second: int,
    decimal_point: int,
    kinds: Integers,
    slots: Integers,
    powers: Floats,
    wholes: Integers,
    decimals: Values,
    starts: Codes,
    ends: Codes,
) -> int:
    """Read all records of ``data``; how many there are, or -1 less a field that is unusual.

    ``kinds`` says what each field is; ``slots`` which row of ``wholes`` or ``decimals`` takes it,
    or which row of ``starts`` and ``ends`` says where a text stands.
    """
    step, last = 1 if second < 0 else 2, len(kinds) - 1
    count, at, size = 0, 0, len(data)
    while at < size:
        for field in range(last + 1):
            kind = kinds[field]
            if kind in (SKIP, TEXT):
                start = at
                if data[at] == _QUOTE:
                    return -1 - field
                at = end_of_text(data, at, separator, second)
                if kind == TEXT:
                    if at == start or data[start] == _SPACE or data[at - 1] == _SPACE:
                        return -1 - field
                    starts[slots[field], count], ends[slots[field], count] = start, at
            elif kind == DATE:
                day = date_at(data, at)
                if day < -(1 << 60):
                    return -1 - field
                wholes[slots[field], count] = day * _DAY
                at += 10
            else:
                negative = data[at] == _MINUS
                if negative:
                    at += 1
                start = at
                if kind == WHOLE:
                    number, at = digits_at(data, at)
                    digits = at - start
                    if (
                        digits < 1
                        or digits > 18
                        or (data[start] == _ZERO and digits + negative > 1)
                    ):
                        return -1 - field
                    wholes[slots[field], count] = -number if negative else number
                else:
                    number, point = 0, -1
                    while True:
                        digit = int(data[at]) - _ZERO
                        if 0 <= digit <= 9:
                            number = number * 10 + digit
                        elif digit == decimal_point - _ZERO and point < 0:
                            point = at
                        else:
                            break
                        at += 1
                    digits = at - start - (point >= 0)
                    behind = at - point - 1 if point >= 0 else 0
                    if digits < 1 or digits > 15 or behind > 8:
                        return -1 - field
                    value = number / powers[behind]
                    decimals[slots[field], count] = -value if negative else value
            if field < last:
                if data[at] != separator or (second >= 0 and data[at + 1] != second):
                    return -1 - field
                at += step
        at += data[at] == _RETURN
        if data[at] != _LINE_FEED:
            return -1 - last
        at += 1
        count += 1
    return count
