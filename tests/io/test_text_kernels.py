"""The kernels that take text apart, against a plain twin and Python's own number parsing."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recloak.io import _text_kernels as kernels

POWERS = np.array([10.0**decimals for decimals in range(9)])


class RefusedError(Exception):
    """What the twin raises: the reason."""


def split_plainly(
    text: str, separator: str, width: int, quoting: bool, escapes: bool = False
) -> list[list[str]]:
    """Records of ``text``, one character at a time: defines what the kernel must do."""
    records, at = [], 0
    while at < len(text):
        if blank := re.compile(r"[ ]*\r?\n").match(text, at):
            at = blank.end()
            continue
        fields: list[str] = []
        while True:
            field, at = _field(text, at, separator, quoting, escapes)
            fields.append(field)
            if not text.startswith(separator, at):
                break
            at += len(separator)
            if len(fields) == width:
                raise RefusedError(kernels.TOO_MANY)
        end = re.compile(r"\r?\n").match(text, at)
        if not end:
            raise RefusedError(kernels.STRAY_RETURN if text[at] == "\r" else kernels.CONTROL)
        if len(fields) < width:
            raise RefusedError(kernels.TOO_FEW)
        at = end.end()
        records.append(fields)
    return records


def _field(text: str, at: int, separator: str, quoting: bool, escapes: bool) -> tuple[str, int]:
    padding = "" if separator == " " else " "
    while text[at] == padding:
        at += 1
    if not quoting or text[at] != '"':
        end = at
        while not text.startswith(separator, end) and (text[end] >= " " or text[end] == "\t"):
            end += 1
        return text[at:end].rstrip(padding) if padding else text[at:end], end
    found, at = _inside_quotes(text, at, escapes)
    while text[at] == padding:
        at += 1
    if not text.startswith(separator, at) and (text[at] >= " " or text[at] == "\t"):
        raise RefusedError(kernels.AFTER_QUOTE)
    return found, at


def _inside_quotes(text: str, at: int, escapes: bool) -> tuple[str, int]:
    found = ""
    while True:
        at += 1
        if at == len(text):
            raise RefusedError(kernels.OPEN_QUOTE)
        if text[at] < " " and text[at] not in "\t\r\n":
            raise RefusedError(kernels.CONTROL)
        if escapes and text[at : at + 2] in ('\\"', "\\\\"):
            at += 1
            found += text[at]
            continue
        if text[at] == '"' and text[at + 1] != '"':
            return found, at + 1
        at += text[at] == '"'
        found += text[at]


def split_compiled(
    text: str, separator: str, width: int, quoting: bool, escapes: bool = False
) -> list[list[str]]:
    data = np.frombuffer(text.encode(), np.uint8)
    most = len(data) // width + 1
    starts, ends = np.empty((2, width, most), np.int32)
    quoted, record_starts = np.empty((width, most), np.uint8), np.empty(most, np.int32)
    count, problem, _ = kernels.split_records(
        data,
        *marks(separator),
        quoting,
        escapes,
        np.arange(width),
        starts,
        ends,
        quoted,
        record_starts,
    )
    if problem != kernels.FINE:
        raise RefusedError(problem)
    columns = [joined(data, starts[at], ends[at], quoted[at], count) for at in range(width)]
    return [list(record) for record in zip(*columns, strict=True)]


def marks(separator: str) -> tuple[np.ndarray, int, int]:
    first = ord(separator[0])
    return kernels.stop_bytes(first), first, ord(separator[1]) if len(separator) == 2 else -1


def joined(
    data: np.ndarray, starts: np.ndarray, ends: np.ndarray, quoted: np.ndarray, count: int
) -> list[str]:
    out = np.empty(len(data) + count + 1, np.uint8)
    size = kernels.join_fields(data, starts[:count], ends[:count], quoted[:count], 0x1F, out)
    return out[:size].tobytes().decode().split("\x1f")[:-1]


def outcome(split: object, *arguments: object) -> object:
    try:
        return split(*arguments)  # type: ignore[operator]
    except RefusedError as refused:
        return refused.args[0]


@settings(max_examples=600, deadline=None)
@given(
    st.text(st.sampled_from('12a,,::\t "\\\n\r\x01é'), max_size=40).map(lambda text: text + "\n"),
    st.sampled_from([",", "\t", "::", " "]),
    st.integers(1, 4),
    st.booleans(),
)
@example('a,"b\n', ",", 2, False)
@example('"a""b" ,c\r\n', ",", 2, False)
@example("1::2:3::\n", "::", 3, False)
@example("1  \n  \n", " ", 3, False)
@example('"a\\"b" ,c\n', ",", 2, True)
@example('"\\\\",c\n', ",", 2, True)
@example('"a\\"\n', ",", 1, True)
def test_records(text: str, separator: str, width: int, escapes: bool) -> None:
    asked = (text, separator, width, len(separator) == 1, escapes)
    assert outcome(split_compiled, *asked) == outcome(split_plainly, *asked)


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from('1,,"\\\n\n\r '), max_size=40).map(lambda text: text + "\n"),
    st.booleans(),
)
def test_record_ends(text: str, escapes: bool) -> None:
    """What stands before the last record's end is whole: cutting there changes no record."""
    data = np.frombuffer(text.encode(), np.uint8)
    end = kernels.last_record_end(data, *marks(","), escapes)
    for width in (1, 2, 3):
        whole = outcome(split_plainly, text, ",", width, True, escapes)
        if isinstance(whole, list):
            pieces = (text[:end], text[end:])
            parts = [split_plainly(part, ",", width, True, escapes) for part in pieces]
            assert parts[0] + parts[1] == whole
            assert end == len(text)


