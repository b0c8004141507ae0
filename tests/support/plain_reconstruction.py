"""All datasets that a disassociated release may have come from, one by one: plain, for few people.

A dataset is consistent with a joint if each sub-record of a chunk is part of one record of the
cluster (of any cluster of the joint, if it is shared), no two of the same chunk of the same record;
each term of the term chunk is held by at least one record of the cluster; no record holds an item
twice, and none is empty, unless terms were left out before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from recloak.releases.disassociated import RECORD, SHARED, TERM, DisassociatedRelease

Term = Any  # (item, value), or the item alone where values do not count
Record = frozenset[Term]


class TooManyError(Exception):
    """There are more datasets than may be looked at."""


class Patience:
    """How many pieces may still be handed out before the search is given up."""

    def __init__(self, steps: float = float("inf")) -> None:
        self.steps = steps

    def spend(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise TooManyError


@dataclass(frozen=True)
class Piece:
    """A chunk, or a single term, and the records that it may be given to."""

    subrecords: tuple[Record, ...]
    places: tuple[int, ...]
    is_term: bool

    @property
    def domain(self) -> Record:
        return frozenset().union(*self.subrecords)

    def has_place(self, records: list[Record]) -> bool:
        """Can one of the records still take the term?"""
        return not all(clash(records[place], self.domain) for place in self.places)

    def placements(self) -> Iterator[dict[int, Record]]:
        """Every way to hand it out: a term to some records, sub-records to one each."""
        if self.is_term:
            for size in range(len(self.places), 0, -1):
                for chosen in combinations(self.places, size):
                    yield dict.fromkeys(chosen, self.subrecords[0])
            return
        yield from handed_out(list(Counter(self.subrecords).items()), self.places)


def handed_out(
    alike: list[tuple[Record, int]], places: tuple[int, ...]
) -> Iterator[dict[int, Record]]:
    """Every way to give sub-records, so many of each, to places of their own."""
    if not alike:
        yield {}
        return
    (subrecord, count), *others = alike
    for chosen in combinations(places, count):
        free = tuple(place for place in places if place not in chosen)
        for rest in handed_out(others, free):
            yield dict.fromkeys(chosen, subrecord) | rest


@dataclass(frozen=True)
class Joint:
    """The pieces of one joint, and the records of each of its clusters."""

    pieces: tuple[Piece, ...]
    clusters: tuple[tuple[int, ...], ...]
    may_be_empty: bool = False

    @property
    def n_records(self) -> int:
        return sum(map(len, self.clusters))


def item_of(term: Term) -> Any:
    return term[0] if isinstance(term, tuple) else term


def joint_of(
    release: DisassociatedRelease, joint: int, values: bool = True, may_be_empty: bool = False
) -> Joint:
    """What the release tells about one joint."""
    table, rows = release.clusters, release.ratings
    members = np.flatnonzero(table.joint == joint).tolist()
    ends = np.cumsum([table.records[member] for member in members]).tolist()
    starts = [0, *ends[:-1]]
    clusters = tuple(tuple(range(*span)) for span in zip(starts, ends, strict=True))
    everyone = tuple(range(ends[-1]))
    chunks: dict[tuple[int, int, int], list[Record]] = {}
    for row in range(rows.n_users):
        kind, group = int(table.kind[row]), int(table.group[row])
        if (kind == SHARED and group == joint) or (kind != SHARED and group in members):
            number = row if kind == TERM else int(table.chunk[row])
            cells = zip(*(part.tolist() for part in rows.row(row)), strict=True)
            record = frozenset(cell if values else cell[0] for cell in cells)
            chunks.setdefault((kind, group, number), []).append(record)
    pieces = []
    for (kind, group, _), subrecords in sorted(chunks.items(), key=lambda entry: entry[0]):
        places = everyone if kind == SHARED else clusters[members.index(group)]
        pieces.append(Piece(tuple(subrecords), places, kind == TERM))
    assert RECORD < SHARED < TERM
    return Joint(tuple(pieces), clusters, may_be_empty)


def reconstructions(
    joint: Joint,
    group: tuple[int, ...] = (),
    wanted: Record = frozenset(),
    patience: Patience | None = None,
) -> Iterator[list[Record]]:
    """Every consistent dataset of the joint in which all records of ``group`` hold ``wanted``."""
    patience = patience or Patience()
    # Chunks come before terms and what is wanted first: what cannot succeed is given up early.
    pieces = sorted(joint.pieces, key=lambda at: (at.is_term, at.domain.isdisjoint(wanted)))

    def extended(at: int, records: list[Record]) -> Iterator[list[Record]]:
        if at == len(pieces):
            if joint.may_be_empty or all(records):
                yield records
            return
        later = frozenset().union(*(piece.domain for piece in pieces[at + 1 :]))
        for placed in pieces[at].placements():
            patience.spend()
            if any(clash(records[place], part) for place, part in placed.items()):
                continue
            grown = [held | placed.get(place, frozenset()) for place, held in enumerate(records)]
            if not all(may_yet_hold(grown[member], wanted, later) for member in group):
                continue
            if all(piece.has_place(grown) for piece in pieces[at + 1 :] if piece.is_term):
                yield from extended(at + 1, grown)

    yield from extended(0, [frozenset()] * joint.n_records)


def may_yet_hold(record: Record, wanted: Record, later: Record) -> bool:
    """Can what the record lacks still come, without an item that it has already?"""
    missing = wanted - record
    return missing <= later and not clash(record, missing)


def clash(record: Record, part: Record) -> bool:
    """Would the record hold an item twice?"""
    return not {item_of(term) for term in record}.isdisjoint({item_of(term) for term in part})


def groups_of(joint: Joint, size: int) -> Iterator[tuple[int, ...]]:
    """Sets of ``size`` records; records of a cluster are all alike, so its first ones will do."""
    for chosen in combinations(range(joint.n_records), size):
        if all(
            sorted(set(chosen) & set(cluster)) == list(cluster[: len(set(chosen) & set(cluster))])
            for cluster in joint.clusters
        ):
            yield chosen


def may_be_held(joint: Joint, wanted: Record, by: int, patience: Patience | None = None) -> bool:
    """Is there a consistent dataset in which at least ``by`` records hold all of ``wanted``?"""
    return any(
        next(reconstructions(joint, group, wanted, patience), None) is not None
        for group in groups_of(joint, by)
    )


def exposed_sets(joint: Joint, k: int, m: int, patience: Patience | None = None) -> list[Record]:
    """The sets of at most m terms that somebody may hold, but never k people: none, it is hoped.

    Raises `TooManyError` when ``patience`` is at its end.
    """
    terms = sorted(frozenset().union(*(piece.domain for piece in joint.pieces)))
    return [
        wanted
        for size in range(1, m + 1)
        for wanted in map(frozenset, combinations(terms, size))
        if len({item_of(term) for term in wanted}) == size
        and not may_be_held(joint, wanted, k, patience)
        and may_be_held(joint, wanted, 1, patience)
    ]
