"""Unprotected lists: as they follow from the ratings, or as a shop's own recommender made them."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.recommenders.similarity import SIMILARITIES, Similarity, rank
from recloak.releases.lists.fractions import fraction_of
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import Lists

START, GAP, TOP = "0.1", "0.05", 5  # the set-up of the paper's experiments


def raw_history(
    ratings: Ratings,
    *,
    start: str = START,
    gap: str = GAP,
    releases: int | None = None,
    window: int = 4,
    top: int = TOP,
    similarity: Similarity | str = "cosine",
    progress: Progress = SILENT,
) -> History:
    """The lists that these ratings lead to at one cut after the other, nothing protected."""
    timeline = Timeline(ratings)
    cuts = timeline.cuts(fraction_of(start), fraction_of(gap), releases)
    return raw_at(timeline, cuts, top, similarity, progress, window)


def raw_at(
    timeline: Timeline,
    cuts: Sequence[int],
    top: int,
    similarity: Similarity | str = "cosine",
    progress: Progress = SILENT,
    window: int = 4,
) -> History:
    """Unprotected lists at the given cuts."""
    measure = SIMILARITIES.get(similarity)() if isinstance(similarity, str) else similarity
    labels = timeline.ratings.item_labels
    dated = []
    for place, cut in enumerate(cuts):
        slots = rank(timeline.at(cut), measure, top, progress=progress).top
        dated.append(dated_raw(timeline, cut, Lists(slots, labels), place))
    return History(tuple(dated), window)


def dated_raw(timeline: Timeline, cut: int, lists: Lists, place: int = 0) -> DatedLists:
    """Raw lists as a release of their own, the one at ``place`` in its history."""
    return DatedLists(label_of(place), cut, lists, False, timeline.day(cut), lists)


def label_of(place: int) -> str:
    """What a release is called if nobody says: its number, counted from 0."""
    return f"{place:03d}"
