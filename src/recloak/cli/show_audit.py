"""An audit on the screen: claims, attacks, measures, lights."""

from __future__ import annotations

from recloak.cli.screen import Screen
from recloak.findings import Audit, Finding

MARKS = {"pass": "✔ pass", "fail": "✘ FAIL", "not measured": "? not measured"}
FIGURES_SHOWN = 4  # the first ones of a measure; the report has them all


def show_audit(screen: Screen, audit: Audit) -> None:
    """The summary; the report has the rest."""
    if audit.verdicts:
        screen.heading("Claims")
        rows = [(seen.claim, seen.status, seen.how) for seen in audit.verdicts]
        screen.table(("claim", "verdict", "how"), rows)
    screen.heading("Attacks: who is found")
    asked = ("attack", "adversary", ">found", ">worst-off tenth", ">gain (items)")
    screen.table(asked, [_attack_row(finding) for finding in audit.attacks])
    screen.heading("Utility: error of a recommender")
    columns = ("recommender", ">RMSE original", ">RMSE release", ">loss")
    errors = [finding for finding in audit.measures if finding.name == "prediction"]
    screen.table(columns, [_measure_row(finding) for finding in errors])
    screen.heading("Utility: other measures")
    others = [finding for finding in audit.measures if finding not in errors]
    screen.table(("measure", "on", "found"), [_other_row(finding) for finding in others])
    screen.heading(f"{audit.policy}{'' if audit.enforced else ' (not enforced)'}")
    lights = [(MARKS[light.status], light.line, light.found) for light in audit.lights]
    screen.table(("", "line", "found"), lights)


def _attack_row(finding: Finding) -> tuple[str, ...]:
    if not finding.figures:
        return (finding.name, finding.label, "not measured", "", "")
    names = ("success", "worst_tenth", "gain")
    shown = [_shown(finding, name) for name in names]
    if finding.figure("success") is None:
        first = finding.figures[0]
        shown[0] = f"{first.name} {first.shown()}"
    return (finding.name, finding.label, *shown)


def _measure_row(finding: Finding) -> tuple[str, ...]:
    if not finding.figures:
        return (finding.label, "not measured", "", "")
    names = ("rmse_original", "rmse", "rmse_loss")
    return (finding.label, *(_shown(finding, name) for name in names))


def _shown(finding: Finding, name: str) -> str:
    figure = finding.figure(name)
    return figure.shown() if figure else "–"


def _other_row(finding: Finding) -> tuple[str, ...]:
    told = [f"{figure.name} {figure.shown()}" for figure in finding.figures[:FIGURES_SHOWN]]
    return (finding.name, finding.label, ", ".join(told) or "not measured")
