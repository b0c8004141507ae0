"""Texts by words of eight bytes, which kernels take in: so they are hashed and compared."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Bytes
from recloak.core.kernels import inner_kernel

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_OTHER_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
_HALF = np.uint64(32)
SHORT = 16  # bytes
# What is kept of the first word if a text is 8 bytes shorter than the place, and of the second
_KEPT = np.array([0] * 8 + [(1 << 8 * size) - 1 for size in range(8)] + [2**64 - 1] * 9, np.uint64)
_ONE = np.uint64(1)
_EACH_BYTE = np.uint64(0x0101010101010101)
_HIGHEST = np.uint64(0x80) * _EACH_BYTE
_ZEROS = np.uint64(ord("0")) * _EACH_BYTE
_SPACES = np.uint64(ord(" ")) * _EACH_BYTE
_ABOVE_NINE = np.uint64(0x80 - 10) * _EACH_BYTE
_PAIRS = np.uint64(0x000000FF000000FF)
_TENS = np.array([10**digits for digits in range(9)])


@inner_kernel
def word_at(data: Bytes, at: int) -> np.uint64:
    """The eight bytes from ``at`` as one number, the first of them lowest; 0 beyond the end.

    The compiler makes one load of it, since a place that is not signed is never counted from the
    end.
    """
    if at + 8 > len(data):
        return _last_word(data, at)
    first = np.uint64(at)
    return (
        np.uint64(data[first])
        | np.uint64(data[first + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[first + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[first + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[first + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[first + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[first + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[first + np.uint64(7)]) << np.uint64(56)
    )


@inner_kernel
def _last_word(data: Bytes, at: int) -> np.uint64:
    word = np.uint64(0)
    for position in range(len(data) - 1, at - 1, -1):
        word = word << np.uint64(8) | np.uint64(data[position])
    return word


@inner_kernel
def first_bytes(word: np.uint64, count: int) -> np.uint64:
    """A word without what follows its first ``count`` bytes."""
    if count >= 8:
        return word
    return word & ((np.uint64(1) << np.uint64(8 * count)) - np.uint64(1))


@inner_kernel
def short_text(data: Bytes, start: int, size: int) -> tuple[np.uint64, np.uint64]:
    """A text of at most 16 bytes as two words; the first 16 of a longer one."""
    if size > SHORT:
        size = SHORT
    low, high = word_at(data, start), word_at(data, start + 8)
    return low & _KEPT[size + 8], high & _KEPT[size]


@inner_kernel
def short_hash(low: np.uint64, high: np.uint64, size: int) -> np.int64:
    """A number for a text of at most 16 bytes."""
    mixed = (low ^ np.uint64(size)) * _FACTOR + high * _OTHER_FACTOR
    mixed = (mixed ^ mixed >> _HALF) * _FACTOR
    return np.int64(mixed ^ mixed >> _HALF)


@inner_kernel
def hash_of(data: Bytes, start: int, size: int) -> np.int64:
    """A number for a text."""
    mixed = np.uint64(size)
    for at in range(0, size, 8):
        mixed = (mixed ^ first_bytes(word_at(data, start + at), size - at)) * _FACTOR
        mixed ^= mixed >> _HALF
    return np.int64(mixed)


@inner_kernel
def same_text(one: Bytes, begin: int, end: int, other: Bytes, start: int, size: int) -> bool:
    """Is what stands from ``begin`` to ``end`` of one the text at ``start`` of the other?"""
    if end - begin != size:
        return False
    for place in range(0, size, 8):
        differ = word_at(one, begin + place) ^ word_at(other, start + place)
        if first_bytes(differ, size - place) != 0:
            return False
    return True


@inner_kernel
def _marked_before(marks: np.uint64) -> int:
    """How many bytes stand before the first whose highest bit is set; 8 if none is."""
    if marks == 0:
        return 8
    below = (marks & (~marks + _ONE)) - _ONE
    return int(np.int64((below & _EACH_BYTE) * _EACH_BYTE >> np.uint64(56))) - 1


@inner_kernel
def end_of_text(data: Bytes, at: int, separator: int, second: int) -> int:
    """Where a text ends: at a separator (with its second byte, if that is not -1) or control byte.

    ``(word - EACH_BYTE) & ~word`` marks the first byte that is 0, and maybe some after it.
    """
    separators = np.uint64(separator) * _EACH_BYTE
    while at < len(data):
        word = word_at(data, at)
        other = word ^ separators
        marks = ((other - _EACH_BYTE) & ~other | (word - _SPACES) & ~word) & _HIGHEST
        at += _marked_before(marks)
        if marks == 0:
            continue
        if second < 0 or data[at] != separator or data[at + 1] == second:
            return at
        at += 1
    return at


@inner_kernel
def digits_at(data: Bytes, at: int) -> tuple[int, int]:
    """The number whose digits begin at ``at``, and where they end; too long a number is wrong."""
    number, before = 0, 8
    while before == 8:
        word = word_at(data, at) ^ _ZEROS
        before = _marked_before((word + _ABOVE_NINE | word) & _HIGHEST)
        if before > 0:
            number = number * _TENS[before] + _eight_digits(word << np.uint64(64 - 8 * before))
        at += before
    return number, at


@inner_kernel
def _eight_digits(word: np.uint64) -> int:
    """The number that eight digits are, a digit to a byte: two at a time, then four, then all."""
    pairs = word * np.uint64(10) + (word >> np.uint64(8))
    upper = (pairs & _PAIRS) * np.uint64(1000000 << 32 | 100)
    lower = (pairs >> np.uint64(16) & _PAIRS) * np.uint64(10000 << 32 | 1)
    return int(np.int64(upper + lower >> _HALF))
