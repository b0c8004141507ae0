"""The nightly release: protected against the window, verified as stored, then in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Snapshot, Timeline
from recloak.evaluation.findings import Verdict
from recloak.evaluation.refusals import refuse_broken
from recloak.lists.external import ExternalLists, labels_like, with_items
from recloak.lists.incremental_ranking import rank_incrementally
from recloak.lists.protection import Algorithm
from recloak.lists.replay import protect, verified
from recloak.lists.store._ranking_cache import from_bytes, to_bytes
from recloak.lists.store.checking import check_release
from recloak.lists.store.database import WAIT_SECONDS
from recloak.lists.store.records import (
    START,
    ReleaseRecord,
    StoredLists,
    as_text,
    lists_digest,
    named_lists,
    names_of_window,
    ratings_digest,
)
from recloak.lists.store.store import Store, StoreTransaction
from recloak.recommenders.similarity import Cosine, Ranked, Similarity
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import EMPTY, Slots

EXTERNAL = "own"


@dataclass(frozen=True)
class Released:
    """What a run published: ``n_reranked`` items were ranked from scratch."""

    record: ReleaseRecord
    verdict: Verdict
    n_reranked: int
    filled: float


def release_next(
    store: Store,
    ratings: Ratings,
    algorithm: Algorithm,
    similarity: Similarity | None = None,
    *,
    external: ExternalLists | None = None,
    use_cache: bool = True,
    wait: float = WAIT_SECONDS,
    progress: Progress = SILENT,
) -> Released:
    """Publish the lists of these ratings as the next release of ``store``, whole or not at all.

    ``external`` are the lists and scores of another recommender, in place of ``similarity``. The
    lock is held from reading the history to the end, so that no other release comes in between.
    """
    _refuse_weaker(algorithm)
    if external:
        external.refuse_other_count(1)
        ratings = external.known_to(ratings)
    if not ratings.n_ratings:
        raise InputError("there are no ratings, so there is nothing to publish")
    with store.writing(wait) as transaction:
        records = transaction.records()
        window = [transaction.lists(one) for one in _window(transaction, records, algorithm)]
        ratings, history = laid_out(ratings, window, algorithm.parameters.window)
        measure = similarity or Cosine()
        timeline = Timeline(ratings)
        snapshot = timeline.at(ratings.n_ratings)
        if external:
            ranked, n_reranked = _external_ranking(external, ratings, algorithm), 0
        else:
            ranking = _Ranking(history, algorithm, measure, progress)
            ranked, n_reranked = ranking.with_cache(transaction, snapshot, use_cache=use_cache)
        facts = ReleaseRecord(
            number=len(records),
            published_at=now(),
            protected=True,
            delta=algorithm.parameters.delta,
            window=algorithm.parameters.window,
            top=algorithm.parameters.top,
            algorithm=algorithm.name,
            similarity=EXTERNAL if external else measure.name,
            n_items=0,
            n_ratings=ratings.n_ratings,
            ratings_digest=ratings_digest(snapshot),
            lists_digest="",
        )
        night = _Night(transaction, facts, records[-1].digest if records else START, window)
        made = protect(
            history,
            timeline,
            ratings.n_ratings,
            algorithm,
            ranked=ranked,
            label=f"{len(records):03d}",
            progress=progress,
        )
        record, verdict = night.stored(made, ratings, progress)
        if not verdict.holds:  # so rare that lists are repaired only once they were refused
            transaction.withdraw(record)
            made = verified(made, timeline, algorithm, progress)
            record, verdict = night.stored(made, ratings, progress)
        refuse_broken([verdict], transaction.where)
    filled = made.releases[-1].lists.n_filled / max(1, record.n_items * record.top)
    return Released(record, verdict, n_reranked, filled)


def laid_out(ratings: Ratings, window: Sequence[StoredLists], size: int) -> tuple[Ratings, History]:
    """The ratings with all items that the window names, and the window in their codes.

    What was published counts, whether its items or ratings are still there or not.
    """
    if ratings.times is None:  # everything that there is was given before now
        ratings = replace(ratings, times=np.zeros(ratings.n_ratings, np.int64))
    ratings = with_items(ratings, labels_like(ratings, names_of_window(window)))
    labels, n_ratings = ratings.item_labels, ratings.n_ratings
    releases = tuple(one.in_codes(labels, n_ratings) for one in window)
    return ratings, History(releases, size)


def now() -> str:
    """The present moment, as stores and answers write it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _window(
    transaction: StoreTransaction, records: list[ReleaseRecord], algorithm: Algorithm
) -> list[ReleaseRecord]:
    window = records[-(algorithm.parameters.window - 1) :]
    rotated = transaction.rotated()
    gone = [record.number for record in window if record.number in rotated]
    if gone:
        raise ParameterError(
            f"the lists of release {gone[-1]} were put away, but the window reaches back to it",
            where="--window",
            hint=f"Use at most {records[-1].number - gone[-1] + 1}.",
        )
    return window


