"""Plain numbers read in one go, against the readable way; dates against the calendar."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recloak.io import _numbers as numeric
from recloak.io._cells import POWERS
from recloak.io.netflix import _kernels as netflix

EPOCH = date(1970, 1, 1)
odd = st.sampled_from(["007", "+1", "-0", "", " 1", '"1"', "1x", "9" * 19, "x", "1 "])
whole = st.integers(-(10**17), 10**17).map(str)
decimal = st.decimals(-99, 99, places=2).map(str) | st.integers(-99, 99).map(str)
days = st.dates().map(str)
lines = st.lists(st.tuples(whole | odd, decimal, st.sampled_from(["", "abc", "ü"]), days))


def as_bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def read(text: str, separator: str) -> tuple[int, np.ndarray, np.ndarray]:
    data = as_bytes(text)
    wholes, decimals = np.empty((2, len(data)), np.int64), np.empty((1, len(data)), np.float32)
    kinds = np.array([numeric.WHOLE, numeric.DECIMAL, numeric.SKIP, numeric.DATE])
    second = ord(separator[1]) if len(separator) > 1 else -1
    slots = np.array([0, 0, 0, 1])
    count = numeric.number_records(
        data, ord(separator[0]), second, ord("."), kinds, slots, POWERS, wholes, decimals
    )
    return count, wholes, decimals


@given(lines, st.sampled_from([",", "::", "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_records(rows: list[tuple[str, ...]], separator: str, end: str) -> None:
    count, wholes, decimals = read(
        "".join(separator.join(row) + end for row in rows) or "\n", separator
    )
    plain = all(row[0].lstrip("-").isdigit() and str(int(row[0])) == row[0] for row in rows)
    if not rows or not plain or any(len(row[0].lstrip("-")) > 18 for row in rows):
        assert count == -1
        return
    assert count == len(rows)
    assert wholes[0, :count].tolist() == [int(row[0]) for row in rows]
    expected = [(date.fromisoformat(row[3]) - EPOCH).days * 86400 for row in rows]
    assert wholes[1, :count].tolist() == expected
    assert decimals[0, :count].tolist() == [float(np.float32(row[1])) for row in rows]


@given(st.text("0123456789-", min_size=10, max_size=10) | days)
def test_dates(text: str) -> None:
    found = numeric.date_at(as_bytes(text), 0)
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        assert found == -(1 << 62)
    else:
        assert found == (parsed - EPOCH).days or text[4] != "-" or text[7] != "-"


@given(st.integers(-719162, 2932896))
def test_dates_are_written_as_they_are_read(day: int) -> None:
    out = np.empty(10, np.uint8)
    netflix.put_date(day, out, 0)
    assert out.tobytes().decode() == str(EPOCH + timedelta(days=day))


@given(st.integers(0, 10**18 - 1))
def test_numbers_are_written_as_they_are_read(number: int) -> None:
    out = np.zeros(20, np.uint8)
    end = netflix.put_number(number, out, 0)
    assert out[:end].tobytes() == str(number).encode()
    assert netflix.number_at(out, 0) == (number, end)
