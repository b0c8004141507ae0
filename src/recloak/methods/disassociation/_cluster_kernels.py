"""Kernels that put people into clusters, and clusters into joints, by what they have in common."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Mask, Offsets
from recloak.core.kernels import kernel
from recloak.core.kernels.layout import first_at_least

TERM_CHUNK = -1  # where a rating stands: a record chunk from 0 on, a shared chunk from -3 down
LEFT_OUT = -2
FIRST_SHARED = -3


@kernel
def count_terms(people: Codes, offsets: Offsets, terms: Codes, support: Codes, change: int) -> None:
    """Add ``change`` to the support of each term for each of the people who holds it."""
    for person in people:
        for at in range(offsets[person], offsets[person + 1]):
            support[terms[at]] += change


@kernel
def dividing_term(support: Codes, size: int, least: int) -> int:
    """The most frequent term that leaves ``least`` people on either side, -1 for none."""
    best = -1
    for term in range(len(support)):
        if least <= support[term] <= size - least and (best < 0 or support[term] > support[best]):
            best = term
    return best


@kernel
def bring_forward(people: Codes, offsets: Offsets, terms: Codes, term: int) -> int:
    """Put those who hold the term first, in place; returns how many they are."""
    front = 0
    for at in range(len(people)):
        person = people[at]
        end = offsets[person + 1]
        there = first_at_least(terms, offsets[person], end, term)
        if there < end and terms[there] == term:
            people[at] = people[front]
            people[front] = person
            front += 1
    return front


@kernel
def split(
    people: Codes, offsets: Offsets, terms: Codes, n_terms: int, least: int, most: int
) -> Offsets:
    """Put people in the order of their clusters, in place; returns where clusters start.

    Splits on the most frequent term that leaves ``least`` people on either side until at most
    ``most`` are together; where no term does, they are cut into equal parts. The larger side
    keeps the counts and the smaller is counted again, so a rating is seen a logarithmic number
    of times.
    """
    support = np.zeros(n_terms, np.int32)
    starts = np.empty(len(people) + 1, np.int64)
    pending = np.zeros((len(people) // least + 2, 2), np.int64)
    pending[0, 1] = len(people)
    n_starts, n_pending = 0, 1
    while n_pending > 0:
        n_pending -= 1
        start, end = pending[n_pending]
        count_terms(people[start:end], offsets, terms, support, 1)
        while end - start > most:
            term = dividing_term(support, int(end - start), least)
            if term < 0:
                break
            middle = start + bring_forward(people[start:end], offsets, terms, term)
            low, high = (start, middle) if middle - start <= end - middle else (middle, end)
            pending[n_pending, 0], pending[n_pending, 1] = low, high
            n_pending += 1
            count_terms(people[low:high], offsets, terms, support, -1)
            if low == start:
                start = middle
            else:
                end = middle
        count_terms(people[start:end], offsets, terms, support, -1)
        parts = (end - start + most - 1) // most
        for part in range(parts):
            starts[n_starts] = start + part * (end - start) // parts
            n_starts += 1
    return starts[:n_starts]


@kernel
def mark_shareable(
    people: Codes,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    place: Codes,
    k: int,
    support: Codes,
    barred: Mask,
) -> None:
    """Fill ``barred`` for the items of these people that cannot go to shared chunks.

    An item can if it stands in no record chunk of theirs and each of its values is held by k.
    """
    for person in people:
        for at in range(offsets[person], offsets[person + 1]):
            support[terms[at]] += 1
            if place[at] >= 0:
                barred[item_of[terms[at]]] = True
    for person in people:
        for at in range(offsets[person], offsets[person + 1]):
            if support[terms[at]] < k:
                barred[item_of[terms[at]]] = True


@kernel
def forget_marks(
    people: Codes,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    support: Codes,
    barred: Mask,
) -> None:
    """Undo `mark_shareable`."""
    for person in people:
        for at in range(offsets[person], offsets[person + 1]):
            support[terms[at]] = 0
            barred[item_of[terms[at]]] = False


@kernel
def terms_staying(
    people: Codes,
    starts: Offsets,
    offsets: Offsets,
    terms: Codes,
    item_of: Codes,
    place: Codes,
    barred: Mask,
    complete: Mask,
    seen: Codes,
) -> int:
    """How many terms stay in the term chunks of these clusters if they share what is not barred.

    -1 if a cluster would be left without terms although its chunks are not ``complete`` alone.
    ``seen`` holds -1 for each term, and does so again afterwards.
    """
    staying, sound = 0, True
    for cluster in range(len(starts) - 1):
        before = staying
        members = people[starts[cluster] : starts[cluster + 1]]
        for person in members:
            for at in range(offsets[person], offsets[person + 1]):
                term = terms[at]
                if place[at] == TERM_CHUNK and barred[item_of[term]] and seen[term] != cluster:
                    seen[term] = cluster
                    staying += 1
        sound = sound and (staying > before or complete[cluster])
    for person in people[starts[0] : starts[-1]]:
        for at in range(offsets[person], offsets[person + 1]):
            seen[terms[at]] = -1
    return staying if sound else -1
