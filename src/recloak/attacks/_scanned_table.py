"""A table that is scanned: tries are held against all of its rows, of which few are in memory.

Those who are sought, and what is known of them, are of a sample of people; their rivals are all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from recloak.attacks._all_rows import among_all, support_of
from recloak.attacks._attacked_table import unprotected_context
from recloak.attacks._match_rules import MatchRule, has_times, known_ratings_of
from recloak.attacks._postings import KnownRatings, rows_of
from recloak.attacks._scan_kernels import (
    NO_ROW,
    KnownByItem,
    OwnRows,
    Scan,
    in_units,
    merged,
    scan_rows,
)
from recloak.attacks._trials import Trials
from recloak.core.arrays import (
    Floats,
    Indices,
    Integers,
    Words,
    match_labels,
    offsets_from,
    places_within,
)
from recloak.core.fingerprints import Fingerprints
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.all_rows import AllRows, Found, RowsBlock
from recloak.evaluation.context import AuditContext


@dataclass(frozen=True)
class ScannedTable:
    """All rows of a table; ``context`` has none of them, and items as they have them.

    ``ids`` are the numbers of the person's rows in the table, by `context.linkage`, and ``prints``
    their fingerprints.
    """

    context: AuditContext
    match_rules: list[MatchRule]
    every: AllRows
    weights: Floats
    days: float
    maker: Fingerprints | None
    ids: Integers
    prints: Words

    @classmethod
    def of_release(
        cls, context: AuditContext, match_rules: list[MatchRule], days: float, progress: Progress
    ) -> ScannedTable:
        """All rows of the release; the context has those of the people of a sample."""
        assert context.everyone is not None
        every, rows = context.everyone.released, context.rows
        numbers = match_labels(rows.item_labels, every.blank.item_labels)
        support = support_of(every, progress)
        found = among_all(context, context.everyone)
        own = _Own(rows.user_labels.astype(np.int64), rows, numbers)
        return cls._of(found, match_rules, every, support, days, own)

    @classmethod
    def of_original(
        cls, context: AuditContext, match_rules: list[MatchRule], days: float
    ) -> ScannedTable:
        """The ratings of all people without any protection; ``context`` has those of a sample."""
        assert context.everyone is not None
        everyone, rows = context.everyone, context.original
        found = unprotected_context(context)
        found = replace(found, rows=everyone.original.blank, everyone=everyone)
        own = _Own(everyone.people, rows, np.arange(rows.n_items))
        return cls._of(found, match_rules, everyone.original, everyone.item_support, days, own)

    @classmethod
    def _of(
        cls,
        context: AuditContext,
        match_rules: list[MatchRule],
        every: AllRows,
        support: Integers,
        days: float,
        own: _Own,
    ) -> ScannedTable:
        weights = 1 / np.log1p(np.maximum(support, 1))
        maker = None if days > 0 and has_times(context) else Fingerprints.fresh(values=True)
        prints = prints_of(maker, own.ids, own.rows, own.numbers)
        return cls(context, match_rules, every, weights, days, maker, own.ids, prints)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.every.n_rows

    def scanned(self, trials: Trials, progress: Progress) -> Iterator[tuple[MatchRule, Scan]]:
        """What all rows hold for each try, by each match rule; they are read once."""
        known = [
            known_ratings_of(self.context, trials, rule, self.days) for rule in self.match_rules
        ]
        own = self._own(np.tile(trials.users, len(known)))
        sought = Sought.of(_joined(known), self.weights, own, self.maker)
        label = f"Seeking people among {self.n_rows:,} rows"
        found = self.every.gathered(sought, _merged, label, progress)
        for at, rule in enumerate(self.match_rules):
            mine = slice(at * len(trials), (at + 1) * len(trials))
            yield rule, Scan(*(column[mine] for column in found))

    def own_alike(self, trials: Trials, scan: Scan) -> Integers:
        """For each try how many of the person's rows look like those that lead."""
        own = self._own(trials.users)
        attempt = np.repeat(np.arange(len(trials)), np.diff(own.offsets))
        alike = (own.prints == scan.leader[attempt]).all(axis=1)
        return np.bincount(attempt[alike], minlength=len(trials))

    def deviations(self, scan: Scan) -> Floats:
        """The deviation of scores over all rows, those without any match included."""
        mean = in_units(scan.scores) / max(self.n_rows, 1)
        squares = in_units(scan.squares) / max(self.n_rows, 1)
        return np.asarray(np.sqrt(np.maximum(squares - mean * mean, 0.0)))

    def with_rows(self, *named: Integers) -> tuple[AuditContext, list[Indices]]:
        """The context with the rows that are named, and where each of them is; -1 for none."""
        ids = np.unique(np.concatenate(named))
        ids = ids[ids != NO_ROW]
        context = replace(self.context, rows=self.every.called(ids))
        places = [np.where(one == NO_ROW, -1, np.searchsorted(ids, one)) for one in named]
        return context, places

    def _own(self, users: Integers) -> OwnRows:
        linkage = self.context.linkage
        counts = np.diff(linkage.offsets)[users]
        rows = linkage.rows[np.repeat(linkage.offsets[users], counts) + places_within(counts)]
        return OwnRows(offsets_from(counts), self.ids[rows], self.prints[rows])


class _Own(NamedTuple):
    """The rows of the people of a sample: numbers, what they hold, and the number of each item."""

    ids: Integers
    rows: Ratings
    numbers: Indices


@dataclass(frozen=True)
class Sought:
    """What is sought in every block: the rows that match what is known in tries."""

    knowledge: KnownRatings
    by_item: KnownByItem
    weights: Floats
    own: OwnRows
    maker: Fingerprints | None

    @classmethod
    def of(
        cls, knowledge: KnownRatings, weights: Floats, own: OwnRows, maker: Fingerprints | None
    ) -> Sought:
        """The known ratings by item, without those of items that no row has."""
        known = np.argsort(knowledge.items, kind="stable")
        known = known[knowledge.items[known] >= 0]
        counts = np.diff(knowledge.offsets)
        tries = np.repeat(np.arange(len(counts)), counts)
        held = np.bincount(knowledge.items[known], minlength=len(weights))
        by_item = KnownByItem(offsets_from(held), known, tries, counts)
        return cls(knowledge, by_item, weights, own, maker)

    def __call__(self, block: RowsBlock) -> Found:
        """A `Scan` of the block."""
        scan = Scan.of_nothing(len(self.by_item.counts))
        prints = prints_of(self.maker, block.ids, block.rows)
        scan_rows(
            rows_of(block.rows),
            block.ids,
            prints,
            self.knowledge,
            self.by_item,
            self.weights,
            self.own,
            scan,
        )
        return scan


def prints_of(
    maker: Fingerprints | None, ids: Integers, rows: Ratings, numbers: Indices | None = None
) -> Words:
    """Fingerprints of rows; without a maker each row is its own, for they may differ in times."""
    if maker is not None:
        return maker.of(rows, numbers)
    return np.stack([ids.astype(np.uint64), np.zeros(len(ids), np.uint64)], axis=1)


def _joined(known: Sequence[KnownRatings]) -> KnownRatings:
    """What is known by several match rules, as so many tries."""
    counts = np.concatenate([np.diff(one.offsets) for one in known])
    columns = (
        [getattr(one, name) for one in known] for name in ("items", "lows", "highs", "times")
    )
    items, lows, highs, times = (np.concatenate(column) for column in columns)
    return KnownRatings(offsets_from(counts), items, lows, highs, times, known[0].seconds)


def _merged(one: Found, other: Found) -> Found:
    return merged(Scan(*one), Scan(*other))
