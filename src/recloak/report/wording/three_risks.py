"""The three risks of the European guidance, each beside its control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recloak.auditing.evaluation_registry import by_evaluation
from recloak.evaluation.figures import RISKS, DeclaredFigure, Risk
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import amount, figure_shown, sentence_case
from recloak.report.table import MISSING, Table

QUESTIONS: dict[Risk, str] = {
    "singling out": "Is an attacker sure which row is a person's?",
    "linkability": "Can an attacker tell who is in the release?",
    "inference": "Does an attacker know more about a person because they are in the release?",
}
CAPTION = "The strongest attack on each risk, with people in the release and with others"
COLUMNS = ("Risk", "Strongest attack", "People in the release", "People not in it", "Difference")
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class RiskFound:
    """The least favourable figure on one risk, and what it is to be compared with."""

    risk: Risk
    declared: DeclaredFigure
    finding: Finding
    figure: Figure

    @property
    def given_away(self) -> float:
        """How far it lies between the control, 0, and certainty, 1."""
        chance = self.declared.chance
        return (self.figure.value - chance) / (1 - chance)

    @property
    def in_release(self) -> str:
        """How far the attacker gets with people in the release."""
        beside = self.finding.figure(self.declared.members)
        if beside is not None:
            return figure_shown(beside)
        return figure_shown(self.figure) if self.declared.chance else MISSING

    @property
    def not_in_release(self) -> str:
        """How far the same attacker gets with people who are not in it, or by guessing."""
        beside = self.finding.figure(self.declared.control)
        if beside is not None:
            return figure_shown(beside)
        return (
            f"{amount(self.declared.chance, 'share')} (guessing)"
            if self.declared.chance
            else MISSING
        )

    @property
    def difference(self) -> str:
        """What only the release gives away."""
        chance, found = self.declared.chance, self.figure
        if not chance:
            return figure_shown(found)
        low, high = (None if end is None else end - chance for end in (found.low, found.high))
        return figure_shown(Figure(found.name, found.value - chance, low, high, found.unit))


def risks_found(
    audit: Audit, among: Iterable[Finding] | None = None
) -> dict[Risk, RiskFound | None]:
    """For each risk what is least favourable, ``among`` some findings or all."""
    wanted = None if among is None else {id(one) for one in among}
    found: dict[Risk, RiskFound | None] = {}
    for risk in RISKS:
        candidates = [one for one in _candidates(audit, wanted) if one.risk == risk]
        found[risk] = max(candidates, key=lambda one: one.given_away, default=None)
    return found


def worst_risk(audit: Audit) -> RiskFound | None:
    """The risk that the release is furthest from its control in."""
    found = [one for one in risks_found(audit).values() if one is not None]
    return max(found, key=lambda one: one.given_away, default=None)


def three_risks(audit: Audit) -> Table | None:
    """A row for each risk; None where the audit has no attack that measures any."""
    found = risks_found(audit)
    if not any(found.values()):
        return None
    return Table(CAPTION, COLUMNS, tuple(_row(risk, one) for risk, one in found.items()))


def _candidates(audit: Audit, wanted: set[int] | None) -> Iterator[RiskFound]:
    for one, findings in by_evaluation(audit):
        allowed = [each for each in findings if wanted is None or id(each) in wanted]
        for declared in one.figures:
            worst = declared.worst(allowed) if declared.risk else None
            if worst is not None and declared.risk is not None:
                yield RiskFound(declared.risk, declared, *worst)


def _row(risk: Risk, found: RiskFound | None) -> tuple[str, ...]:
    name = f"{sentence_case(risk)}: {QUESTIONS[risk]}"
    if found is None:
        return (name, NOT_MEASURED, MISSING, MISSING, MISSING)
    shown = (found.in_release, found.not_in_release, found.difference)
    return (name, found.finding.title, *shown)
