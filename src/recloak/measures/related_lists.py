"""Measure `related-lists`: what is left of related-item lists, over all releases or of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import WORST_BREACH, DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import amount, figure_shown
from recloak.evaluation.list_context import ListContext
from recloak.measures.base import Measure
from recloak.releases.lists.history import ProtectionChanges
from recloak.releases.lists.related import EMPTY, Slots

_MEANINGS = {
    "list_recall": "entries of the raw lists that are still in the same list, in any slot",
    "targeted_recall": "the same over the lists that differ from the raw ones",
    "lists_changed": "lists that differ from the raw ones",
    "list_filled": "slots that hold an item, of those that hold one in the raw lists",
    "suppressed": (
        "entries that were taken out of the raw lists; if it is not known what was done, those "
        "that are no longer shown"
    ),
    "permuted": (
        "entries of the raw lists that were moved; if it is not known what was done, those that "
        "are in another slot of the same list"
    ),
    "worst_breach": (
        "of the people who rated certain items, the largest share that also rated an item that "
        "entered or climbed in their lists"
    ),
}
_COUNTS = ("suppressed", "permuted")


class RelatedListsParameters(Parameters):
    """Which release is looked at."""

    release: int = Field(default=0, ge=0)
    """The number of the release, counted from 0 for the first, which is raw; 0 is the mean of all
    that are judged (for suppressed and permuted entries the sum, for breaches the worst)."""


@dataclass(frozen=True)
class ListComparison:
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
        figures = {
            "list_recall": _share(kept, wanted),
            "lists_changed": _share(differs, wanted.any(axis=1) | differs),
            "list_filled": _share((self.shown != EMPTY) & wanted, wanted),
            "suppressed": float((wanted & ~kept).sum()),
            "permuted": float(moved.sum()),
        }
        if wanted[differs].any():
            figures["targeted_recall"] = _share(kept[differs], wanted[differs])
        return figures


_LEAVES_OPEN = (
    (
        "More than the items whose lists change.",
        "The bound holds for a background made of items whose lists an item newly enters or "
        "climbs in. Someone who knows one further item of a person may be surer than the bound "
        "says.",
    ),
    (
        "Disappearances, empty slots, and three releases at once.",
        "What follows from an item that leaves a list, from a slot that is left empty, or from "
        "combining more than two releases is not covered.",
    ),
)
_FIGURES = (
    DeclaredFigure(
        "list_recall",
        worse="less",
        column="recall",
        heading="List recall, targeted recall, filled",
        meaning=(
            "The share of entries of the raw lists that are in the published ones, in any slot; "
            "the same for lists that were changed; and the share of slots that are not empty."
        ),
        line="Entries kept, all lists",
    ),
    DeclaredFigure(
        "targeted_recall", worse="less", column="targeted", line="Entries kept, changed lists"
    ),
    DeclaredFigure("lists_changed"),
    DeclaredFigure(
        "suppressed",
        "count",
        worse="more",
        column="suppressed",
        heading="Suppressed, permuted",
        meaning=(
            "How many entries were taken out of the raw lists, and how many were moved to "
            "another slot, as the algorithm counted them. For lists that are read from a folder "
            "this is not known: instead, how many are no longer shown, and how many are in "
            "another slot."
        ),
    ),
    DeclaredFigure("permuted", "count", worse="more", column="moved"),
    DeclaredFigure("list_filled", worse="less", column="filled"),
    WORST_BREACH,
)


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
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "of lists"
    compared_with: ClassVar[tuple[str, ...]] = ()
    subject: ClassVar[Literal["ratings", "lists"]] = "lists"
    leaves_open: ClassVar[tuple[tuple[str, str], ...]] = _LEAVES_OPEN
    Parameters: ClassVar[type[Parameters]] = RelatedListsParameters
    parameters: RelatedListsParameters

    @property
    def label(self) -> str:
        return f"release {self.parameters.release}" if self.parameters.release else "all releases"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        finding = _over_all_releases(findings)
        recall = finding.share("list_recall") if finding else None
        if finding is None or recall is None:
            return []
        filled = finding.share("list_filled")
        beside = f", and {figure_shown(filled)} of the slots hold an item" if filled else ""
        return [f"{figure_shown(recall)} of the entries of the raw lists are kept{beside}."]

    @classmethod
    def opening(cls, findings: Sequence[Finding]) -> str | None:
        """The worst that a change of lists tells."""
        finding = _over_all_releases(findings)
        worst = finding.share("worst_breach") if finding else None
        if worst is None:
            return None
        if worst.value <= 0:
            return (
                "No change of a list was found that reveals, in the sense of the bound, which of "
                "the people who rated certain items also rated another."
            )
        return (
            f"In the worst case a change of lists reveals that {amount(worst.value, 'share')} of "
            "those who rated certain items also rated the item that moved."
        )

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        with progress.task("Looking for lists", 1) as task:
            task.advance()
        return self._finding({}, 0, seed, "A table of ratings has no lists: not measured.")

    def run_lists(
        self, context: ListContext, seed: int = 0, progress: Progress = SILENT
    ) -> Finding:
        wanted = self.parameters.release
        places = [place for place in context.places if wanted in (0, place)]
        found: list[dict[str, float]] = []
        entries = 0
        with progress.task("Comparing lists", max(1, len(places))) as task:
            for place in places:
                compared = ListComparison(context.raw[place], context.tables[place])
                entries += int((compared.raw != EMPTY).sum())
                worst = context.worst(place, progress)
                found.append(
                    compared.figures()
                    | _as_counted(context.history.releases[place].changes)
                    | {"worst_breach": float(worst.share) if worst else 0.0}
                )
                task.advance()
        if not entries:
            return self._finding({}, 0, seed, "There is no such list to compare: not measured.")
        return self._finding(_over_releases(found), entries, seed, "")

    def _finding(self, found: dict[str, float], sample: int, seed: int, note: str) -> Finding:
        figures = tuple(
            Figure(name, found[name], unit="count" if name in _COUNTS else "share", meaning=meaning)
            for name, meaning in _MEANINGS.items()
            if name in found
        )
        summary = f"Published lists beside the raw ones of the same release, {self.label}."
        return self.finding(summary, figures, sample, seed, (note,) if note else ())


def _over_releases(found: list[dict[str, float]]) -> dict[str, float]:
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


def _as_counted(changes: ProtectionChanges | None) -> dict[str, float]:
    """What an algorithm did, if it said so: an entry that it took out may have come back."""
    if changes is None:
        return {}
    taken_out = changes.suppressed + changes.emptied
    return {"suppressed": float(taken_out), "permuted": float(changes.permuted)}


def _share(part: np.ndarray, whole: np.ndarray) -> float:
    total = int(whole.sum())
    return float(part.sum()) / total if total else 1.0


def _over_all_releases(findings: Sequence[Finding]) -> Finding | None:
    return next((one for one in findings if not one.parameters.get("release")), None)
