"""ListContext: what an auditor has before it: published lists, raw ones, and the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from recloak.core.arrays import Labels
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.breaches import Breach, BreachSearch, ListAdversary
from recloak.recommenders.similarity import Similarity
from recloak.releases.lists.changes import in_codes_of, names_of
from recloak.releases.lists.history import History
from recloak.releases.lists.related import EMPTY, Lists, Slots
from recloak.releases.lists.unprotected import raw_at

DELTA = Fraction(1, 10)  # by which unprotected lists are judged if nothing else is said


@dataclass(frozen=True, eq=False)
class ListContext:
    """One history of lists under audit.

    ``tables`` are the published slots of each release and ``raw`` those that the ratings would
    have led to, both in the ratings' codes of items, which ``names`` tell. ``delta`` is the bound
    by which changes are judged, also where none was promised. What the checker finds is kept, for
    several ask for it.
    """

    history: History
    timeline: Timeline
    tables: tuple[Slots, ...]
    raw: tuple[Slots, ...]
    delta: Fraction
    names: Labels
    _found: dict[tuple[int, int], BreachSearch] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def n_items(self) -> int:
        return len(self.tables[0]) if self.tables else 0

    @property
    def places(self) -> list[int]:
        """The releases to judge: those with a promise, or without any all after the first."""
        return list(self.history.claimed()) or list(range(1, len(self.history)))

    def earlier(self, place: int) -> range:
        """The places of the releases that an adversary compares the one at ``place`` with."""
        return range(max(0, place - self.history.window + 1), place)

    def pair(self, earlier: int, later: int, progress: Progress = SILENT) -> BreachSearch:
        """What the independent checker finds when it compares two releases."""
        if (earlier, later) not in self._found:
            history = self.history
            two = History(
                (history.releases[earlier], history.releases[later]),
                2,
                new_raters_only=history.new_raters_only,
            )
            adversary = ListAdversary(self.delta, 2, history.new_raters_only)
            tables = [self.tables[earlier], self.tables[later]]
            self._found[earlier, later] = adversary.attack(
                two, 1, self.timeline, tables, self.n_items, progress
            )
        return self._found[earlier, later]

    def worst(self, place: int, progress: Progress = SILENT) -> Breach | None:
        """The background that tells the most from one release and its window; None if none does."""
        found = [self.pair(earlier, place, progress).worst for earlier in self.earlier(place)]
        return max((one for one in found if one), key=lambda one: one.share, default=None)


def context_of(
    history: History,
    ratings: Ratings,
    *,
    raw: Sequence[Lists] | None = None,
    similarity: Similarity | str = "cosine",
    delta: Fraction | None = None,
    progress: Progress = SILENT,
) -> ListContext:
    """Lay out a history with the ratings it came from.

    Raw lists are those that the history remembers; one that was read from a folder does not, and
    then they are made anew by ``similarity``.
    """
    timeline = Timeline(ratings)
    tables, n_items = in_codes_of(history, ratings)
    known = [release.raw for release in history.releases] if raw is None else list(raw)
    if any(one is None for one in known):
        cuts = [release.n_ratings for release in history.releases]
        known = [
            one.lists for one in raw_at(timeline, cuts, history.top, similarity, progress).releases
        ]
    laid_out = tuple(_padded(one, n_items, history.top) for one in known if one is not None)
    bound = delta or history.delta or DELTA
    return ListContext(
        history, timeline, tuple(tables), laid_out, bound, names_of(history, ratings)
    )


def _padded(lists: Lists, n_items: int, top: int) -> Slots:
    """With empty lists for items that nobody rated."""
    wide = lists.widened(top)
    missing = n_items - len(wide)
    return np.pad(wide, ((0, missing), (0, 0)), constant_values=EMPTY) if missing else wide
