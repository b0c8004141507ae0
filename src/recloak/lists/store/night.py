"""Night: a release as it is made, from what the store holds and tonight's ratings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from recloak.core.errors import ParameterError
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.findings import Verdict
from recloak.lists.external import ExternalLists
from recloak.lists.incremental_ranking import rank_incrementally
from recloak.lists.protection import Algorithm, EarlierLists
from recloak.lists.replay import protect, verified
from recloak.lists.store._ranking_cache import from_bytes, to_bytes
from recloak.lists.store.checking import check_release
from recloak.lists.store.database import no_store
from recloak.lists.store.keys import StoreKey
from recloak.lists.store.records import (
    START,
    ReleaseRecord,
    StoredLists,
    list_texts,
    lists_digest,
    ratings_digest,
)
from recloak.lists.store.safeguards import Safeguards, same_settings
from recloak.lists.store.store import Rotations, Store
from recloak.lists.worth import worth_of
from recloak.recommenders.similarity import Ranked, Similarity
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import EMPTY, Slots

EXTERNAL = "own"


@dataclass(frozen=True)
class Past:
    """What a store held when a night began: its releases, and the lists of the window.

    The ranking cache, if there is one, is taken out when it is read: it is not needed twice.
    """

    records: Sequence[ReleaseRecord]
    rotations: Rotations
    window: Sequence[StoredLists]
    key: StoreKey
    caches: list[bytes]

    @property
    def newest(self) -> tuple[int, str] | None:
        """As `StoreTransaction.newest` tells it."""
        return (self.records[-1].number, self.records[-1].digest) if self.records else None


def past_of(store: Store, algorithm: Algorithm, safeguards: Safeguards, use_cache: bool) -> Past:
    """Read what there is, in one short transaction; refuse a store that is not the right one."""
    records: list[ReleaseRecord] = []
    rotations, window, cache = Rotations(0, ()), [], None
    with store.reading_if_any() as transaction:
        if transaction is not None:
            records = transaction.records()
            rotations = transaction.rotated(records)
        safeguards.check_chain(records, rotations.digests, store.where)
        if transaction is not None:
            window = [transaction.lists(one) for one in _window(records, rotations, algorithm)]
            cache = transaction.ranking_cache() if use_cache else None
    if not records and not store.make:
        raise no_store(store.where)
    name = next((one.key_name for one in reversed(records) if one.key_name), None)
    key, caches = store.key(name, renew=safeguards.new_key), [] if cache is None else [cache]
    return Past(records, rotations, window, key, caches)


def _window(
    records: Sequence[ReleaseRecord], rotations: Rotations, algorithm: Algorithm
) -> Sequence[ReleaseRecord]:
    window = records[-(algorithm.parameters.window - 1) :]
    gone = [record.number for record in window if record.number in rotations]
    if gone:
        raise ParameterError(
            f"the lists of release {gone[-1]} were removed by 'recloak lists rotate', but the "
            "window reaches back to it",
            where="--window",
            hint=f"Use at most {records[-1].number - gone[-1] + 1}.",
        )
    return window


def now() -> str:
    """The present moment, as stores and answers write it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Making:
    """How a release is made."""

    algorithm: Algorithm
    similarity: Similarity
    external: ExternalLists | None
    use_cache: bool

    def input_digest(self, key: bytes) -> str | None:
        """Of what the record does not name: given lists, and parameters that are not the usual."""
        given = self.external.digest(key) if self.external else None
        usual = {"delta", "window", "top"}
        further = self.algorithm.parameters.model_dump(exclude_defaults=True, exclude=usual)
        if not further:
            return given
        text = json.dumps([given, further], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=32, key=key).hexdigest()


@dataclass(frozen=True)
class MadeRelease:
    """A release that is not in force yet: its texts were attacked, and ``verdict`` is on them."""

    record: ReleaseRecord
    texts: dict[str, str]
    verdict: Verdict
    cache: bytes | None
    n_reranked: int


