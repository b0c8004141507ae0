"""Kernels that cut rows along lines which are the same for everyone: a tree of cells of items."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Offsets
from recloak.core.kernels import inner_kernel, kernel


@inner_kernel
def middle_of(codes: Codes, order: Offsets, start: int, end: int, bit: int) -> int:
    """Where those that have the bit begin, among ratings that ascend by their code."""
    at = start
    while at < end and codes[order[at]] >> bit & 1 == 0:
        at += 1
    return at


@inner_kernel
def cut_row(
    codes: Codes, order: Offsets, depth: int, limit: float, ends: Offsets, levels: Codes
) -> int:
    """Cut a row, whose ratings ``order`` puts in the order of their codes, into fragments.

    A cell is halved while it holds more than ``limit`` of the row's ratings. ``ends`` gets where
    each fragment ends, ``levels`` how often its cell was halved. The number of fragments.
    """
    first, last = np.empty(depth + 2, np.int64), np.empty(depth + 2, np.int64)
    deep = np.empty(depth + 2, np.int32)
    first[0], last[0], deep[0] = 0, len(order), 0
    waiting, count = 1, 0
    while waiting > 0:
        waiting -= 1
        start, end, level = first[waiting], last[waiting], deep[waiting]
        if end - start <= limit or level == depth:
            ends[count], levels[count] = end, level
            count += 1
            continue
        middle = middle_of(codes, order, start, end, depth - 1 - level)
        for left, right in ((middle, end), (start, middle)):  # the first half comes off first
            if left < right:
                first[waiting], last[waiting], deep[waiting] = left, right, level + 1
                waiting += 1
    return count


@kernel
def count_cuts(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    code_of: Codes,
    depth: int,
    limits: Floats,
    out: Offsets,
) -> None:
    """How many fragments each row is cut into."""
    for row in range(first, end):
        codes = code_of[items[offsets[row] : offsets[row + 1]]]
        ends, levels = np.empty(len(codes), np.int64), np.empty(len(codes), np.int32)
        order = np.argsort(codes, kind="mergesort")
        out[row] = cut_row(codes, order, depth, limits[row], ends, levels) if len(codes) else 0


@kernel
def cut_rows(
    first: int,
    end: int,
    offsets: Offsets,
    items: Codes,
    code_of: Codes,
    depth: int,
    limits: Floats,
    starts: Offsets,
    fragment: Codes,
    cells: Codes,
    levels: Codes,
) -> None:
    """The fragment of each rating within its row; of each fragment the path to its cell and how
    often this was halved.
    """
    for row in range(first, end):
        codes = code_of[items[offsets[row] : offsets[row + 1]]]
        if len(codes) == 0:
            continue
        ends = np.empty(len(codes), np.int64)
        order = np.argsort(codes, kind="mergesort")
        own = levels[starts[row] : starts[row + 1]]
        count = cut_row(codes, order, depth, limits[row], ends, own)
        at = 0
        for part in range(count):
            cells[starts[row] + part] = codes[order[at]] >> (depth - own[part])
            while at < ends[part]:
                fragment[offsets[row] + order[at]] = part
                at += 1


@kernel
def fragment_on_path(
    users: Offsets,
    items: Offsets,
    code_of: Codes,
    depth: int,
    starts: Offsets,
    cells: Codes,
    levels: Codes,
) -> Offsets:
    """The fragment that predicts for each cell: the one whose path goes along with the item's for
    longest; the first for an unknown item, -1 for an empty row.
    """
    found = np.empty(len(users), np.int64)
    for cell in range(len(users)):
        user, item = users[cell], items[cell]
        found[cell] = starts[user] if starts[user + 1] > starts[user] else -1
        if item < 0:
            continue
        longest = -1
        for at in range(starts[user], starts[user + 1]):
            apart, shared = (code_of[item] >> (depth - levels[at])) ^ cells[at], levels[at]
            while apart > 0:
                apart >>= 1
                shared -= 1
            if shared > longest:
                longest, found[cell] = shared, at
    return found
