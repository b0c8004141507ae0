"""Advice: what is recommended and why, and how notebooks show it."""

from __future__ import annotations

from dataclasses import dataclass

from recloak.auditing.policy import Requirement
from recloak.comparison.relaxing import Relaxation
from recloak.comparison.requirements import Objective, RequirementResult, judge, policy_of
from recloak.comparison.run import Comparison
from recloak.comparison.trials import Trial
from recloak.evaluation import notebook_tables
from recloak.evaluation.notebook_tables import Cell, StatusMark
from recloak.report.table import MISSING
from recloak.report.wording.unjudged import not_looked_at


@dataclass(frozen=True)
class Round:
    """A round on a sample: on how many people, which settings went in and which went on.

    ``first`` is the setting that would be advised by this round alone; empty if none would be.
    """

    people: int
    tried: tuple[str, ...]
    kept: tuple[str, ...]
    first: str = ""

    def __str__(self) -> str:
        tried = f"On a sample of {self.people:,} people {len(self.tried)} settings were tried"
        met = "none met all that was required"
        if self.first:
            met = f"{self.first} came first of those that met all that was required"
        return (
            f"{tried}, by the required attacks only: {met}; {len(self.kept)} went on. "
            "Among few people everybody stands out more, so full runs decide."
        )


@dataclass(frozen=True, repr=False)
class Advice:
    """The frontier, the pick with its reason, and what comes nearest if nothing satisfies."""

    comparison: Comparison
    objective: Objective
    requirements: tuple[Requirement, ...]
    frontier: tuple[Trial, ...]
    pick: Trial | None
    nearest: Trial | None
    reason: str
    rounds: tuple[Round, ...] = ()
    relaxations: tuple[Relaxation, ...] = ()
    people: int | None = None
    """On how many people, drawn at random, everything was tried; None if on all of them."""

    def met(self, trial: Trial) -> list[RequirementResult]:
        """How a trial stands to each requirement."""
        return [judge(one, trial) for one in self.requirements]

    @property
    def not_looked_at(self) -> str:
        """What was found out about the pick and nothing that is required judges."""
        if self.pick is None:
            return ""
        judged = self.pick.judged(policy_of(self.requirements, self.pick)).audit
        return not_looked_at(judged, required=True) if judged else ""

    @property
    def chosen(self) -> Trial | None:
        """The pick, or what comes nearest."""
        return self.pick or self.nearest

    @property
    def title(self) -> str:
        """What is advised, in a line."""
        return f"Advice: {self.pick.name}" if self.pick else "Nothing satisfies the requirements"

    def __repr__(self) -> str:
        return "\n".join([self.title, *(f"  {one}" for one in self._sentences())])

    def _repr_html_(self) -> str:
        said = [(sentence,) for sentence in self._sentences()]
        mark = StatusMark.of("pass" if self.pick else "fail")
        head = ("setting", self.objective.figure, *(one.in_words for one in self.requirements))
        caption = f"The frontier: {self.objective.words} against what was required"
        frontier = notebook_tables.table(caption, map(self._row, self.frontier), head)
        return notebook_tables.table(self.title, said, mark=mark) + frontier

    def _row(self, trial: Trial) -> list[Cell]:
        found = self.objective.found(trial)
        met = [
            StatusMark(one.shown or one.status, StatusMark.of(one.status).mark)
            for one in self.met(trial)
        ]
        return [trial.name, found.shown() if found else MISSING, *met]

    def _sentences(self) -> list[str]:
        """The reason, what to relax, and what was not looked at."""
        return [self.reason, *map(str, self.relaxations), *filter(None, [self.not_looked_at])]
