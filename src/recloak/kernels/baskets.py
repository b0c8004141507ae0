"""Kernels that take basket lists apart: any number of items on a line."""

from __future__ import annotations

from recloak.kernels import kernel
from recloak.kernels.records import FINE as LINE_ENDS
from recloak.kernels.records import Bytes, Spans, next_line

FINE, EMPTY, UNUSABLE = range(3)
_TAB, _SPACE, _QUOTE = 9, 32, 34
_LINE_BYTES = (10, 13)


@kernel
def past_blanks(data: Bytes, at: int) -> int:
    """Past spaces and tabs."""
    while data[at] == _SPACE or data[at] == _TAB:
        at += 1
    return at


@kernel
def item_at(data: Bytes, at: int, separator: int, spaced: bool) -> tuple[int, int]:
    """Where the item at ``at`` ends without its blanks, and where what stopped it stands."""
    end = at
    while data[at] != separator and data[at] != _QUOTE:
        blank = data[at] == _SPACE or data[at] == _TAB
        if (blank and spaced) or (data[at] < _SPACE and not blank):
            break
        at += 1
        end = end if blank else at
    return end, at


@kernel
def split_baskets(
    data: Bytes, separator: int, starts: Spans, ends: Spans, lines: Spans
) -> tuple[int, int, int]:
    """Find all items: how many, what ended the walk, and where.

    ``data`` ends with a line feed. If a blank separates, several do as well, spaces and tabs alike.
    ``lines`` gets the line of each item, counted from 0.
    """
    count, line, at, fresh = 0, 0, 0, True
    spaced = separator in (_SPACE, _TAB)
    while at < len(data):
        start = past_blanks(data, at)
        end, at = item_at(data, start, separator, spaced)
        more = data[at] == separator or (spaced and data[at] == _TAB)
        more = more or (spaced and data[at] == _SPACE)
        if data[at] == _QUOTE or (not more and data[at] < _SPACE and data[at] not in _LINE_BYTES):
            return count, UNUSABLE, at
        if end > start:
            starts[count], ends[count], lines[count] = start, end, line
            count += 1
        elif more or not (fresh or spaced):
            return count, EMPTY, at
        fresh = not more
        if more:
            at += 1
            continue
        at, problem = next_line(data, at)
        if problem != LINE_ENDS:
            return count, UNUSABLE, at
        line += 1
    return count, FINE, at
