"""Which attacks and measures there are, which of them run by default, and what they declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from recloak.attacks import ATTACKS, Attack, attack
from recloak.core.parameters import parse_spec
from recloak.core.registry import Registry
from recloak.core.survey import SurveyParameters
from recloak.evaluation import Evaluation
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import UTILITY, DeclaredFigure, Role
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.measures import MEASURES, Measure, measure

Family = Literal["attack", "measure"]
Subject = Literal["ratings", "lists"]

_REGISTRIES: dict[Family, Registry[Any]] = {"attack": ATTACKS, "measure": MEASURES}
_MAKERS: dict[Family, Callable[[str], Evaluation]] = {"attack": attack, "measure": measure}


def evaluations(family: Family) -> list[type[Evaluation]]:
    """All attacks or all measures, those of other packages last."""
    registry = _REGISTRIES[family]
    return [registry.get(name) for name in registry.names()]


def audited_by_default(family: Family, subject: Subject = "ratings") -> tuple[str, ...]:
    """What an audit runs by default, written as ``record-linkage:known=4``."""
    return tuple(
        _spec(one, settings)
        for one in evaluations(family)
        if one.subject == subject
        for settings in one.audited_with
    )


def compared_by_default(family: Family, *, survey: bool = False) -> tuple[str, ...]:
    """What a comparison runs on every release, spelled out in full.

    Of a ``survey`` also what is about surveys alone, with the settings that an audit has.
    """
    return tuple(
        _MAKERS[family](_spec(one, settings)).spec
        for one in evaluations(family)
        if one.subject == "ratings"
        for settings in (one.audited_with if survey and _of_survey(one) else one.compared_with)
    )


def _of_survey(one: type[Evaluation]) -> bool:
    return issubclass(one.Parameters, SurveyParameters)


def applicable(family: Family, context: AuditContext) -> list[str]:
    """What an audit of this release runs by default: all that applies to it."""
    make = _MAKERS[family]
    return [spec for spec in audited_by_default(family) if make(spec).applies(context)]


def evaluation(spec: str) -> Evaluation:
    """The attack or measure that is written so."""
    return attack(spec) if parse_spec(spec)[0] in ATTACKS.names() else measure(spec)


def evaluation_of(finding: Finding) -> type[Evaluation]:
    """What found it; the family itself if that is not installed here."""
    registry = _REGISTRIES[finding.family]
    if finding.name in registry.names():
        found: type[Evaluation] = registry.get(finding.name)
        return found
    return Attack if finding.family == "attack" else Measure


def figure_as(finding: Finding, role: Role) -> Figure | None:
    """The figure that has this role for what found it, whatever its name."""
    declared = evaluation_of(finding).declared_as(role)
    return finding.figure(declared.name) if declared else None


def share_as(finding: Finding, role: Role) -> Figure | None:
    """The same if it is a share that is known and somebody was tried."""
    declared = evaluation_of(finding).declared_as(role)
    return finding.share(declared.name) if declared else None


def by_evaluation(audit: Audit) -> Iterator[tuple[type[Evaluation], list[Finding]]]:
    """The findings of an audit, those of each attack and measure together, attacks first."""
    families: tuple[Family, ...] = ("attack", "measure")
    for family in families:
        for one in evaluations(family):
            found = [
                each for each in audit.findings if (each.family, each.name) == (family, one.name)
            ]
            if found:
                yield one, found


def utility_figures() -> list[DeclaredFigure]:
    """The figures that measures declare to stand for utility, those about newcomers first.

    People in the release stand in where there are too few to leave some out.
    """
    kinds = sorted(map(MEASURES.get, MEASURES), key=lambda one: one.people != "newcomers")
    return [figure for one in kinds for figure in one.figures if figure.stands_for == UTILITY]


def declared_figures() -> dict[str, DeclaredFigure]:
    """Every figure that is declared, by its name; where several declare it, by the first."""
    families: tuple[Family, ...] = ("attack", "measure")
    found: dict[str, DeclaredFigure] = {}
    for family in families:
        for one in evaluations(family):
            for figure in one.figures:
                found.setdefault(figure.name, figure)
    return found


def _spec(one: type[Evaluation], settings: str) -> str:
    return f"{one.name}:{settings}" if settings else one.name
