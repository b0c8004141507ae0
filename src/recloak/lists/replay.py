"""Replaying: a history as it would have been published, release by release, verified each time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recloak.core.errors import ClaimError, InputError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Snapshot, Timeline
from recloak.evaluation.breaches import BreachSearch, ListAdversary
from recloak.io.given import Given
from recloak.lists.external import ExternalLists
from recloak.lists.protection import ALGORITHMS, Algorithm, EarlierLists
from recloak.recommenders.similarity import SIMILARITIES, Cosine, Ranked, Similarity, rank
from recloak.releases.lists.fractions import fraction_of
from recloak.releases.lists.history import DatedLists, History, ProtectionChanges
from recloak.releases.lists.related import EMPTY, Lists, Slots
from recloak.releases.lists.unprotected import GAP, START, dated_raw, label_of


def replay(
    ratings: Any,
    algorithm: Algorithm | str = "constructive",
    *,
    start: str = START,
    gap: str = GAP,
    releases: int | None = None,
    similarity: Similarity | str = "cosine",
    external: ExternalLists | None = None,
    progress: Progress = SILENT,
    **parameters: Any,
) -> History:
    """The releases that ``algorithm`` would have published while these ratings came in.

    ``ratings`` may be whatever `recloak.read` takes; they need times.
    The first release covers the share ``start`` of the ratings and is raw: it was public before
    protection was switched on. Each further one covers ``gap`` more and is protected and verified.
    ``external`` are the lists and scores of any other recommender, in place of ``similarity``.
    ``parameters`` are those of the algorithm: delta, window, top, budget, …
    """
    maker = ALGORITHMS.get(algorithm)(**parameters) if isinstance(algorithm, str) else algorithm
    measure = SIMILARITIES.get(similarity)() if isinstance(similarity, str) else similarity
    ratings = Given.of(ratings, progress=progress).ratings
    timeline = Timeline(external.known_to(ratings) if external else ratings)
    first, *cuts = timeline.cuts(fraction_of(start), fraction_of(gap), releases)
    given = _given(external, timeline.ratings, maker, 1 + len(cuts))
    top = maker.parameters.top
    nearest = given[0] or rank(timeline.at(first), measure, top, progress=progress)
    raw = Lists(nearest.top, timeline.ratings.item_labels)
    history = new_history(maker, dated_raw(timeline, first, raw))
    with progress.task("Replaying releases", len(cuts)) as task:
        for cut, ranked in zip(cuts, given[1:], strict=True):
            history = protect_next(
                history, timeline, cut, maker, similarity=measure, ranked=ranked, progress=progress
            )
            task.advance()
    return history


def _given(
    external: ExternalLists | None, ratings: Ratings, algorithm: Algorithm, n_releases: int
) -> list[Ranked | None]:
    """What another recommender ranked for each release; None where it was not asked."""
    if external is None:
        return [None] * n_releases
    external.refuse_other_count(n_releases)
    parameters = algorithm.parameters
    return [
        external.ranked(place, ratings, parameters.top, parameters.depth)
        for place in range(n_releases)
    ]


def new_history(algorithm: Algorithm, *public: DatedLists) -> History:
    """A history that begins with what was public before protection was switched on."""
    parameters = algorithm.parameters
    return History(
        public, parameters.window, algorithm.delta, parameters.new_raters_only, algorithm.name
    )


def protect_next(
    history: History,
    timeline: Timeline,
    cut: int,
    algorithm: Algorithm,
    *,
    progress: Progress = SILENT,
    **options: Any,
) -> History:
    """The history with one more release, made by `protect` (see there) and verified."""
    extended = protect(history, timeline, cut, algorithm, progress=progress, **options)
    return verified(extended, timeline, algorithm, progress)


def protect(
    history: History,
    timeline: Timeline,
    cut: int,
    algorithm: Algorithm,
    *,
    similarity: Similarity | None = None,
    ranked: Ranked | None = None,
    label: str | None = None,
    progress: Progress = SILENT,
) -> History:
    """The history with one more release, which covers the first ``cut`` ratings.

    ``ranked`` are lists and candidates in the item codes of the ratings, from any recommender;
    without them items are ranked by ``similarity``. The release is as the algorithm made it; who
    puts it in force must have it `verified`, or attacked as it was stored.
    """
    _refuse_other_items(history, timeline.ratings)
    snapshot = timeline.at(cut)
    window = history.releases[-(algorithm.parameters.window - 1) :]
    top = algorithm.parameters.top
    earlier = tuple(EarlierLists(one.lists.widened(top), one.n_ratings) for one in window)
    ranked = ranked or _ranked(snapshot, algorithm, similarity or Cosine(), earlier, progress)
    with progress.task(f"Protecting release {cut:,}") as task:
        slots, changes = algorithm.arrange(algorithm.prepare(snapshot, ranked, earlier), task)
    release = DatedLists(
        label or label_of(len(history)),
        cut,
        Lists(slots.copy(), timeline.ratings.item_labels),
        True,
        timeline.day(cut),
        Lists(ranked.top, timeline.ratings.item_labels),
        changes,
    )
    return replace(history, releases=(*history.releases, release))


def _refuse_other_items(history: History, ratings: Ratings) -> None:
    if len(history) and not np.array_equal(history.item_labels, ratings.item_labels):
        raise InputError(
            "the earlier lists and the ratings are not about the same items",
            hint="Items come and go, but each must be known from the first release on: add those "
            "that nobody rated with recloak.lists.external.with_items.",
        )


def verified(
    history: History, timeline: Timeline, algorithm: Algorithm, progress: Progress
) -> History:
    """Attack the last release; where it breaches its bound, empty slots until it does not.

    Each round empties at least one slot of each target that breaches, so it ends.
    """
    parameters = algorithm.parameters
    adversary = ListAdversary(algorithm.delta, parameters.window, parameters.new_raters_only)
    while True:
        tables = [release.lists.widened(history.top) for release in history.releases]
        n_items = timeline.ratings.n_items
        found = adversary.attack(history, len(history) - 1, timeline, tables, n_items, progress)
        if not found.breaches and not found.undecided:
            return history
        history = _emptied(history, found)


def _emptied(history: History, found: BreachSearch) -> History:
    last = history.releases[-1]
    slots = last.lists.slots.copy()
    hit = [(breach.background[0], breach.target) for breach in found.breaches]
    hit += [(item, target) for _, target, items in found.undecided for item in items]
    before = int((slots != EMPTY).sum())
    for item, target in hit:
        slots[item, slots[item] == target] = EMPTY
    emptied = before - int((slots != EMPTY).sum())
    if not emptied:
        raise ClaimError(
            "no lists were found that keep the bound",
            where=f"release '{last.label}'",
            hint="Choose a larger δ, a shorter window or fewer slots.",
        )
    changes = last.changes or ProtectionChanges()
    counted = replace(changes, emptied=changes.emptied + emptied)
    after = replace(last, lists=Lists(slots, last.lists.item_labels), changes=counted)
    return replace(history, releases=(*history.releases[:-1], after))


def _ranked(
    snapshot: Snapshot,
    algorithm: Algorithm,
    similarity: Similarity,
    window: tuple[EarlierLists, ...],
    progress: Progress,
) -> Ranked:
    parameters = algorithm.parameters
    before: Slots | None = window[-1].slots if window else None
    return rank(
        snapshot,
        similarity,
        parameters.top,
        depth=parameters.depth,
        delta=algorithm.delta,
        before=before,
        since=window[-1].n_ratings if window and parameters.new_raters_only else 0,
        progress=progress,
    )
