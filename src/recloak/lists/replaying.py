"""Replaying: a history as it would have been published, release by release, verified each time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recloak.errors import ClaimError, InputError
from recloak.guarantees.delta_bound import DeltaBound
from recloak.guarantees.delta_bound_counting import Found
from recloak.lists.exact import fraction_of
from recloak.lists.given import OwnLists
from recloak.lists.history import Changes, DatedLists, History
from recloak.lists.protection import ALGORITHMS, Algorithm, Published
from recloak.lists.related import EMPTY, Lists, Slots
from recloak.lists.similarity import SIMILARITIES, Cosine, Ranked, Similarity, rank
from recloak.lists.timeline import Snapshot, Timeline
from recloak.lists.unprotected import GAP, START, dated_raw, label_of
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings


def replay(
    ratings: Ratings,
    algorithm: Algorithm | str = "constructive",
    *,
    start: str = START,
    gap: str = GAP,
    releases: int | None = None,
    similarity: Similarity | str = "cosine",
    own: OwnLists | None = None,
    progress: Progress = SILENT,
    **parameters: Any,
) -> History:
    """The releases that ``algorithm`` would have published while these ratings came in.

    The first release covers the share ``start`` of the ratings and is raw: it was public before
    protection was switched on. Each further one covers ``gap`` more and is protected and verified.
    ``own`` are the lists and scores of any other recommender, in place of ``similarity``.
    ``parameters`` are those of the algorithm: delta, window, top, budget, …
    """
    maker = ALGORITHMS.get(algorithm)(**parameters) if isinstance(algorithm, str) else algorithm
    measure = SIMILARITIES.get(similarity)() if isinstance(similarity, str) else similarity
    timeline = Timeline(own.known_to(ratings) if own else ratings)
    first, *cuts = timeline.cuts(fraction_of(start), fraction_of(gap), releases)
    given = _given(own, timeline.ratings, maker, 1 + len(cuts))
    top = maker.parameters.top
    nearest = given[0] or rank(timeline.at(first), measure, top, progress=progress)
    raw = Lists(nearest.top, timeline.ratings.item_labels)
    history = new_history(maker, dated_raw(timeline, first, raw))
    with progress.task("Replaying releases", len(cuts)) as task:
        for cut, ranked in zip(cuts, given[1:], strict=True):
            history = protect_next(
                history, timeline, cut, maker, similarity=measure, own=ranked, progress=progress
            )
            task.advance()
    return history


def _given(
    own: OwnLists | None, ratings: Ratings, algorithm: Algorithm, n_releases: int
) -> list[Ranked | None]:
    """What another recommender ranked for each release; None where it was not asked."""
    if own is None:
        return [None] * n_releases
    own.refuse_other_count(n_releases)
    told = algorithm.parameters
    return [own.ranked(place, ratings, told.top, told.depth) for place in range(n_releases)]


def new_history(algorithm: Algorithm, *public: DatedLists) -> History:
    """A history that begins with what was public before protection was switched on."""
    told = algorithm.parameters
    return History(public, told.window, algorithm.delta, told.new_raters_only, algorithm.name)


def protect_next(
    history: History,
    timeline: Timeline,
    cut: int,
    algorithm: Algorithm,
    *,
    similarity: Similarity | None = None,
    own: Ranked | None = None,
    label: str | None = None,
    progress: Progress = SILENT,
) -> History:
    """The history with one more release, which covers the first ``cut`` ratings and is verified.

    ``own`` are lists and candidates of any other recommender, in the item codes of the ratings.
    """
    _refuse_other_items(history, timeline.ratings)
    snapshot = timeline.at(cut)
    window = history.releases[-(algorithm.parameters.window - 1) :]
    top = algorithm.parameters.top
    earlier = tuple(Published(one.lists.widened(top), one.n_ratings) for one in window)
    ranked = own or _ranked(snapshot, algorithm, similarity or Cosine(), earlier, progress)
    with progress.task(f"Protecting release {cut:,}") as task:
        slots, changes = algorithm.arrange(algorithm.desk(snapshot, ranked, earlier), task)
    release = DatedLists(
        label or label_of(len(history)),
        cut,
        Lists(slots.copy(), timeline.ratings.item_labels),
        True,
        timeline.day(cut),
        Lists(ranked.top, timeline.ratings.item_labels),
        changes,
    )
    return verified(
        replace(history, releases=(*history.releases, release)), timeline, algorithm, progress
    )


def _refuse_other_items(history: History, ratings: Ratings) -> None:
    if len(history) and not np.array_equal(history.item_labels, ratings.item_labels):
        raise InputError(
            "the earlier lists and the ratings are not about the same items",
            hint="Items come and go, but each must be known from the first release on: add those "
            "that nobody rated with recloak.lists.own.with_items.",
        )


def verified(
    history: History, timeline: Timeline, algorithm: Algorithm, progress: Progress
) -> History:
    """Attack the last release; where it breaches its bound, empty slots until it does not.

    Each round empties at least one slot of each target that breaches, so it ends.
    """
    told = algorithm.parameters
    checker = DeltaBound(delta=told.delta, window=told.window, new_raters_only=told.new_raters_only)
    while True:
        tables = [release.lists.widened(history.top) for release in history.releases]
        n_items = timeline.ratings.n_items
        found = checker.attack(history, len(history) - 1, timeline, tables, n_items, progress)
        if not found.breaches and not found.undecided:
            return history
        history = _emptied(history, found)


def _emptied(history: History, found: Found) -> History:
    last = history.releases[-1]
    slots = last.lists.slots.copy()
    hit = [(breach.background[0], breach.target) for breach in found.breaches]
    hit += [(item, target) for _, target, items in found.undecided for item in items]
    before = int((slots != EMPTY).sum())
    for item, target in hit:
        slots[item, slots[item] == target] = EMPTY
    emptied = before - int((slots != EMPTY).sum())
    if not emptied:
        raise ClaimError("the lists cannot be made private", where=f"release '{last.label}'")
    changes = last.changes or Changes()
    told = replace(changes, emptied=changes.emptied + emptied)
    after = replace(last, lists=Lists(slots, last.lists.item_labels), changes=told)
    return replace(history, releases=(*history.releases[:-1], after))


def _ranked(
    snapshot: Snapshot,
    algorithm: Algorithm,
    similarity: Similarity,
    window: tuple[Published, ...],
    progress: Progress,
) -> Ranked:
    told = algorithm.parameters
    before: Slots | None = window[-1].slots if window else None
    return rank(
        snapshot,
        similarity,
        told.top,
        depth=told.depth,
        delta=algorithm.delta,
        before=before,
        since=window[-1].n_ratings if window and told.new_raters_only else 0,
        progress=progress,
    )