def fields(texts: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    data = np.frombuffer("".join(f"{text}," for text in texts).encode(), np.uint8)
    ends = np.flatnonzero(data == ord(",")).astype(np.int32)
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int32)
    return data, starts, ends, np.zeros(len(ends), np.uint8)


def canonical(text: str) -> bool:
    whole = re.fullmatch(r"-?\d+", text, re.ASCII) is not None and str(int(text)) == text
    return whole and abs(int(text)) < 2**63


@given(
    st.lists(
        st.integers(-(2**66), 2**66).map(str) | st.text("0123456789-+ .", max_size=21), min_size=1
    )
)
@example(["9223372036854775807", "-9223372036854775807", "9223372036854775808"])
@example(["0", "-0"])
def test_whole_numbers(texts: list[str]) -> None:
    out = np.empty(len(texts), np.int64)
    fine = kernels.whole_numbers(*fields(texts), False, out)
    expected = next((at for at, text in enumerate(texts) if not canonical(text)), len(texts))
    assert fine == expected
    assert out[:fine].tolist() == [int(text) for text in texts[:fine]]


def test_quoted_numbers_are_text_if_asked() -> None:
    data, starts, ends, _ = fields(["1", "2", "3"])
    quoted = np.array([0, 1, 0], np.uint8)
    out = np.empty(3, np.int64)
    assert kernels.whole_numbers(data, starts, ends, quoted, True, out) == 1
    assert kernels.whole_numbers(data, starts, ends, quoted, False, out) == 3


@given(
    st.lists(
        st.decimals(-1000, 1000, places=8).map(str)
        | st.text("0123456789-.e", max_size=18)
        | st.floats(-10, 10, width=32).map(lambda value: str(np.float32(value))),
        min_size=1,
    )
)
@example(["3.5", "-.5", "4.", ".", "", "-"])
def test_simple_decimals(texts: list[str]) -> None:
    data, starts, ends, _ = fields(texts)
    out = np.empty(len(texts), np.float64)
    fine = kernels.simple_decimals(data, starts, ends, ord("."), POWERS, out)
    assert out[:fine].tolist() == [float(text) for text in texts[:fine]]
    simple = re.compile(r"-?(?=[\d.]*\d)\d*(\.\d{0,8})?", re.ASCII)
    if fine < len(texts):
        digits = sum(letter.isdigit() for letter in texts[fine])
        assert not simple.fullmatch(texts[fine]) or digits > 15


@pytest.mark.parametrize("separator", [",", "\t", "::"])
def test_stop_bytes(separator: str) -> None:
    stops, first, _ = marks(separator)
    assert stops[first]
    assert stops[ord("\n")]
    assert stops[0]
    assert stops[ord("\t")] == (separator == "\t")
    assert not stops[ord("a")]
    assert not stops[200]


_SPACES = st.sampled_from(["", " ", "   "])
_WRITTEN = st.one_of(
    st.tuples(_SPACES, st.sampled_from(["", "1", "a b", "é"]), _SPACES),
    st.tuples(_SPACES, st.sampled_from(['""', '"1"', '" 1 "', '"a""b"', '"\n,"']), _SPACES),
).map("".join)


@given(st.lists(st.tuples(_WRITTEN, _WRITTEN), min_size=1, max_size=6))
def test_widened_fields_are_all_that_stands_between_separators(
    records: list[tuple[str, str]],
) -> None:
    data = np.frombuffer("".join(f"{a},{b}\n" for a, b in records).encode(), np.uint8)
    starts, ends = np.empty((2, 2, len(records)), np.int32)
    quoted, record_starts = np.empty((2, len(records)), np.uint8), np.empty(len(records), np.int32)
    spans = (np.arange(2), starts, ends, quoted, record_starts)
    count, problem, _ = kernels.split_records(data, *marks(","), True, False, *spans)
    assert (count, problem) == (len(records), kernels.FINE)
    for place in range(2):
        kernels.widen_fields(data, starts[place], ends[place], quoted[place], ord(","))
        bare = np.zeros_like(quoted[place])
        found = joined(data, starts[place], ends[place], bare, count)
        assert found == [record[place] for record in records]
