"""An audit on the screen: claims, attacks, measures, results of the policy."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.auditing.evaluation_registry import declared_figures, evaluation_of, figure_as
from recloak.cli._shared.screen import Screen
from recloak.comparison.advising import Advice
from recloak.comparison.frontier import risks_compared
from recloak.comparison.overview import columns, in_a_sentence, overview
from recloak.comparison.run import Comparison
from recloak.comparison.trials import Trial
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import label
from recloak.measures import Measure
from recloak.report.wording.glance import at_a_glance
from recloak.report.wording.surveys import in_its_words
from recloak.report.wording.unjudged import not_looked_at
from recloak.report.wording.verdict import line_in_words

MARKS = {"pass": "✔ pass", "fail": "✘ FAIL", "not measured": "? not measured"}
REQUIREMENTS_IN_HEADINGS = 3  # more are numbered
NO_AUDIT = "? No verdict. The release was not audited."
KEPT_FOR_NEWCOMERS = "Utility: for people who are not in the release"
ERRORS = "Utility: error of a recommender for people in the release"
OTHERS_COMPARED = "Utility: other figures before and after"
COMPARED = {
    KEPT_FOR_NEWCOMERS: ("measure", ">original", ">release", ">kept"),
    ERRORS: ("recommender", ">RMSE original", ">RMSE release", ">loss"),
    OTHERS_COMPARED: ("measure", ">original", ">release", ">kept or lost"),
}
FIGURES_SHOWN = 4  # the first ones of a measure; the report has them all


def show_glance(screen: Screen, audit: Audit | None, where: Sequence[str]) -> None:
    """Five lines: verdict, worst risk, utility, claim, and where things are."""
    at_first = at_a_glance(audit) if audit else [("verdict", NO_AUDIT)]
    for name, text in [*at_first, ("where", " · ".join(where))]:
        screen.say(f"{name:<8} {text}")
    if audit and audit.status == "pass":
        screen.say(not_looked_at(audit))


def show_audit(screen: Screen, audit: Audit) -> None:
    """What the report says, as tables."""
    audit = in_its_words(audit)
    claims = [(seen.claim, seen.status, seen.how) for seen in audit.verdicts]
    _show_table(screen, "Claims", ("claim", "verdict", "how"), claims)
    asked = ("attack", "adversary", ">found", ">worst-off tenth", "beside people not in it")
    _show_table(screen, "Attacks: who is found", asked, [*map(_attack_row, audit.attacks)])
    _show_utility(screen, audit.measures)
    policy_results = [
        (MARKS[result.status], line_in_words(result, audit), result.found)
        for result in audit.policy_results
    ]
    heading = f"{audit.policy}{'' if audit.enforced else ' (not enforced)'}"
    _show_table(screen, heading, ("", "line", "found"), policy_results)


def _show_table(
    screen: Screen, heading: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """A table under its heading; neither where there are no rows."""
    if rows:
        screen.heading(heading)
        screen.table(columns, rows)


def _show_utility(screen: Screen, measures: Sequence[Finding]) -> None:
    """For people who are not in the release first: they are whom a recipient serves."""
    rows: dict[str, list[tuple[str, ...]]] = {heading: [] for heading in COMPARED}
    for finding in measures:
        for declared in _changing(finding):
            rows[_heading(finding, declared)].append(_compared(finding, declared))
    for heading, headings in COMPARED.items():
        _show_table(screen, heading, headings, rows[heading])
    others = [
        _other_row(one)
        for one in measures
        if not any(each.change for each in evaluation_of(one).figures)
    ]
    _show_table(screen, "Utility: other measures", ("measure", "on", "found"), others)


def _changing(finding: Finding) -> list[DeclaredFigure]:
    """The figures that are declared with what is kept or lost; of what was not measured, one."""
    declared = list(filter(_has_change, evaluation_of(finding).figures))
    if not finding.figures:
        return declared[:1]
    return [one for one in declared if finding.figure(one.name)]


def _has_change(declared: DeclaredFigure) -> bool:
    return bool(declared.change)


def _heading(finding: Finding, declared: DeclaredFigure) -> str:
    """The table in which a figure before and after belongs."""
    kind = evaluation_of(finding)
    change = kind.declared(declared.change)
    newcomers = issubclass(kind, Measure) and kind.people == "newcomers"
    if newcomers and change is not None and change.worse == "less":
        return KEPT_FOR_NEWCOMERS
    error = declared.role == "prediction error" and not newcomers
    return ERRORS if error else OTHERS_COMPARED


def _compared(finding: Finding, declared: DeclaredFigure) -> tuple[str, ...]:
    """A figure of the original, the same of the release, and what is kept or lost."""
    error = _heading(finding, declared) == ERRORS
    if not finding.figures:
        return (finding.label if error else finding.name, "not measured", "", "")
    names = (declared.original, declared.name, declared.change)
    what = finding.label if error else declared.in_words
    return (what, *(_shown(finding, name) for name in names))


def _attack_row(finding: Finding) -> tuple[str, ...]:
    """Who is found, and how much further the attacker gets than with people not in the release."""
    if not finding.figures:
        return (finding.name, finding.label, "not measured", "", "")
    success = figure_as(finding, "success")
    shown = [_or_dash(success), _or_dash(figure_as(finding, "worst-off tenth"))]
    risks = risks_compared()
    controlled = [
        f"{in_a_sentence(figure.name)} {figure.shown()}"
        for figure in finding.figures
        if figure.name in risks
    ]
    if success is None and not controlled:
        shown[0] = _named(finding.figures[0])
    return (finding.name, finding.label, *shown, ", ".join(controlled) or "–")


def _shown(finding: Finding, name: str) -> str:
    return _or_dash(finding.figure(name))


def _or_dash(figure: Figure | None) -> str:
    return figure.shown() if figure else "–"


def _other_row(finding: Finding) -> tuple[str, ...]:
    figures = [_named(figure) for figure in finding.figures[:FIGURES_SHOWN]]
    return (finding.name, finding.label, ", ".join(figures) or "not measured")


def _named(figure: Figure) -> str:
    """A figure under the words that the report has for it."""
    declared = declared_figures().get(figure.name)
    return f"{declared.in_words if declared else label(figure.name)} {figure.shown()}"


TRIAL_MARKS = {"pass": "✔", "fail": "✘", "not measured": "?"}


def show_comparison(screen: Screen, comparison: Comparison) -> None:
    """A line for each setting; the report has the rest."""
    screen.heading("Methods and settings: the strongest attacker, and what is left")
    seen = columns(comparison.audited)
    headings = ("setting", *(f">{column.column}" for column in seen), ">policy")
    rows = [
        (trial.name, *map(_value, overview(trial, seen)), _result(trial))
        for trial in comparison.audited
    ]
    screen.table(headings, rows)
    refused = [(trial.name, trial.refused) for trial in comparison.trials if trial.audit is None]
    if refused:
        screen.heading("Not possible on these data")
        screen.table(("setting", "because"), refused)


def show_advice(screen: Screen, advice: Advice, command: str | None) -> None:
    """The frontier, the pick, its reason, and how to publish it."""
    if advice.frontier:
        _show_frontier(screen, advice)
    screen.heading("Advice" if advice.pick else "Nothing satisfies the requirements")
    screen.say(advice.reason)
    for relaxed in advice.relaxations:
        screen.say(str(relaxed))
    if advice.people is not None:
        screen.say(
            f"Tried on a sample of {advice.people:,} people only, by the required attacks only. "
            "Among few people everybody stands out more. Without --quick the better settings are "
            "tried on all people, by all attacks."
        )
    if advice.not_looked_at:
        screen.say(advice.not_looked_at)
    if command:
        screen.say(f"\n{command}")


def _show_frontier(screen: Screen, advice: Advice) -> None:
    """Many requirements are numbered, and figures shortened, so that the table fits a screen."""
    screen.heading(f"The frontier: {advice.objective.words} against what was required")
    required = [one.in_words for one in advice.requirements]
    aim = in_a_sentence(advice.objective.figure)
    shortened = len(required) > REQUIREMENTS_IN_HEADINGS
    if shortened:
        for number, line in enumerate(required, 1):
            screen.say(f"{number}. {line}")
        screen.say("Below each number stands the end of the 95 % interval that decides;")
        screen.say(f"below 'aim' the {aim}.")
        aim = "aim"
        required = [f">{number}." for number in range(1, len(required) + 1)]
    screen.table(
        ("setting", f">{aim}", *required),
        [_choice(advice, trial, shortened=shortened) for trial in advice.frontier],
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


def _choice(advice: Advice, trial: Trial, *, shortened: bool) -> tuple[str, ...]:
    found, met = advice.objective.found(trial), advice.met(trial)
    shown = [one.decisive if shortened else one.shown for one in met]
    mets = [
        f"{TRIAL_MARKS[one.status]} {text or '–'}" for one, text in zip(met, shown, strict=True)
    ]
    aim = _value(found) if shortened or found is None else found.shown()
    return (trial.name, aim, *mets)


def show_lists(screen: Screen, audit: Audit) -> None:
    """The summary; the report has the rest."""
    screen.heading("Claims")
    rows = [(seen.claim, seen.status, seen.how) for seen in audit.verdicts[:1]]
    screen.table(("claim", "verdict", "how"), rows)
    screen.heading("What is left of the lists")
    show_findings(screen, "of", [(one.label, one) for one in audit.measures])
    screen.heading("What an adversary guesses")
    show_findings(screen, "adversary", [(one.label, one) for one in audit.attacks])
    if audit.policy_results:
        screen.heading(f"{audit.policy}: {audit.status}")
    if audit.status == "pass":
        screen.say(not_looked_at(audit))


def show_findings(screen: Screen, first: str, rows: Sequence[tuple[str, Finding]]) -> None:
    """Findings of one attack or measure of lists below each other, each under a name."""
    kinds = [evaluation_of(finding) for _, finding in rows[:1]]
    declared = [figure for kind in kinds for figure in kind.figures if figure.column]
    cells = [(name, *(_shown(one, figure.name) for figure in declared)) for name, one in rows]
    screen.table((first, *(f">{figure.column}" for figure in declared)), cells)
