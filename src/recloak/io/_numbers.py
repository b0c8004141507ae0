"""Blocks of plain numbers: the usual case, read in one go."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Floats, Integers, Values
from recloak.core.kernels import kernel
from recloak.io._cells import POWERS
from recloak.io._layout import TextLayout
from recloak.io.base import Batch

SKIP, WHOLE, DECIMAL, DATE = range(4)
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
) -> int:
    """Read all records of ``data``; how many there are, or -1 if anything is unusual.

    ``kinds`` says what each field is; ``slots`` which row of ``wholes`` or ``decimals`` takes it.
    """
    step, last = 1 if second < 0 else 2, len(kinds) - 1
    count, at, size = 0, 0, len(data)
    while at < size:
        for field in range(last + 1):
            kind = kinds[field]
            if kind == SKIP:
                while data[at] > _QUOTE and data[at] != separator:
                    at += 1
            elif kind == DATE:
                day = date_at(data, at)
                if day < -(1 << 60):
                    return -1
                wholes[slots[field], count] = day * _DAY
                at += 10
            else:
                negative = data[at] == _MINUS
                if negative:
                    at += 1
                start, number, point = at, 0, -1
                while True:
                    digit = int(data[at]) - _ZERO
                    if 0 <= digit <= 9:
                        number = number * 10 + digit
                    elif digit == decimal_point - _ZERO and kind == DECIMAL and point < 0:
                        point = at
                    else:
                        break
                    at += 1
                digits = at - start - (point >= 0)
                if kind == WHOLE:
                    if (
                        digits < 1
                        or digits > 18
                        or (data[start] == _ZERO and digits + negative > 1)
                    ):
                        return -1
                    wholes[slots[field], count] = -number if negative else number
                else:
                    behind = at - point - 1 if point >= 0 else 0
                    if digits < 1 or digits > 15 or behind > 8:
                        return -1
                    value = number / powers[behind]
                    decimals[slots[field], count] = -value if negative else value
            if field < last:
                if data[at] != separator or (second >= 0 and data[at + 1] != second):
                    return -1
                at += step
        at += data[at] == _RETURN
        if data[at] != _LINE_FEED:
            return -1
        at += 1
        count += 1
    return count


def plain_numbers(data: Bytes, layout: TextLayout) -> Batch | None:
    """The ratings of a block, or None if any of its fields takes a closer look."""
    written = layout.written
    if written.orders or chr(written.point) == layout.separator:
        return None
    kinds, slots, rows = _fields(layout)
    most = len(data) // (layout.width + len(layout.places)) + 1
    wholes = np.empty((max(1, len(rows)), most), np.int64)
    decimals = np.empty((1, most), np.float32)
    _, separator, second = layout.marks
    count = number_records(
        data, separator, second, written.point, kinds, slots, POWERS, wholes, decimals
    )
    if count < 0:
        return None
    return Batch(
        users=wholes[rows["user"], :count],
        items=wholes[rows["item"], :count],
        values=decimals[0, :count].copy() if "rating" in layout.places else None,
        times=wholes[rows["time"], :count].copy() if "time" in rows else None,
    )


def _fields(
    layout: TextLayout,
) -> tuple[Integers, Integers, dict[str, int]]:
    """What each field is, which row of the output takes it, and the rows by role."""
    kinds, slots = np.full(layout.width, SKIP), np.zeros(layout.width, np.int64)
    rows: dict[str, int] = {}
    for role, place in layout.places.items():
        if role == "rating":
            kinds[place] = DECIMAL
            continue
        kinds[place] = DATE if role == "time" and layout.iso_times else WHOLE
        slots[place] = rows[role] = len(rows)
    return kinds, slots, rows
