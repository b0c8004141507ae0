"""Kernels that find ε-proximate records: bits for answers, candidates shared by equal beginnings.

An answer is a ladder of bits, one for each level that it is above. To be within ε of an answer
means that one rung is reached and another is not: two bits of ``rungs`` that must be as in
``due``. Records of one null pattern are in order of their answers, so that records which begin
alike stand together and share the candidates that their beginning leaves. Words hold the last
issues first, so that what those candidates already agree in need not be compared again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Codes, Integers, Levels, Offsets, Words
from recloak.core.kernels import inner_kernel, kernel

NULL = -1
CHUNK = 256  # candidates that are compared before anyone looks
FEWEST = 16  # records that must begin alike for a list of candidates of their own to pay
DEEPEST = 24  # issues that lists of candidates are made for


class Ladders(NamedTuple):
    """A row for each word, a column for each record."""

    own: Words
    rungs: Words
    due: Words


class DistinctRecords(NamedTuple):
    """``levels`` has a row for each issue; each record stands for ``people`` with ``moments``."""

    levels: Levels
    people: Codes
    moments: Integers


@inner_kernel
def set_bit(words: Words, bit: int, record: int) -> None:
    """Set a bit of a record."""
    words[bit >> 6, record] |= np.uint64(1) << np.uint64(bit & 63)


@kernel
def ladder_bits(levels: Levels, r: int, epsilon: int) -> tuple[Words, Words, Words]:
    """The bits of records that are columns of ``levels``; none for what was not answered."""
    issues, records = levels.shape
    shape = ((issues * (r - 1) + 63) // 64, records)
    own, rungs = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64)
    due = np.zeros(shape, np.uint64)
    for issue in range(issues):
        lowest = (issues - 1 - issue) * (r - 1)
        for record in range(records):
            level = levels[issue, record]
            for rung in range(level):
                set_bit(own, lowest + rung, record)
            if level != NULL and level + epsilon < r - 1:
                set_bit(rungs, lowest + level + epsilon, record)
            if level - epsilon > 0:
                set_bit(rungs, lowest + level - epsilon - 1, record)
                set_bit(due, lowest + level - epsilon - 1, record)
    return own, rungs, due


@inner_kernel
def keep_near(column: Levels, level: int, epsilon: int, given: Codes, kept: Codes) -> int:
    """Copy those of ``given`` whose answer is within ε of ``level``; returns how many."""
    found = 0
    for candidate in given:
        kept[found] = candidate
        found += abs(column[candidate] - level) <= epsilon
    return found


@inner_kernel
def end_of_run(column: Levels, first: int, last: int) -> int:
    """Where the records that answer as ``first`` does end; the column ascends up to ``last``."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if column[middle] == column[first]:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def gather(own: Words, words: int, candidates: Codes, near: Words) -> None:
    """The first words of the candidates, one beside the other."""
    for word in range(words):
        ours, theirs = near[word], own[word]
        for at in range(len(candidates)):
            ours[at] = theirs[candidates[at]]


@inner_kernel
def compare(
    near: Words, words: int, start: int, ladders: Ladders, record: int, clash: Words
) -> int:
    """Where candidates from ``start`` on are too far from ``record``; returns how many are not."""
    clash[:] = 0
    for word in range(words):
        row = near[word][start : start + len(clash)]  # contiguous, so that it is vectorised
        rungs, due = ladders.rungs[word, record], ladders.due[word, record]
        for at in range(len(clash)):
            clash[at] |= (row[at] ^ due) & rungs
    proximate = 0
    for at in range(len(clash)):
        proximate += clash[at] == 0
    return proximate


@inner_kernel
def pick(clash: Words, candidates: Codes, picked: Codes) -> int:
    """The candidates without a clash; no branch, since none would be foreseen."""
    hits = 0
    for at in range(len(candidates)):
        picked[hits] = candidates[at]
        hits += clash[at] == 0
    return hits


