"""The nightly release: protected against the window, attacked as stored, then in force."""

from __future__ import annotations

from dataclasses import dataclass

from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.memory import no_garbage_collection
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Verdict
from recloak.evaluation.refusals import refuse_broken
from recloak.lists.external import ExternalLists
from recloak.lists.protection import Algorithm
from recloak.lists.store.checking import claim_text, laid_out
from recloak.lists.store.database import WAIT_SECONDS
from recloak.lists.store.night import MadeRelease, Making, Night, past_of
from recloak.lists.store.records import ReleaseRecord
from recloak.lists.store.safeguards import Safeguards
from recloak.lists.store.store import Store, StoreTransaction
from recloak.recommenders.similarity import Cosine, Similarity

_SAFEGUARDS = Safeguards()


@dataclass(frozen=True)
class Released:
    """What is in force after a run: ``n_reranked`` items were ranked from scratch.

    ``already``: the same ratings had been published in the same way, and nothing was done.
    """

    record: ReleaseRecord
    verdict: Verdict
    n_reranked: int = 0
    already: bool = False

    @property
    def filled(self) -> float:
        return self.record.filled or 0.0


def release_next(
    store: Store,
    ratings: Ratings,
    algorithm: Algorithm,
    similarity: Similarity | None = None,
    *,
    external: ExternalLists | None = None,
    safeguards: Safeguards = _SAFEGUARDS,
    use_cache: bool = True,
    wait: float = WAIT_SECONDS,
    progress: Progress = SILENT,
) -> Released:
    """Publish the lists of these ratings as the next release of ``store``, whole or not at all.

    ``external`` are the lists and scores of another recommender, in place of ``similarity``.
    The store is connected twice, to read what there is and to write: no connection stays open, and
    nothing is locked, while lists are made. If another run has published in between, they are made
    anew, against what that one published.
    """
    _refuse_weaker(algorithm)
    if external:
        external.refuse_other_count(1)
        ratings = external.known_to(ratings)
    if not ratings.n_ratings:
        raise InputError("there are no ratings, so there is nothing to publish")
    making = Making(algorithm, similarity or Cosine(), external, use_cache)
    done = None
    with no_garbage_collection():  # all lists of the window are Python objects
        while done is None:
            done = _one_night(store, ratings, making, safeguards, wait, progress)
    return done


def _one_night(
    store: Store,
    ratings: Ratings,
    making: Making,
    safeguards: Safeguards,
    wait: float,
    progress: Progress,
) -> Released | None:
    """Make a release and put it in force; None if another run has published in between."""
    algorithm = making.algorithm
    past = past_of(store, algorithm, safeguards, making.use_cache)
    night = Night(past, making, *laid_out(ratings, past.window, algorithm.parameters.window))
    there = night.already()
    if there is not None:
        how = "These ratings were published already, with these settings."
        return Released(there, Verdict(claim_text(there), "holds", how), already=True)
    safeguards.check_first(past.records, store.where)
    if past.records:
        safeguards.check_ratings(past.records[-1], night.ratings)
    made = night.made(progress)
    refuse_broken([made.verdict], store.where)
    if past.records:
        safeguards.check_filled(past.records[-1], made.record)
    with store.writing(wait) as transaction:
        if transaction.newest() != past.newest:
            return None
        _put_in_force(transaction, made)
    return Released(made.record, made.verdict, made.n_reranked)


def _put_in_force(transaction: StoreTransaction, made: MadeRelease) -> None:
    """Write a release and the cache; what the database gives back must be what was attacked."""
    transaction.add(made.record, made.texts)
    if not transaction.gives_back(made.record, made.texts):
        what = "what is read back differs from what was written"
        raise MachineError(what, where=transaction.where)
    transaction.set_ranking_cache(made.cache)


def _refuse_weaker(algorithm: Algorithm) -> None:
    if algorithm.parameters.new_raters_only:
        raise ParameterError(
            "cannot be promised for a store: ratings may be erased, changed or come late, so it "
            "is not known who is new",
            where="--new-raters-only",
        )
