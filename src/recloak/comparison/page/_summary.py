"""A comparison in short: what was tried, what is worth a look, and that nothing is decided yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recloak.auditing.evaluation_registry import declared_figures
from recloak.comparison.advising import publishable
from recloak.comparison.frontier import frontier_of, risks_compared
from recloak.comparison.overview import heading, in_a_sentence, worst
from recloak.comparison.requirements import Objective, measurable, utility_objective
from recloak.comparison.run import Comparison
from recloak.comparison.trials import Trial
from recloak.evaluation.findings import Figure, PolicyResult
from recloak.evaluation.formatting import counted, figure_shown, with_minus_signs
from recloak.report.table import MISSING, Table
from recloak.report.wording.verdict import line_in_words

DECISION = (
    "Nothing is decided here. You decide how much risk is too much: say what you require, and "
    "recloak picks the setting that meets it and keeps most utility, gives the reason, and "
    "prints the command that publishes it."
)


@dataclass(frozen=True)
class ComparisonSummary:
    """What a page without advice opens with."""

    sentences: list[str]
    columns: str
    frontier: Table | None
    policy: str
    decision: str
    command: str


def in_short(comparison: Comparison, command: str | None) -> ComparisonSummary:
    """A comparison for someone who never saw the tool."""
    aim = measurable(utility_objective(), comparison.trials)
    candidates = publishable(comparison)
    best = frontier_of(candidates, aim, ())
    return ComparisonSummary(
        sentences=[
            *_tried(comparison),
            *_worth_a_look(best, candidates, comparison),
            *_ends(best, aim),
        ],
        columns=_columns(best, aim),
        frontier=_frontier(best, aim) if best else None,
        policy=_by_policy(candidates, aim, comparison.policy.title),
        decision=DECISION,
        command=command or "",
    )


def _tried(comparison: Comparison) -> list[str]:
    audited = comparison.audited
    methods = len({trial.setting.name for trial in audited})
    refused = len(comparison.trials) - len(audited)
    if not audited:
        return ["None of the methods works on these data; the reasons are given below."]
    were = "was" if len(audited) == 1 else "were"
    sentence = (
        f"{counted(len(audited), 'setting')} of {counted(methods, 'method')} {were} tried. With "
        "each, a release was made as it would be published. Attackers who know some of someone's "
        "ratings then looked for that person in it. The same attackers were tried on people who "
        "are not in it: what they find out about these does not come from anyone's row. A "
        "recommender was trained on it, to see how useful it is to people who are not in it."
    )
    more = (
        f"{counted(refused, 'more setting')} could not work on these data; the reasons are given "
        "below."
    )
    return [sentence, more] if refused else [sentence]


def _worth_a_look(
    best: Sequence[Trial], candidates: Sequence[Trial], comparison: Comparison
) -> list[str]:
    if not best:
        nothing = "What a release is still good for could not be measured on these data."
        return [nothing] if candidates else []
    left_out = len(comparison.audited) - len(candidates)
    others = len(candidates) - len(best)
    sentence = f"{counted(len(best), 'setting')} {'is' if len(best) == 1 else 'are'} worth a look"
    if others:
        each = f"For each of the {others} others" if others > 1 else "For the other one"
        sentence += (
            f". {each}, one of these is at least as useful and not riskier in any way that is "
            "shown below"
        )
    sentence += (
        "." if len(best) == 1 else ". Which of them is best depends on what must not happen."
    )
    if left_out:
        sentence += (
            f" {counted(left_out, 'setting')} cannot be published as "
            f"{'it is' if left_out == 1 else 'they are'} and {'is' if left_out == 1 else 'are'} "
            "left out: a claim is broken, or the method itself warns of it."
        )
    return [sentence]


def _ends(best: Sequence[Trial], aim: Objective) -> list[str]:
    """Where the frontier begins and ends, for whoever reads no table."""
    if len(best) < 2:
        return []
    parts = [f"most useful is {best[0].name}, with {_reading(aim, best[0])}"]
    for risk in _measured(best):
        least = min(best, key=lambda trial: _value(trial, risk))
        shown = _shown(worst(least, risk, risk=True))
        parts.append(f"lowest in {in_a_sentence(risk)} is {least.name}: {shown}")
    sentence = f"{'; '.join(parts)}."
    return [sentence[:1].upper() + sentence[1:]]


def _measured(trials: Sequence[Trial]) -> list[str]:
    """The risks that were found out about some of these."""
    return [risk for risk in risks_compared() if any(trial.figures(risk) for trial in trials)]


def _reading(aim: Objective, trial: Trial) -> str:
    return f"{in_a_sentence(aim.figure)} {_shown(aim.found(trial))}"


def _value(trial: Trial, risk: str) -> float:
    figure = worst(trial, risk, risk=True)
    return figure.value if figure else float("inf")


def _columns(best: Sequence[Trial], aim: Objective) -> str:
    declared = declared_figures()
    shown = [declared[name] for name in (aim.figure, *_measured(best))]
    sentences = [
        f"{figure.heading}: {f'{figure.at_a_glance}.' if figure.at_a_glance else figure.meaning}"
        for figure in shown
    ]
    return " ".join([*sentences, "Risks are those of the attacker who gets furthest."])


def _frontier(trials: Sequence[Trial], aim: Objective) -> Table:
    risks = _measured(trials)
    rows = tuple(
        (
            trial.name,
            _shown(aim.found(trial)),
            *(_shown(worst(trial, risk, risk=True)) for risk in risks),
            _passed(trial),
        )
        for trial in trials
    )
    headings = (heading(name) for name in (aim.figure, *risks))
    columns = ("Setting", *headings, "Policy lines passed")
    return Table("The frontier, the most useful first, with 95% intervals", columns, rows)


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING


def _passed(trial: Trial) -> str:
    policy_results = trial.audit.policy_results if trial.audit else ()
    return f"{_passes(trial)} of {len(policy_results)}" if policy_results else MISSING


def _passes(trial: Trial) -> int:
    return sum(result.passed for result in trial.audit.policy_results) if trial.audit else 0


def _by_policy(trials: Sequence[Trial], aim: Objective, title: str) -> str:
    judged = [trial for trial in trials if trial.audit and trial.audit.policy_results]
    if not judged:
        return ""
    most = max(map(_passes, judged))
    first, *others = sorted(
        (trial for trial in judged if _passes(trial) == most), key=lambda trial: -aim.score(trial)
    )
    audit = first.audit
    policy_results = audit.policy_results if audit else ()
    if most == 0:
        return f"No setting passes any line of the policy “{title}”."
    like = _likewise(len(others))
    if most == len(policy_results):
        all_lines = f"all {most} lines" if most > 1 else "the one line"
        return f"{first.name} passes {all_lines} of the policy “{title}”{like}."
    missed = "; ".join(
        f"{line_in_words(one, audit) if audit else one.line} ({_missed(one)})"
        for one in policy_results
        if not one.passed
    )
    return (
        f"No setting passes every line of the policy “{title}”. {first.name} passes most, {most} "
        f"of {len(policy_results)}{like}. What it does not pass: {missed}."
    )


def _likewise(others: int) -> str:
    if not others:
        return ""
    do = "does 1 other" if others == 1 else f"do {others} others"
    return f", as {do}; it is the most useful of them"


def _missed(result: PolicyResult) -> str:
    """What was found, with its interval: its unfavourable end is what was judged."""
    if result.status != "fail":
        return result.status
    found, _, interval = with_minus_signs(result.found).partition(" (")
    within = f", 95% interval {interval.rstrip(')')}" if result.figure and interval else ""
    return f"found: {found}{within}"
