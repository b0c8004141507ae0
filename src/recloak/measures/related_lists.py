"""Measure `related-lists`: what is left of related-item lists, over all releases or of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.findings import Figure, Finding
from recloak.lists.related import EMPTY, Slots
from recloak.lists.scene import ListScene
from recloak.measures.base import Measure
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.scene import Scene

_MEANINGS = {
    "list_recall": "entries of the raw lists that are still in the same list, in whichever slot",
    "targeted_recall": "the same over the lists that differ from the raw ones",
    "lists_changed": "lists that differ from the raw ones",
    "list_filled": "slots that hold an item, of those that hold one in the raw lists",
    "suppressed": "entries of the raw lists that are shown no more",
    "permuted": "entries of the raw lists that stand in another slot of the same list",
    "worst_breach": "the largest share of those with a background who rated what the lists hint at",
}
_COUNTS = ("suppressed", "permuted")


class RelatedListsParameters(Parameters):
    """Which release is looked at."""

    release: int = Field(default=0, ge=0)
    """The number of the release, counted from 0 for the first, which is raw; 0 is the mean of all
    that are judged (the sum of what was suppressed and permuted, the worst of all breaches)."""


@dataclass(frozen=True)
class Comparison:
    """Published slots beside raw ones; slots are never collapsed."""

    raw: Slots
    shown: Slots

    def figures(self) -> dict[str, float]:
        """All but the worst breach; targeted recall only if any list differs."""
        wanted = self.raw != EMPTY
        same = (self.raw[:, :, None] == self.shown[:, None, :]) & wanted[:, :, None]
        kept = same.any(axis=2)
        moved = kept & (same.argmax(axis=2) != np.arange(self.raw.shape[1]))
        differs = (self.raw != self.shown).any(axis=1)
        told = {
            "list_recall": _share(kept, wanted),
            "lists_changed": _share(differs, wanted.any(axis=1) | differs),
            "list_filled": _share((self.shown != EMPTY) & wanted, wanted),
            "suppressed": float((wanted & ~kept).sum()),
            "permuted": float(moved.sum()),
        }
        if wanted[differs].any():
            told["targeted_recall"] = _share(kept[differs], wanted[differs])
        return told


class RelatedLists(Measure):
    """Recall of the published lists against the raw ones of the same release, and what was done.

    Entries count by set: one that moved within its list is kept. Slots that are empty in the raw
    list do not count.
    """

    name: ClassVar[str] = "related-lists"
    summary: ClassVar[str] = "How many entries of related-item lists are left, moved or gone."
    reference: ClassVar[str] = (
        "Chen, Xie, Lakshmanan: Thwarting Passive Privacy Attacks in Collaborative Filtering. "
        "DASFAA 2014."
    )
    figures: ClassVar[tuple[str, ...]] = tuple(_MEANINGS)
    Parameters: ClassVar[type[Parameters]] = RelatedListsParameters
    parameters: RelatedListsParameters

    @property
    def label(self) -> str:
        return f"release {self.parameters.release}" if self.parameters.release else "all releases"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        with progress.task("Looking for lists", 1) as task:
            task.advance()
        return self._finding({}, 0, seed, "A table of ratings has no lists: not measured.")

    def run_lists(self, scene: ListScene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        wanted = self.parameters.release
        places = [place for place in scene.places if wanted in (0, place)]
        found: list[dict[str, float]] = []
        entries = 0
        with progress.task("Comparing lists", max(1, len(places))) as task:
            for place in places:
                compared = Comparison(scene.raw[place], scene.tables[place])
                entries += int((compared.raw != EMPTY).sum())
                worst = scene.worst(place, progress)
                found.append(
                    compared.figures() | {"worst_breach": float(worst.share) if worst else 0.0}
                )
                task.advance()
        if not entries:
            return self._finding({}, 0, seed, "There is no such list to compare: not measured.")
        return self._finding(_together(found), entries, seed, "")

    def _finding(self, found: dict[str, float], sample: int, seed: int, note: str) -> Finding:
        figures = tuple(
            Figure(name, found[name], unit="count" if name in _COUNTS else "share", meaning=meaning)
            for name, meaning in _MEANINGS.items()
            if name in found
        )
        summary = f"Published lists beside the raw ones of the same release, {self.label}."
        return self.finding(summary, figures, sample, seed, (note,) if note else ())


def _together(found: list[dict[str, float]]) -> dict[str, float]:
    """Means over releases, but sums of counts and the worst of all breaches."""
    together = {}
    for name in _MEANINGS:
        values = [one[name] for one in found if name in one]
        if not values:
            continue
        mean = float(np.mean(values))
        together[name] = (
            sum(values) if name in _COUNTS else max(values) if name == "worst_breach" else mean
        )
    return together


def _share(part: np.ndarray, whole: np.ndarray) -> float:
    total = int(whole.sum())
    return float(part.sum()) / total if total else 1.0
