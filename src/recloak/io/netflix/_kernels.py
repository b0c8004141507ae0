"""Kernels for the layout of the Netflix Prize: a line with a film, then a line for each rating."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes, Codes, Integers, Values
from recloak.core.kernels import kernel
from recloak.io._numbers import date_at

FINE, NO_CUSTOMER, NO_RATING, NO_DATE, NO_END = range(5)
UNKNOWN = -1  # the film of ratings before the first line with a film
_LINE_FEED, _RETURN, _COMMA, _MINUS, _ZERO, _COLON = 10, 13, 44, 45, 48, 58
_DAY = 86400


@kernel
def number_at(data: Bytes, at: int) -> tuple[int, int]:
    """A whole number without sign, of at most 18 digits, and where it ends; -1 if there is none."""
    start, number = at, 0
    while np.uint8(data[at] - _ZERO) <= 9:
        number = number * 10 + (data[at] - _ZERO)
        at += 1
    if at == start or at - start > 18 or (data[start] == _ZERO and at - start > 1):
        return -1, start
    return number, at


@kernel
def read_lines(
    data: Bytes,
    films: Integers,
    customers: Integers,
    values: Values,
    times: Integers,
    starts: Codes,
) -> tuple[int, int, int, int]:
    """Read whole lines: how many ratings, the last film, what ended the walk, and where.

    Blank lines are passed over; ``starts`` gets the place of the line of each rating.
    """
    count, film, at, size = 0, UNKNOWN, 0, len(data)
    while at < size:
        line = at
        if data[at] == _LINE_FEED or (data[at] == _RETURN and data[at + 1] == _LINE_FEED):
            at += 1 + (data[at] == _RETURN)
            continue
        number, at = number_at(data, at)
        if number < 0:
            return count, film, NO_CUSTOMER, line
        if data[at] == _COLON:
            film = number
            at += 1
        else:
            if data[at] != _COMMA:
                return count, film, NO_CUSTOMER, line
            rating, after = number_at(data, at + 1)
            if rating < 0 or rating > 1000 or data[after] != _COMMA:
                return count, film, NO_RATING, line
            day = date_at(data, after + 1)
            if day < -(1 << 60):
                return count, film, NO_DATE, line
            films[count], customers[count], starts[count] = film, number, line
            values[count], times[count] = rating, day * _DAY
            count += 1
            at = after + 11
        at += data[at] == _RETURN
        if data[at] != _LINE_FEED:
            return count, film, NO_END, line
        at += 1
    return count, film, FINE, at


@kernel
def put_number(number: int, out: Bytes, at: int) -> int:
    """Write a whole number; where it ends."""
    digits, rest = 1, number
    while rest >= 10:
        rest //= 10
        digits += 1
    for place in range(digits):
        out[at + digits - 1 - place] = _ZERO + number % 10
        number //= 10
    return at + digits


@kernel
def put_date(day: int, out: Bytes, at: int) -> int:
    """Write a day since 1970 as ``2005-12-31``; where it ends."""
    shifted = day + 719468
    era = shifted // 146097
    day_of_era = shifted - era * 146097
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * day_of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    year = year_of_era + era * 400 + (month <= 2)
    number = (year * 100 + month) * 100 + day_of_year - (153 * from_march + 2) // 5 + 1
    for place in (9, 8, 6, 5, 3, 2, 1, 0):
        out[at + place] = _ZERO + number % 10
        number //= 10
    out[at + 4] = out[at + 7] = _MINUS
    return at + 10


@kernel
def write_lines(customers: Integers, values: Values, days: Integers, out: Bytes) -> int:
    """Write the ratings of a film; how many bytes. A line has at most 34."""
    at = 0
    for place in range(len(customers)):
        at = put_number(customers[place], out, at)
        out[at] = _COMMA
        at = put_number(int(values[place]), out, at + 1)
        out[at] = _COMMA
        at = put_date(days[place], out, at + 1)
        out[at] = _LINE_FEED
        at += 1
    return at
