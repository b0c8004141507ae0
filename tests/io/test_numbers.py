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
words = st.text("ab!.:ü", min_size=1, max_size=19)
odd_words = st.sampled_from(["", " a", "a ", '"a"', "a\x01b"])
lines = st.lists(st.tuples(whole | odd, decimal, words | odd_words, st.sampled_from(["", "a b"])))


def as_bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def read(text: str, separator: str, *kinds: int) -> tuple[int, np.ndarray, np.ndarray, list[str]]:
    """What is read of records with these fields: count, wholes, decimals, texts."""
    data = as_bytes(text)
    wholes, decimals = np.empty((1, len(data)), np.int64), np.empty((1, len(data)), np.float32)
    starts, ends = np.empty((2, 1, len(data)), np.int32)
    second = ord(separator[1]) if len(separator) > 1 else -1
    marks = ord(separator[0]), second, ord(".")
    slots = np.zeros(len(kinds), np.int64)
    count = numeric.number_records(
        data, *marks, np.array(kinds), slots, POWERS, wholes, decimals, starts, ends
    )
    spans = zip(starts[0, : max(count, 0)], ends[0, : max(count, 0)], strict=True)
    return count, wholes, decimals, [data[start:end].tobytes().decode() for start, end in spans]


def first_unusual(fields: list[str]) -> int | None:
    """The field of a record that takes a closer look."""
    number, _, word, *_ = fields
    digits = number.lstrip("-")
    if not digits.isdigit() or str(int(number)) != number or len(digits) > 18:
        return 0
    if word in ("", " a", "a ", '"a"', "a\x01b"):
        return 2
    return 3 if len(fields) > 4 else None


@given(lines, st.sampled_from([",", "::", "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_records(rows: list[tuple[str, ...]], separator: str, end: str) -> None:
    kinds = numeric.WHOLE, numeric.DECIMAL, numeric.TEXT, numeric.SKIP
    text = "".join(separator.join(row) + end for row in rows)
    count, wholes, decimals, texts = read(text or "\n", separator, *kinds)
    found = [line.split(separator) for line in text.split(end)[:-1]]
    unusual = [field for fields in found if (field := first_unusual(fields)) is not None]
    if not rows or unusual:
        assert count == -1 - (unusual[0] if unusual else 0)
        return
    assert count == len(rows)
    assert wholes[0, :count].tolist() == [int(fields[0]) for fields in found]
    assert decimals[0, :count].tolist() == [float(np.float32(fields[1])) for fields in found]
    assert texts == [fields[2] for fields in found]


@given(st.lists(days, min_size=1))
def test_records_with_dates(dates: list[str]) -> None:
    count, wholes, _, _ = read("".join(f"{each}\n" for each in dates), ",", numeric.DATE)
    expected = [(date.fromisoformat(each) - EPOCH).days * 86400 for each in dates]
    assert wholes[0, :count].tolist() == expected


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