def _external_ranking(external: ExternalLists, ratings: Ratings, algorithm: Algorithm) -> Ranked:
    parameters = algorithm.parameters
    return external.ranked(0, ratings, parameters.top, parameters.depth)


@dataclass(frozen=True)
class _Ranking:
    """Ranks the items of a night, with what the nights before left."""

    history: History
    algorithm: Algorithm
    similarity: Similarity
    progress: Progress

    def with_cache(
        self, transaction: StoreTransaction, snapshot: Snapshot, *, use_cache: bool
    ) -> tuple[Ranked, int]:
        """The ranking, and the number of items ranked from scratch; the cache is replaced."""
        parameters, releases = self.algorithm.parameters, self.history.releases
        last: Slots | None = releases[-1].lists.widened(parameters.top) if releases else None
        again = rank_incrementally(
            snapshot,
            self.similarity,
            parameters.top,
            depth=parameters.depth,
            delta=self.algorithm.delta,
            before=last,
            cache=from_bytes(transaction.ranking_cache()) if use_cache else None,
            progress=self.progress,
        )
        transaction.set_ranking_cache(to_bytes(again.cache) if use_cache else None)
        return again.ranked, again.n_reranked


def _texts(made: DatedLists, ratings: Ratings) -> dict[str, str]:
    """The lists of all items that somebody rated, or that a shop has a list for."""
    assert made.raw is not None
    listed = (made.raw.slots != EMPTY).any(axis=1)
    lists = named_lists(made.lists, listed | (ratings.item_support > 0))
    return {item: as_text(entries) for item, entries in lists.items()}


@dataclass(frozen=True)
class _Night:
    """Where a release is stored: its facts but the lists, and what stands before it."""

    transaction: StoreTransaction
    facts: ReleaseRecord
    before: str
    window: Sequence[StoredLists]

    def stored(
        self, made: History, ratings: Ratings, progress: Progress
    ) -> tuple[ReleaseRecord, Verdict]:
        """Store the last release, and attack what the database gives back.

        Only if the verdict holds may the transaction end well.
        """
        transaction, texts = self.transaction, _texts(made.releases[-1], ratings)
        digest = lists_digest(texts)
        record = replace(self.facts, n_items=len(texts), lists_digest=digest).chained(self.before)
        transaction.add(record, texts)
        if transaction.records()[-1] != record:
            what = "what was written cannot be read back the same"
            raise MachineError(what, where=transaction.where)
        published = [*self.window, transaction.lists(record)]
        return record, check_release(record, published, ratings, progress)


def _refuse_weaker(algorithm: Algorithm) -> None:
    if algorithm.parameters.new_raters_only:
        raise ParameterError(
            "cannot be promised for a store: ratings may be erased, changed or come late, so that "
            "who is new cannot be parameters",
            where="--new-raters-only",
        )
