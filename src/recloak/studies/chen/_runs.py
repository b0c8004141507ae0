"""Runs for the studies of Chen et al.: one history by one algorithm, and what it came to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from recloak.attacks.passive_inference import PassiveInference
from recloak.core.progress import Progress
from recloak.core.timeline import Timeline
from recloak.evaluation.findings import Finding
from recloak.evaluation.list_context import ListContext, context_of
from recloak.lists.perturbed import perturbed
from recloak.lists.protection import ALGORITHMS, Algorithm
from recloak.lists.replay import new_history, protect_next
from recloak.measures.related_lists import RelatedLists
from recloak.recommenders.similarity import Cosine, rank
from recloak.releases.lists.fractions import fraction_of
from recloak.releases.lists.history import History
from recloak.releases.lists.related import Lists, Slots
from recloak.releases.lists.unprotected import dated_raw
from recloak.studies.data import DataSet

NOISE = "noise"
RAW = "unprotected"
PROTECTED = ("suppression", "permutation", "constructive")
ADVERSARY = {"known": 20, "at_least": 2}
DEFAULTS: dict[str, Any] = {"window": 4, "gap": "0.05", "delta": "0.1", "top": 5}
VARIED: dict[str, tuple[Any, ...]] = {
    "window": (2, 4, 6),
    "gap": ("0.02", "0.05", "0.1"),
    "delta": ("0.05", "0.1", "0.2", "0.5"),
    "top": (3, 5, 10),
}


class HistorySetting(NamedTuple):
    """One history: where it starts, how many releases follow at most, and what is promised."""

    start: str
    releases: int
    window: int
    gap: str
    delta: str
    top: int

    @classmethod
    def of(cls, start: str, releases: int, **changed: Any) -> HistorySetting:
        return cls(start, releases, **{**DEFAULTS, **changed})

    def cuts(self, timeline: Timeline) -> list[int]:
        start, gap = fraction_of(self.start), fraction_of(self.gap)
        return timeline.cuts(start, gap, min(self.releases, int((1 - start) / gap)))


@dataclass(frozen=True)
class HistoryRun:
    """What one history came to; seconds are those of the processor for one release."""

    recall: float
    targeted: float | None
    first: float
    last: float
    suppressed: int | None
    permuted: int | None
    filled: float
    worst: float
    right: float | None
    guesses: int
    ranking: float | None
    protecting: float | None
    verifying: float


class HistoryRuns:
    """All runs on one data set; each is done once, for every figure asks for the same ones."""

    _kept: ClassVar[dict[tuple[str, int, HistorySetting, str], HistoryRun]] = {}

    def __init__(self, data: DataSet, progress: Progress) -> None:
        self.name, self.ratings, self._progress = data.name, data.ratings, progress
        self.timeline = Timeline(data.ratings)
        self._noisy = Timeline(perturbed(data.ratings))
        self._ranked: dict[tuple[int, bool], Slots] = {}

    def run(self, setting: HistorySetting, what: str) -> HistoryRun:
        """The history of ``setting`` by an algorithm, from noisy ratings, or unprotected."""
        key = (self.name, self.ratings.n_ratings, setting, what)
        if key not in self._kept:
            self._kept[key] = self._done(setting, what)
        return self._kept[key]

    def _done(self, setting: HistorySetting, what: str) -> HistoryRun:
        spent: list[tuple[float, float]] = []
        raw = [release.lists for release in self._unprotected(setting).releases]
        if what in PROTECTED:
            history = self._protected(setting, what, spent)
        else:
            history = self._unprotected(setting, noisy=what == NOISE)
        delta = fraction_of(setting.delta)
        context = context_of(history, self.ratings, raw=raw, delta=delta, progress=self._progress)
        return _summary(context, spent, self._progress)

    def _raw(self, cut: int, top: int, *, noisy: bool = False) -> Lists:
        """Raw lists at a cut; the longest are made once, shorter ones are their beginnings."""
        if (cut, noisy) not in self._ranked:
            timeline = self._noisy if noisy else self.timeline
            longest = max(VARIED["top"])
            ranked = rank(timeline.at(cut), Cosine(), longest, progress=self._progress)
            self._ranked[cut, noisy] = ranked.top
        slots = np.ascontiguousarray(self._ranked[cut, noisy][:, :top])
        return Lists(slots, self.ratings.item_labels)

    def _unprotected(self, setting: HistorySetting, *, noisy: bool = False) -> History:
        cuts = enumerate(setting.cuts(self.timeline))
        dated = [
            dated_raw(self.timeline, cut, self._raw(cut, setting.top, noisy=noisy), place)
            for place, cut in cuts
        ]
        return History(tuple(dated), setting.window)

    def _protected(
        self, setting: HistorySetting, name: str, spent: list[tuple[float, float]]
    ) -> History:
        maker = ALGORITHMS.get(name)(delta=setting.delta, window=setting.window, top=setting.top)
        first, *cuts = setting.cuts(self.timeline)
        raw = self._raw(first, setting.top)
        history = new_history(maker, dated_raw(self.timeline, first, raw))
        for cut in cuts:
            history = self._next(history, cut, maker, spent)
        return history

    def _next(
        self, history: History, cut: int, maker: Algorithm, spent: list[tuple[float, float]]
    ) -> History:
        """One more release; its ranking and the rest are timed apart."""
        started = time.process_time()
        ranked = rank(
            self.timeline.at(cut),
            Cosine(),
            maker.parameters.top,
            depth=maker.parameters.depth,
            delta=Fraction(maker.delta),
            before=history.releases[-1].lists.widened(maker.parameters.top),
            progress=self._progress,
        )
        middle = time.process_time()
        history = protect_next(
            history, self.timeline, cut, maker, ranked=ranked, progress=self._progress
        )
        spent.append((middle - started, time.process_time() - middle))
        return history


def _summary(
    context: ListContext, spent: list[tuple[float, float]], progress: Progress
) -> HistoryRun:
    started = time.process_time()
    for place in context.places:
        context.worst(place, progress)
    verifying = (time.process_time() - started) / max(1, len(context.places))
    whole = RelatedLists().run_lists(context, progress=progress)
    recalls = [
        _value(RelatedLists(release=place).run_lists(context), "list_recall") or 0.0
        for place in context.places
    ]
    guessed = PassiveInference(**ADVERSARY).run_lists(context, progress=progress)
    ranking = _mean([ranked for ranked, _ in spent]) if spent else None
    protecting = _mean([rest for _, rest in spent]) if spent else None
    return HistoryRun(
        recall=_value(whole, "list_recall") or 0.0,
        targeted=_value(whole, "targeted_recall"),
        first=recalls[0] if recalls else 0.0,
        last=recalls[-1] if recalls else 0.0,
        suppressed=_counted(context.history, "suppressed"),
        permuted=_counted(context.history, "permuted"),
        filled=_value(whole, "list_filled") or 0.0,
        worst=_value(whole, "worst_breach") or 0.0,
        right=_value(guessed, "inference_precision"),
        guesses=int(_value(guessed, "guesses") or 0),
        ranking=ranking,
        # the release was verified once while it was made
        protecting=None if protecting is None else max(0.0, protecting - verifying),
        verifying=verifying,
    )


def _mean(seconds: Sequence[float]) -> float:
    return sum(seconds) / len(seconds)


def _value(finding: Finding, name: str) -> float | None:
    figure = finding.figure(name)
    return figure.value if figure else None


def _counted(history: History, name: str) -> int | None:
    """What the algorithm says that it did, over all releases."""
    changes = [release.changes for release in history.releases if release.changes]
    return sum(getattr(one, name) for one in changes) if changes else None


def settings(starts: tuple[str, ...], releases: int) -> Iterator[tuple[str, Any, HistorySetting]]:
    """What is varied, its value, and the history: all others at their defaults."""
    for start in starts:
        for name, values in VARIED.items():
            for value in values:
                yield name, value, HistorySetting.of(start, releases, **{name: value})
