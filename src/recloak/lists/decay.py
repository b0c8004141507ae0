"""Decay: how much of the unprotected lists protected ones still show, night after night.

Under the bound an entry that tells more than δ by itself can stand in a list only if it stood there
in every release of the window. So it stood there in the first release, or it entered while it told
less: once it is gone, it never comes back. Lists that follow the ratings move on, and what is shown
falls behind, whichever algorithm makes it. `UpperBound` counts what any could show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from recloak.core.errors import InputError
from recloak.core.progress import SILENT, Progress
from recloak.core.timeline import Timeline
from recloak.lists._upper_bound import UpperBound
from recloak.lists.protection import ALGORITHMS, Algorithm, EarlierLists, ProtectionInput
from recloak.lists.replay import new_history, protect_next
from recloak.lists.worth import attainable_entries
from recloak.recommenders.similarity import Cosine, Ranked, Similarity, rank
from recloak.releases.lists.history import History
from recloak.releases.lists.related import EMPTY, Slots

MORE_SLOTS = (2, 4, 8)  # times as many as are wanted
_SLOTS_BESIDE_DELTA = 4
_MOST_SLOTS = 1_000  # that a list may have


@dataclass(frozen=True)
class NightlySetting:
    """What is promised, how many slots are shown, and every how many nights lists are released."""

    delta: str = "0.1"
    window: int = 4
    top: int = 5
    every: int = 1
    algorithm: str = "constructive"

    def changed(self, **values: Any) -> NightlySetting:
        return replace(self, **values)


@dataclass(frozen=True)
class Course:
    """How recall went: for each night the share of the best entries that its lists showed.

    On a night without a release the lists of the last one are shown. ``attainable`` is the largest
    recall that the last release could have had, after what was published before it;
    ``upper_bound`` the largest that any releases after the first could have on the last night.
    """

    setting: NightlySetting
    recalls: tuple[float, ...]
    attainable: float
    upper_bound: float

    @property
    def last(self) -> float:
        return self.recalls[-1]

    @property
    def mean(self) -> float:
        return float(np.mean(self.recalls))

    def nights_above(self, least: float) -> int:
        """How many nights in a row, from the first on, kept at least so much."""
        return next(
            (night for night, recall in enumerate(self.recalls) if recall < least),
            len(self.recalls),
        )


def nightly_cuts(n_ratings: int, nights: int, growth: Fraction) -> list[int]:
    """How many ratings there are on each night, such that the last has all of them."""
    cuts = [round(n_ratings / float(1 + growth) ** left) for left in range(nights, -1, -1)]
    if not cuts[0] or len(set(cuts)) < len(cuts):
        raise InputError(
            f"{n_ratings:,} ratings are too few for {nights} nights with {float(growth):.1%} more",
            hint="Choose fewer nights, or more growth.",
        )
    return cuts


class NightlyShop:
    """Ratings that come in night by night, and their unprotected lists, ranked once for all."""

    def __init__(
        self,
        timeline: Timeline,
        cuts: Sequence[int],
        wanted: int = 5,
        similarity: Similarity | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.timeline, self.cuts, self.wanted = timeline, list(cuts), wanted
        self.similarity, self.progress = similarity or Cosine(), progress
        self.best = [
            rank(timeline.at(cut), self.similarity, wanted, progress=progress).top for cut in cuts
        ]

    def course(self, setting: NightlySetting) -> Course:
        """Release every so many nights, and see what is shown on each."""
        maker = ALGORITHMS.get(setting.algorithm)(
            delta=setting.delta, window=setting.window, top=setting.top
        )
        history, recalls, attainable = new_history(maker), [], 1.0
        bound = UpperBound(self.best[-1], setting.window)
        for night in range(len(self.cuts)):
            if night % setting.every == 0:
                made = self._released(history, night, maker)
                inputs = self._inputs(made, night, maker)
                wanted = _filled(inputs.ranked.top)
                attainable = float(attainable_entries(inputs).sum() / max(1, wanted))
                bound.add(inputs, made.releases[-1].lists.slots)
                kept = made.releases[-(setting.window - 1) :]
                history = replace(made, releases=kept)
            recalls.append(_recall(self.best[night], history.releases[-1].lists.slots))
        return Course(setting, tuple(recalls), attainable, bound.recall)

    def _released(self, history: History, night: int, maker: Algorithm) -> History:
        """The history with the release of a night, verified."""
        return protect_next(
            history,
            self.timeline,
            self.cuts[night],
            maker,
            similarity=self.similarity,
            label=f"{night:03d}",
            progress=self.progress,
        )

    def _inputs(self, history: History, night: int, maker: Algorithm) -> ProtectionInput:
        """The best entries of a night, to be held against the releases before its own."""
        best, *earlier = self.best[night], *history.releases[:-1]
        window = tuple(EarlierLists(one.lists.slots, one.n_ratings) for one in earlier)
        wide = np.full((len(best), maker.parameters.top), EMPTY, np.int32)
        columns = min(best.shape[1], wide.shape[1])
        wide[:, :columns] = best[:, :columns]
        return maker.prepare(self.timeline.at(self.cuts[night]), Ranked(wide, wide), window)


def _filled(lists: Slots) -> int:
    return int((lists != EMPTY).sum())


def _recall(best: Slots, shown: Slots) -> float:
    wanted = best != EMPTY
    kept = (best[:, :, None] == shown[:, None, :]).any(axis=2) & wanted
    return float(kept.sum() / max(1, _filled(best)))


@dataclass(frozen=True)
class NightlyAdvice:
    """Courses of the setting that was asked for and of others, and the one to take."""

    courses: tuple[Course, ...]
    least: float
    nights: int

    @property
    def asked(self) -> Course:
        return self.courses[0]

    @property
    def proposed(self) -> Course | None:
        """The first that keeps enough on every night, in the order of what it costs; or None."""
        return next((one for one in self.courses if min(one.recalls) >= self.least), None)

    @property
    def cadence(self) -> Course:
        """Of the courses that differ in nothing but how often lists are released, the best."""
        same = [
            one
            for one in self.courses
            if one.setting.changed(every=1) == self.asked.setting.changed(every=1)
        ]
        return max(same, key=lambda one: (round(one.mean, 3), -one.setting.every))


def alternatives(asked: NightlySetting, nights: int) -> Iterable[NightlySetting]:
    """What else could be done: release less often, show more slots, promise less."""
    yield asked
    for every in (7, max(8, nights // 3)):
        if every <= nights and every != asked.every:
            yield asked.changed(every=every)
    for more in MORE_SLOTS:
        if asked.top * more <= _MOST_SLOTS:
            yield asked.changed(top=asked.top * more)
    for delta in ("0.2", "0.3", "0.5"):
        if Fraction(delta) > Fraction(asked.delta):
            yield asked.changed(delta=delta)
            if asked.top * _SLOTS_BESIDE_DELTA <= _MOST_SLOTS:
                yield asked.changed(delta=delta, top=asked.top * _SLOTS_BESIDE_DELTA)


def advise_nightly(
    timeline: Timeline,
    asked: NightlySetting,
    *,
    nights: int = 30,
    growth: Fraction = Fraction(1, 100),
    least: float = 0.8,
    similarity: Similarity | None = None,
    progress: Progress = SILENT,
    on_course: Callable[[Course], None] = lambda course: None,
) -> NightlyAdvice:
    """Try the setting that was asked for and others on the last nights of these ratings."""
    cuts = nightly_cuts(timeline.ratings.n_ratings, nights, growth)
    shop = NightlyShop(timeline, cuts, asked.top, similarity, progress)
    courses = []
    tried = list(alternatives(asked, nights))
    with progress.task("Trying settings", len(tried)) as task:
        for setting in tried:
            courses.append(shop.course(setting))
            on_course(courses[-1])
            task.advance()
    return NightlyAdvice(tuple(courses), least, nights)
