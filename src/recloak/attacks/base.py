"""Base of all attacks: a simulated adversary against a release whose linkage is known."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from recloak.core.progress import SILENT, Progress
from recloak.evaluation import Evaluation
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.list_context import ListContext
from recloak.evaluation.promises import Promise


class Attack(Evaluation):
    """A simulated adversary; the auditor knows who is who, the adversary does not."""

    family: ClassVar[Literal["attack", "measure"]] = "attack"
    opens_report: ClassVar[bool] = False
    """Is its adversary an acquaintance of the person? Then the report begins with it."""
    adversary_acts: ClassVar[str] = "names one row"
    """What the adversary does, as the end of a sentence."""

    @classmethod
    def known_items(cls, parameters: Mapping[str, Any]) -> int | None:
        """How many items the adversary knows, 0 for all; None if the attack does not say so."""
        known = parameters.get("known")
        countable = isinstance(known, int) and not isinstance(known, bool) and known >= 0
        return known if countable else None

    @classmethod
    def knows_values(cls, parameters: Mapping[str, Any]) -> bool:
        """Does the adversary know ratings, rather than which items were rated?"""
        return bool(parameters.get("values", True)) and parameters.get("matching") != "items"

    @classmethod
    def promises(
        cls,
        findings: Sequence[Finding],
        audit: Audit,
        rates: Sequence[tuple[Finding, Figure]],
    ) -> list[Promise]:
        """What the literature promises of groups of k people, as far as its findings tell.

        ``rates`` has every attack of the audit that finds people, and how often it does.
        """
        return []


class ListAttack(Attack):
    """An adversary of a sequence of related-item lists; a table of ratings has none."""

    subject: ClassVar[Literal["ratings", "lists"]] = "lists"

    @abstractmethod
    def run_lists(
        self, context: ListContext, seed: int = 0, progress: Progress = SILENT
    ) -> Finding:
        """Attack; the same seed gives the same finding."""

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        with progress.task("Looking for lists", 1) as task:
            task.advance()
        return self.list_finding((), 0, seed, ("A table of ratings has no lists: not measured.",))

    def list_finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        """The finding of this attack; without figures the notes say why."""
        summary = f"The adversary {self.label}."
        return self.finding(summary, figures, sample, seed, notes)
