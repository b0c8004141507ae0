"""Checking: the chain of digests, and the bound of each release with the ratings that it covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from recloak.core.errors import InputError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.findings import Verdict
from recloak.guarantees.delta_bound import DeltaBound
from recloak.lists.store.records import ReleaseRecord, StoredLists, names_of_window, ratings_digest
from recloak.lists.store.store import Store, StoreTransaction
from recloak.releases.lists.history import History


def check_chain(store: Store, known: str | None = None) -> tuple[ReleaseRecord, ...]:
    """All releases; refused if any fact or list is not what was published.

    Who rewrites the whole chain is found by ``known``, a digest that was noted elsewhere.
    """
    with store.reading() as transaction:
        records, rotated = transaction.records(), transaction.rotated()
        for record in records:
            if record.number not in rotated:
                transaction.texts(record)
    if known is not None and known not in {record.digest for record in records}:
        raise InputError(
            "the digest that you noted is not in the chain: releases were rewritten or taken away",
            where=store.where,
        )
    return tuple(records)


def verify_store(
    store: Store, originals: Sequence[Ratings], progress: Progress = SILENT
) -> tuple[Verdict, ...]:
    """A verdict on each release, with the first of ``originals`` that has the ratings it covers.

    That may be all ratings of one of them, or the first so many in the order of their times.
    """
    with store.reading() as transaction:
        records, rotated = transaction.records(), transaction.rotated()
        found = _covering(records, originals)
        verdicts = []
        with progress.task("Verifying releases", len(records)) as task:
            for record in records:
                verdicts.append(_verdict(transaction, record, records, rotated, found, progress))
                task.advance()
    return tuple(verdicts)


def check_release(
    record: ReleaseRecord,
    window: Sequence[StoredLists],
    ratings: Ratings,
    progress: Progress = SILENT,
) -> Verdict:
    """Attack the last of ``window``, the lists of ``record``, with the ratings that it covers."""
    checker = DeltaBound(delta=record.delta, window=record.window)
    labels = np.array(names_of_window(window), dtype=object)
    releases = [one.in_codes(labels, ratings.n_ratings) for one in window]
    last = replace(releases[-1], protected=True)
    history = History(
        (*(replace(one, protected=False) for one in releases[:-1]), last), record.window
    )
    if ratings.times is None:
        ratings = replace(ratings, times=np.zeros(ratings.n_ratings, np.int64))
    verdict = checker.check_history(history, ratings, progress)
    claim = f"delta-bound:delta={record.delta},window={record.window} (release {record.number:03d})"
    return replace(verdict, claim=claim)


def _covering(records: Sequence[ReleaseRecord], originals: Sequence[Ratings]) -> dict[int, Ratings]:
    """The ratings that each release covers, where they are given."""
    found: dict[int, Ratings] = {}
    for ratings in originals:
        timed = ratings.times is not None
        ordered = (
            ratings if timed else replace(ratings, times=np.zeros(ratings.n_ratings, np.int64))
        )
        timeline = Timeline(ordered)
        for record in records:
            fits = record.n_ratings <= ratings.n_ratings if timed else (
                record.n_ratings == ratings.n_ratings
            )  # fmt: skip
            if record.number in found or not fits:
                continue
            snapshot = timeline.at(record.n_ratings)
            if ratings_digest(snapshot) == record.ratings_digest:
                found[record.number] = snapshot.ratings
    return found


def _verdict(
    transaction: StoreTransaction,
    record: ReleaseRecord,
    records: Sequence[ReleaseRecord],
    rotated: set[int],
    found: Mapping[int, Ratings],
    progress: Progress,
) -> Verdict:
    first = max(0, record.number - record.window + 1)
    window = records[first : record.number + 1]
    claim = f"delta-bound:delta={record.delta},window={record.window} (release {record.number:03d})"
    if not record.protected:
        return Verdict(f"none (release {record.number:03d})", "holds", "Nothing was promised.")
    if any(one.number in rotated for one in window):
        return Verdict(claim, "undecided", "Lists of its window were put away.")
    if record.number not in found:
        how = "None of the given ratings are those that it covers; give them with --original."
        return Verdict(claim, "undecided", how)
    published = [transaction.lists(one) for one in window]
    return check_release(record, published, found[record.number], progress)
