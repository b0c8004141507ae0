"""An audit on the screen: claims, attacks, measures, results of the policy."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.cli._shared.screen import Screen
from recloak.comparison.advising import Advice
from recloak.comparison.overview import columns, overview
from recloak.comparison.run import Comparison
from recloak.comparison.trials import Trial
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.report.wording.unjudged import not_looked_at

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
    policy_results = [
        (MARKS[result.status], result.line, result.found) for result in audit.policy_results
    ]
    screen.table(("", "line", "found"), policy_results)
    if audit.status == "pass":
        screen.say(f"✔ Passes. {not_looked_at(audit)}")


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
    figures = [f"{figure.name} {figure.shown()}" for figure in finding.figures[:FIGURES_SHOWN]]
    return (finding.name, finding.label, ", ".join(figures) or "not measured")


TRIAL_MARKS = {"pass": "✔", "fail": "✘", "not measured": "?"}


def show_comparison(screen: Screen, comparison: Comparison) -> None:
    """A line for each setting; the report has the rest."""
    screen.heading("Methods and settings: the strongest attacker, and what is left")
    headings = ("setting", *(f">{column.column}" for column in columns()), ">policy")
    screen.table(headings, [_row(trial) for trial in comparison.audited])
    refused = [(trial.name, trial.refused) for trial in comparison.trials if trial.audit is None]
    if refused:
        screen.heading("Not possible on these data")
        screen.table(("setting", "because"), refused)


def show_advice(screen: Screen, advice: Advice, command: str | None) -> None:
    """The frontier, the pick, its reason, and how to publish it."""
    for one in advice.rounds:
        screen.say(
            f"On a sample of {one.people:,} people {len(one.tried)} settings were tried; "
            f"{len(one.kept)} went on."
        )
    screen.heading(f"The frontier: {advice.objective.words} against what was required")
    required = [str(one) for one in advice.requirements]
    screen.table(
        ("setting", f">{advice.objective.figure}", *required),
        [_choice(advice, trial) for trial in advice.frontier],
    )
    screen.heading("Advice" if advice.pick else "Nothing satisfies the requirements")
    screen.say(advice.reason)
    if advice.not_looked_at:
        screen.say(advice.not_looked_at)
    if command:
        screen.say(f"\n{command}")


def _row(trial: Trial) -> tuple[str, ...]:
    figures = overview(trial)
    return (
        trial.name,
        *map(_value, figures.values()),
        _result(trial),
    )


def _value(figure: Figure | None) -> str:
    return figure.shown().split(" (")[0] if figure else "–"


def _result(trial: Trial) -> str:
    policy_results = trial.audit.policy_results if trial.audit else ()
    return (
        f"{sum(result.passed for result in policy_results)} of {len(policy_results)}"
        if policy_results
        else "–"
    )


def _choice(advice: Advice, trial: Trial) -> tuple[str, ...]:
    found = advice.objective.found(trial)
    mets = [f"{TRIAL_MARKS[met.status]} {met.shown or '–'}" for met in advice.met(trial)]
    return (trial.name, found.shown() if found else "–", *mets)


UTILITY = (
    "list_recall",
    "targeted_recall",
    "suppressed",
    "permuted",
    "list_filled",
    "worst_breach",
)
ATTACK = ("inference_precision", "inference_prior", "inference_recall", "guesses", "worst_breach")


def show_lists(screen: Screen, audit: Audit) -> None:
    """The summary; the report has the rest."""
    screen.heading("Claims")
    rows = [(seen.claim, seen.status, seen.how) for seen in audit.verdicts[:1]]
    screen.table(("claim", "verdict", "how"), rows)
    screen.heading("What is left of the lists")
    show_measures(screen, "of", [(one.label, one) for one in audit.measures])
    screen.heading("What an adversary guesses")
    show_attacks(screen, "adversary", [(one.label, one) for one in audit.attacks])
    if audit.policy_results:
        screen.heading(f"{audit.policy}: {audit.status}")
    if audit.status == "pass":
        screen.say(not_looked_at(audit))


def show_measures(screen: Screen, first: str, rows: Sequence[tuple[str, Finding]]) -> None:
    """Findings of the measure below each other, each under a name."""
    columns = (">recall", ">targeted", ">suppressed", ">moved", ">filled", ">worst breach")
    screen.table((first, *columns), [(name, *_cells(one, UTILITY)) for name, one in rows])


def show_attacks(screen: Screen, first: str, rows: Sequence[tuple[str, Finding]]) -> None:
    """Findings of the attack below each other, each under a name."""
    columns = (">right", ">by popularity", ">of all added", ">guesses", ">worst breach")
    screen.table((first, *columns), [(name, *_cells(one, ATTACK)) for name, one in rows])


def _cells(finding: Finding, names: Sequence[str]) -> list[str]:
    figures = [finding.figure(name) for name in names]
    return [figure.shown() if figure else "–" for figure in figures]