@dataclass(frozen=True)
class Night:
    """One night: the past, how a release is made, tonight's ratings, and the window in codes."""

    past: Past
    making: Making
    ratings: Ratings
    history: History

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.ratings, self.past.key.for_digests)

    @cached_property
    def facts(self) -> ReleaseRecord:
        """What is known of the release before its lists are made."""
        parameters, external = self.making.algorithm.parameters, self.making.external
        key = self.past.key
        return ReleaseRecord(
            number=len(self.past.records),
            published_at=now(),
            protected=True,
            delta=parameters.delta,
            window=parameters.window,
            top=parameters.top,
            algorithm=self.making.algorithm.name,
            similarity=EXTERNAL if external else self.making.similarity.name,
            n_items=0,
            n_ratings=self.ratings.n_ratings,
            ratings_digest=ratings_digest(self.timeline.at(self.ratings.n_ratings)),
            lists_digest="",
            n_users=int((self.ratings.user_counts > 0).sum()),
            key_name=key.name,
            input_digest=self.making.input_digest(key.for_digests),
            rotations=self.past.rotations.last if self.past.rotations.count else None,
        )

    def already(self) -> ReleaseRecord | None:
        """The last release, if it was made from the same ratings in the same way."""
        if not self.past.records:
            return None
        last, facts = self.past.records[-1], self.facts
        if not same_settings(last, facts) or last.n_ratings != facts.n_ratings:
            return None
        if last.key_name is None:  # an older recloak: digests without a key, and no parameters
            plain = ratings_digest(Timeline(self.ratings).at(self.ratings.n_ratings))
            same = last.ratings_digest == plain and self.making.external is None
        else:
            same = (last.key_name, last.ratings_digest, last.input_digest) == (
                facts.key_name, facts.ratings_digest, facts.input_digest,
            )  # fmt: skip
        return last if same else None

    def made(self, progress: Progress) -> MadeRelease:
        """Rank, protect and attack; where that finds something, repair the lists once."""
        ranked, n_reranked, cache = self._ranked(progress)
        history = protect(
            self.history,
            self.timeline,
            self.ratings.n_ratings,
            self.making.algorithm,
            ranked=ranked,
            label=f"{self.facts.number:03d}",
            progress=progress,
        )
        record, texts, verdict = self._attacked(history, ranked, progress)
        if not verdict.holds:  # so rare that lists are repaired only once they were refused
            history = verified(history, self.timeline, self.making.algorithm, progress)
            record, texts, verdict = self._attacked(history, ranked, progress)
        return MadeRelease(record, texts, verdict, cache, n_reranked)

    def _ranked(self, progress: Progress) -> tuple[Ranked, int, bytes | None]:
        """The ranking, how many items were ranked anew, and the cache for the next night."""
        parameters, releases = self.making.algorithm.parameters, self.history.releases
        if self.making.external:
            given = self.making.external.ranked(0, self.ratings, parameters.top, parameters.depth)
            return given, 0, None
        key, kept = self.past.key, self.past.caches
        last: Slots | None = releases[-1].lists.widened(parameters.top) if releases else None
        again = rank_incrementally(
            self.timeline.at(self.ratings.n_ratings),
            self.making.similarity,
            parameters.top,
            depth=parameters.depth,
            delta=self.making.algorithm.delta,
            before=last,
            cache=from_bytes(key.opened(kept.pop())) if kept else None,
            progress=progress,
        )
        cache = key.sealed(to_bytes(again.cache)) if self.making.use_cache else None
        return again.ranked, again.n_reranked, cache

    def _attacked(
        self, history: History, ranked: Ranked, progress: Progress
    ) -> tuple[ReleaseRecord, dict[str, str], Verdict]:
        """The last release as the store will give it back, and the verdict on that."""
        made, records = history.releases[-1], self.past.records
        texts = _texts(made, self.ratings)
        record = replace(
            self.facts,
            n_items=len(texts),
            n_filled=made.lists.n_filled,
            lists_digest=lists_digest(texts),
            **dict[str, Any](self._worth(made, ranked)),
        ).chained(records[-1].digest if records else START)
        stored = StoredLists.of(record, texts)  # parsed again: the text is what will be in force
        last = stored.in_codes(self.ratings.item_labels, self.ratings.n_ratings)
        published = (*self.history.releases, last)
        return record, texts, check_release(record, published, self.timeline, progress)

    def _worth(self, made: DatedLists, ranked: Ranked) -> dict[str, int]:
        algorithm = self.making.algorithm
        top, snapshot = algorithm.parameters.top, self.timeline.at(self.ratings.n_ratings)
        earlier = tuple(
            EarlierLists(one.lists.widened(top), one.n_ratings) for one in self.history.releases
        )
        inputs = algorithm.prepare(snapshot, ranked, earlier)
        return asdict(worth_of(inputs, made.lists.slots, made.changes))


def _texts(made: DatedLists, ratings: Ratings) -> dict[str, str]:
    """The lists of all items that somebody rated, or that a shop has a list for."""
    assert made.raw is not None
    listed = (made.raw.slots != EMPTY).any(axis=1)
    return list_texts(made.lists, listed | (ratings.item_support > 0))
