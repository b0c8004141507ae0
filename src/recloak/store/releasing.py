"""Releasing: the nightly step. Protected against what was published, verified, in force at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from recloak.errors import ClaimError, InputError, MachineError, ParameterError
from recloak.findings import Verdict
from recloak.lists.given import OwnLists
from recloak.lists.history import DatedLists, History
from recloak.lists.own import labels_like, with_items
from recloak.lists.protection import Algorithm
from recloak.lists.related import EMPTY, Slots
from recloak.lists.remembering import rank_again
from recloak.lists.replaying import protect_next
from recloak.lists.similarity import Cosine, Ranked, Similarity
from recloak.lists.timeline import Snapshot, Timeline
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.store.checking import check_release
from recloak.store.database import WAIT_SECONDS
from recloak.store.keeping import Kept, Store
from recloak.store.records import (
    START,
    Record,
    as_text,
    in_codes,
    lists_digest,
    names_in,
    ratings_digest,
    written_lists,
)
from recloak.store.remembered import from_bytes, to_bytes

OWN = "own"


@dataclass(frozen=True)
class Released:
    """What a run published: ``n_anew`` items were ranked from scratch, the others brought up."""

    record: Record
    verdict: Verdict
    n_anew: int
    filled: float


def release_next(
    store: Store,
    ratings: Ratings,
    algorithm: Algorithm,
    similarity: Similarity | None = None,
    *,
    own: OwnLists | None = None,
    remember: bool = True,
    wait: float = WAIT_SECONDS,
    progress: Progress = SILENT,
) -> Released:
    """Publish the lists of these ratings as the next release of ``store``, whole or not at all.

    ``own`` are the lists and scores of any other recommender, in place of ``similarity``. The lock
    is held from the first look at the history to the end, so that what the lists were
    protected against is what they follow on.
    """
    _refuse_weaker(algorithm)
    if own:
        own.refuse_other_count(1)
        ratings = own.known_to(ratings)
    if not ratings.n_ratings:
        raise InputError("there are no ratings, so there is nothing to publish")
    with store.writing(wait) as kept:
        records = kept.records()
        window = [(one, kept.texts(one)) for one in _window(kept, records, algorithm)]
        ratings, history = laid_out(ratings, window, algorithm.parameters.window)
        measure = similarity or Cosine()
        timeline = Timeline(ratings)
        snapshot = timeline.at(ratings.n_ratings)
        if own:
            ranked, n_anew = _own_ranked(own, ratings, algorithm), 0
        else:
            ranking = _Ranking(history, algorithm, measure, progress)
            ranked, n_anew = ranking.with_memory(kept, snapshot, remember=remember)
        made = protect_next(
            history,
            timeline,
            ratings.n_ratings,
            algorithm,
            own=ranked,
            label=f"{len(records):03d}",
            progress=progress,
        ).releases[-1]
        texts = _texts(made, ratings)
        before = records[-1].digest if records else START
        record = Record(
            number=len(records),
            published_at=now(),
            protected=True,
            delta=algorithm.parameters.delta,
            window=algorithm.parameters.window,
            top=algorithm.parameters.top,
            algorithm=algorithm.name,
            similarity=OWN if own else measure.name,
            n_items=len(texts),
            n_ratings=ratings.n_ratings,
            ratings_digest=ratings_digest(snapshot),
            lists_digest=lists_digest(texts),
        ).chained(before)
        kept.add(record, texts)
        verdict = _verified(kept, record, window, ratings, progress)
    return Released(record, verdict, n_anew, made.lists.n_filled / max(1, len(texts) * record.top))


def laid_out(
    ratings: Ratings, window: Sequence[tuple[Record, Mapping[str, str]]], size: int
) -> tuple[Ratings, History]:
    """The ratings with all items that the window names, and the window in their codes.

    What was published counts, whether its items or ratings are still there or not.
    """
    if ratings.times is None:  # everything that there is was given before now
        ratings = replace(ratings, times=np.zeros(ratings.n_ratings, np.int64))
    named = sorted({name for record, texts in window for name in names_in(texts, record)})
    ratings = with_items(ratings, labels_like(ratings, named))
    labels, n_ratings = ratings.item_labels, ratings.n_ratings
    releases = tuple(in_codes(record, texts, labels, n_ratings) for record, texts in window)
    return ratings, History(releases, size)


def now() -> str:
    """The present moment, as stores and answers write it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _window(kept: Kept, records: list[Record], algorithm: Algorithm) -> list[Record]:
    window = records[-(algorithm.parameters.window - 1) :]
    gone = [record.number for record in window if record.number in kept.rotated()]
    if gone:
        raise ParameterError(
            f"the lists of release {gone[-1]} were put away, but the window reaches back to it",
            where="--window",
            hint=f"Use at most {records[-1].number - gone[-1] + 1}.",
        )
    return window


def _own_ranked(own: OwnLists, ratings: Ratings, algorithm: Algorithm) -> Ranked:
    told = algorithm.parameters
    return own.ranked(0, ratings, told.top, told.depth)


@dataclass(frozen=True)
class _Ranking:
    """Ranks the items of a night, with what the nights before left."""

    history: History
    algorithm: Algorithm
    similarity: Similarity
    progress: Progress

    def with_memory(self, kept: Kept, snapshot: Snapshot, *, remember: bool) -> tuple[Ranked, int]:
        """The ranking, and for how many items it was made anew; what is new is remembered."""
        told, releases = self.algorithm.parameters, self.history.releases
        last: Slots | None = releases[-1].lists.widened(told.top) if releases else None
        again = rank_again(
            snapshot,
            self.similarity,
            told.top,
            depth=told.depth,
            delta=self.algorithm.delta,
            before=last,
            memory=from_bytes(kept.memory()) if remember else None,
            progress=self.progress,
        )
        kept.remember(to_bytes(again.memory) if remember else None)
        return again.ranked, again.n_anew


def _texts(made: DatedLists, ratings: Ratings) -> dict[str, str]:
    """The lists of all items that somebody rated, or that a shop has a list for."""
    assert made.raw is not None
    listed = (made.raw.slots != EMPTY).any(axis=1)
    lists = written_lists(made.lists, listed | (ratings.item_support > 0))
    return {item: as_text(entries) for item, entries in lists.items()}


def _verified(
    kept: Kept,
    record: Record,
    window: Sequence[tuple[Record, Mapping[str, str]]],
    ratings: Ratings,
    progress: Progress,
) -> Verdict:
    """Attack what the database gives back; only then may the transaction end well."""
    if kept.records()[-1] != record:
        raise MachineError("what was written cannot be read back the same", where=kept.where)
    verdict = check_release(record, [*window, (record, kept.texts(record))], ratings, progress)
    if not verdict.holds:
        shown = "; ".join(f"{key}: {told}" for key, told in (verdict.witness or {}).items())
        raise ClaimError(
            f"the claim '{verdict.claim}' is {verdict.status}. {verdict.how}",
            where=kept.where,
            hint=f"Witness: {shown}" if shown else None,
        )
    return verdict


def _refuse_weaker(algorithm: Algorithm) -> None:
    if algorithm.parameters.new_raters_only:
        raise ParameterError(
            "cannot be promised for a store: ratings may be erased, changed or come late, so that "
            "who is new cannot be told",
            where="--new-raters-only",
        )
