"""The bitmap route: records by null pattern, equal ones once, in blocks that threads search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import (
    Floats,
    Integers,
    Levels,
    Mask,
    places_within,
)
from recloak.core.parallel import in_threads
from recloak.core.progress import Task
from recloak.core.survey import NULL
from recloak.core.survey.patterns import first_of_each, record_order
from recloak.guarantees.proximity._bitmap_kernels import (
    DistinctRecords,
    Ladders,
    ladder_bits,
    search,
)

BLOCK = 4096
SUSPECTS = 64


@dataclass(frozen=True)
class RecordBlocks:
    """Distinct records in order, and ranges of them with the bounds of their null patterns.

    ``member`` is a record that each of them stands for, ``of_record`` the distinct record of each
    record. ``sizes`` and ``sums`` are what has been found so far.
    """

    records: DistinctRecords
    ladders: Ladders
    patterns: Integers
    ranges: Integers
    edges: Integers
    member: Integers
    of_record: Integers
    epsilon: int
    r: int
    sizes: Integers
    sums: Integers

    @classmethod
    def of(cls, known: Levels, moments: Integers, epsilon: int, r: int) -> RecordBlocks:
        """Put records in order, those issues first in which people differ most."""
        issues = np.argsort(_agreement(known, epsilon, r), kind="stable")
        order = record_order(known, issues, r)
        starts, number = first_of_each(known[order])
        member = order[starts]
        of_record = np.empty(len(known), np.int64)
        of_record[order] = number
        people = np.diff(np.append(starts, len(known))).astype(np.int32)
        together = np.add.reduceat(moments[order], starts, axis=0)
        levels = np.ascontiguousarray(known[member][:, issues].T)
        patterns, ranges, edges = _ranges(known[member] != NULL)
        return cls(
            records=DistinctRecords(levels, people, together),
            ladders=Ladders(*ladder_bits(levels, r, epsilon)),
            patterns=patterns,
            ranges=ranges,
            edges=edges,
            member=member,
            of_record=of_record,
            epsilon=epsilon,
            r=r,
            sizes=np.zeros(len(member), np.int64),
            sums=np.zeros_like(together),
        )

    def __len__(self) -> int:
        """The number of blocks: ranges that are searched in one go."""
        return len(self.edges) - 1

    def run(self, first: int, last: int, enough: int, task: Task) -> Integers:
        """Search some blocks side by side; returns the distinct records that were looked at."""

        def work(start: int, end: int) -> None:
            here = slice(self.edges[start], self.edges[end])
            self._search(self.patterns[here], self.ranges[here], enough)

        in_threads(work, [(at, at + 1) for at in range(first, last)], task)
        inside = slice(self.edges[first], self.edges[last])
        return np.arange(self.ranges[inside][0, 0], self.ranges[inside][-1, 1])

    def probe(self, enough: int) -> Integers:
        """Look at the records that few can be near to, judged issue by issue."""
        levels, bounds = self.records.levels, self.ranges[:, 1]
        score = np.zeros(levels.shape[1])
        for column in levels:
            near = np.log(np.maximum(_near_shares(column, self.epsilon, self.r), 1e-9))
            score += np.where(column == NULL, 0.0, near[column])
        suspects = np.sort(np.argsort(score, kind="stable")[:SUSPECTS])
        patterns = self.patterns[np.searchsorted(bounds, suspects, side="right")]
        self._search(patterns, np.stack([suspects, suspects + 1], axis=1), enough)
        return suspects

    def found(self) -> tuple[Integers, Integers]:
        """Sizes and sums of the neighbourhood of each record."""
        return self.sizes[self.of_record], self.sums[self.of_record]

    def _search(self, patterns: Integers, ranges: Integers, enough: int) -> None:
        for first, last in ranges:
            self.sums[first:last] = 0
        given = (self.records, self.ladders, self.epsilon, self.r, enough)
        search(patterns, ranges, *given, self.sizes, self.sums)


def _near_shares(column: Levels, epsilon: int, r: int) -> Floats:
    """For each level the share of the answers that are within ε of it."""
    counts = np.bincount(column[column != NULL], minlength=r).astype(np.float64)
    before = np.concatenate([[0.0], np.cumsum(counts)])
    levels = np.arange(r)
    within = before[np.minimum(levels + epsilon + 1, r)] - before[np.maximum(levels - epsilon, 0)]
    return np.asarray(within / max(counts.sum(), 1.0))


def _agreement(known: Levels, epsilon: int, r: int) -> Floats:
    """For each issue how likely two who answer it are within ε."""
    found = np.ones(known.shape[1])
    for issue, column in enumerate(known.T):
        counts = np.bincount(column[column != NULL], minlength=r)
        found[issue] = counts @ _near_shares(column, epsilon, r) / max(counts.sum(), 1)
    return found


def _ranges(answered: Mask) -> tuple[Integers, Integers, Integers]:
    """Bounds of patterns, ranges within them, and edges of blocks of some thousand records."""
    starts, _ = first_of_each(answered)
    ends = np.append(starts[1:], len(answered))
    pieces = -(-(ends - starts) // BLOCK)
    pattern = np.repeat(np.arange(len(starts)), pieces)
    first = starts[pattern] + BLOCK * places_within(pieces)
    ranges = np.stack([first, np.minimum(first + BLOCK, ends[pattern])], axis=1)
    patterns = np.stack([starts[pattern], ends[pattern]], axis=1)
    begins, _ = first_of_each((ranges[:, 1:] - 1) // BLOCK)
    return patterns, ranges, np.append(begins, len(ranges))
