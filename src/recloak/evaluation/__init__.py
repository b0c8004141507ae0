"""What attacks and measures have in common: they look at a context and report figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from recloak.core.component import Component
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import BarChart, DeclaredFigure, Role
from recloak.evaluation.findings import Audit, Figure, Finding

DEFAULTS = ("",)


class Evaluation(Component, ABC):
    """Finds something out about a release whose answers are known.

    It declares all that others need to know of it: audit, policy, comparison, report and
    documentation go by these declarations, whoever provides the evaluation.
    """

    family: ClassVar[Literal["attack", "measure"]]
    figures: ClassVar[tuple[DeclaredFigure, ...]] = ()
    """The figures that a finding may hold."""
    bar_charts: ClassVar[tuple[BarChart, ...]] = ()
    """Charts of its figures, for the report; those by what an attacker knows need none."""
    audited_with: ClassVar[tuple[str, ...]] = DEFAULTS
    """Parameters of its runs in an audit, as ``known=4,values=no``; an empty text for defaults."""
    compared_with: ClassVar[tuple[str, ...]] = DEFAULTS
    """The same for a comparison of methods."""
    subject: ClassVar[Literal["ratings", "lists"]] = "ratings"
    """What it is about: a table of ratings, or a history of related-item lists."""
    applies_to: ClassVar[str] = ""
    """Which releases `applies` is about, in words that follow "every audit": ``of groups``."""
    leaves_open: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What it does not cover: a few words, and a sentence, for the report's list of limits."""

    takes_turns: ClassVar[str] = ""
    """Those of the same word run one after the other, in their order: they share what the first
    of them makes. An audit runs all others side by side."""

    def applies(self, context: AuditContext) -> bool:
        """Does it make sense for this release? If not, an audit leaves it out unless asked."""
        return True

    @abstractmethod
    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        """Find out; the same seed gives the same finding.

        Parameters
        ----------
        context
            The original, the release, who is who, and what else may be looked at.
        seed
            Decides samples and draws.
        progress
            Where to report how far the work is, and whether to stop.

        Returns
        -------
        Finding
            The declared figures, or notes that say why there are none.

        """

    @classmethod
    def declared(cls, name: str) -> DeclaredFigure | None:
        """The declaration of the figure called ``name``."""
        return next((figure for figure in cls.figures if figure.name == name), None)

    @classmethod
    def declared_as(cls, role: Role) -> DeclaredFigure | None:
        """The declaration of the figure that has this role, whatever its name."""
        return next((figure for figure in cls.figures if figure.role == role), None)

    @classmethod
    def figure_names(cls) -> tuple[str, ...]:
        """The names of all its figures."""
        return tuple(figure.name for figure in cls.figures)

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        """What the report says of its findings in an audit, each sentence true for any figures.

        By default the declared sentence of each figure, about the least favourable finding.
        """
        sentences = []
        for figure in cls.figures:
            found = figure.worst(list(findings)) if figure.sentence else None
            if found is not None:
                sentences.append(figure.sentence_about(found[1], found[0].title))
        return sentences

    @classmethod
    def opening(cls, findings: Sequence[Finding]) -> str | None:
        """The sentence that a report begins with which is about its subject alone, if any."""
        return None

    def finding(
        self,
        summary: str,
        figures: tuple[Figure, ...],
        sample: int,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        """What was found, under the evaluation's name; without figures the notes say why."""
        return Finding(
            family=self.family,
            name=self.name,
            parameters=self.parameters.public(),
            summary=summary,
            label=self.label,
            figures=figures,
            sample=sample,
            seed=seed,
            notes=notes,
        )
