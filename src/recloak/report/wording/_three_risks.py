"""The three risks of the European guidance, each beside its control."""

from __future__ import annotations

from recloak.auditing.evaluations import by_evaluation
from recloak.evaluation.figures import RISKS, DeclaredFigure
from recloak.evaluation.findings import Audit, Finding
from recloak.evaluation.formatting import figure_shown, sentence_case
from recloak.report.table import MISSING, Table

CAPTION = "How far the strongest attacker gets, with people in the release and with others"
COLUMNS = ("Risk", "Attack", "In the release", "Not in it", "Difference")


def three_risks(audit: Audit) -> Table | None:
    """For each risk and each figure that measures it the finding that is least favourable."""
    rows = []
    for risk in RISKS:
        for one, findings in by_evaluation(audit):
            for figure in one.figures:
                if figure.risk == risk:
                    rows += _row(figure, findings)
    return Table(CAPTION, COLUMNS, tuple(rows)) if rows else None


def _row(figure: DeclaredFigure, findings: list[Finding]) -> list[tuple[str, ...]]:
    worst = figure.worst(findings)
    if worst is None or figure.risk is None:
        return []
    finding, found = worst
    beside = (finding.figure(name) for name in (figure.members, figure.control))
    shown = (figure_shown(one) if one is not None else MISSING for one in beside)
    name = f"{sentence_case(figure.risk)}: {figure.heading.lower()}"
    return [(name, finding.title, *shown, figure_shown(found))]