@inner_kernel
def count_people(
    near: Words,
    words: int,
    candidates: Codes,
    ladders: Ladders,
    record: int,
    records: DistinctRecords,
    enough: int,
    clash: Words,
    picked: Codes,
    sums: Integers,
) -> int:
    """How many people are proximate to ``record``, up to ``enough``; adds up their moments."""
    total = 0
    for start in range(0, len(candidates), CHUNK):
        end = min(start + CHUNK, len(candidates))
        if compare(near, words, start, ladders, record, clash[: end - start]) == 0:
            continue
        hits = pick(clash, candidates[start:end], picked)
        for at in range(hits):
            total += records.people[picked[at]]
        for one in range(records.moments.shape[1]):
            added = 0
            for at in range(hits):
                added += records.moments[picked[at], one]
            sums[record, one] += added
        if total >= enough:
            break
    return total


@inner_kernel
def answered_issues(levels: Levels, record: int) -> Offsets:
    """The first issues that ``record`` answers, and with it its null pattern; then where to go on.

    The last entry is the first issue that is not among them, or the number of issues.
    """
    issues = np.full(DEEPEST + 1, len(levels), np.int64)
    count = 0
    for issue in range(len(levels)):
        if levels[issue, record] != NULL:
            issues[count] = issue
            if count == DEEPEST:
                break
            count += 1
    return issues[: min(count, DEEPEST) + 1]


@inner_kernel
def search_range(
    pattern: Offsets,
    wanted: Offsets,
    records: DistinctRecords,
    ladders: Ladders,
    epsilon: int,
    r: int,
    enough: int,
    sizes: Integers,
    sums: Integers,
) -> None:
    """Neighbours of ``wanted`` records among those of their ``pattern`` (both: first, last)."""
    levels, members = records.levels, pattern[1] - pattern[0]
    issues = answered_issues(levels, pattern[0])
    lists = np.empty((len(issues), members), np.int32)
    lists[0] = np.arange(pattern[0], pattern[1])
    counts = np.full(len(issues), members, np.int64)
    ends = np.full(len(issues), wanted[1], np.int64)
    near = np.empty((len(ladders.own), members), np.uint64)
    clash, picked = np.empty(CHUNK, np.uint64), np.empty(CHUNK + 1, np.int32)
    gathered, words, depth, record = -1, 0, 0, wanted[0]
    while record < wanted[1]:
        while ends[depth] <= record:
            depth, gathered = depth - 1, -1
        end = ends[depth]
        while depth < len(issues) - 1:
            column = levels[issues[depth]]
            end = end_of_run(column, record, ends[depth])
            if end - record < FEWEST:
                break
            given = lists[depth, : counts[depth]]
            depth, gathered = depth + 1, -1
            counts[depth] = keep_near(column, column[record], epsilon, given, lists[depth])
            ends[depth] = end
        candidates = lists[depth, : counts[depth]]
        if gathered != depth:
            words = ((len(levels) - issues[depth]) * (r - 1) + 63) // 64
            gather(ladders.own, words, candidates, near)
            gathered = depth
        for one in range(record, end):
            sizes[one] = records.people[one]
            if sizes[one] < enough:
                sizes[one] = count_people(
                    near, words, candidates, ladders, one, records, enough, clash, picked, sums
                )
        record = end


@kernel
def search(
    patterns: Offsets,
    ranges: Offsets,
    records: DistinctRecords,
    ladders: Ladders,
    epsilon: int,
    r: int,
    enough: int,
    sizes: Integers,
    sums: Integers,
) -> None:
    """`search_range` for each row of ``patterns`` and ``ranges``; fills ``sizes`` and ``sums``.

    Counting stops at ``enough`` people.
    """
    for at in range(len(patterns)):
        search_range(patterns[at], ranges[at], records, ladders, epsilon, r, enough, sizes, sums)
