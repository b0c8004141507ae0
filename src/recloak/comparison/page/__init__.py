"""The page of a comparison: what is advised, every setting at a glance, charts, and all figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recloak.auditing.policy import Requirement
from recloak.comparison.advising import Advice
from recloak.comparison.charts import comparison_charts
from recloak.comparison.overview import columns, heading, overview
from recloak.comparison.page._summary import ComparisonSummary, in_short
from recloak.comparison.requirements import measurable, spec_shown, utility_objective
from recloak.comparison.run import Comparison
from recloak.comparison.trials import Trial
from recloak.core.files import write_whole
from recloak.evaluation.findings import PolicyResult
from recloak.evaluation.formatting import (
    amount,
    fact_shown,
    figure_shown,
    figure_with_end,
    interval_shown,
    label,
    with_minus_signs,
)
from recloak.methods import METHODS
from recloak.report.charts.chart import Chart
from recloak.report.rendering import rendered
from recloak.report.table import MISSING, Table
from recloak.report.wording import INTERNAL

__all__ = [
    "PAGE",
    "render_comparison",
    "setting_details",
    "write_comparison_page",
]

PAGE = "comparison.html"
_STATES = {"pass": "pass", "fail": "fail", "not measured": "unknown"}
_MARKS = {"pass": "✓", "fail": "✗", "not measured": "?"}
LIMITS = (
    (
        "One draw.",
        "Every setting was tried under one seed. A publication draws anew, and its own report "
        "says what came of that; near a limit it may fall on the other side.",
    ),
    (
        "These attackers.",
        "An attacker who knows more than twenty ratings, knows the rarest ones, or holds other "
        "releases of "
        "the same people can do better.",
    ),
    (
        "These uses.",
        "μ and nDCG say what a recommender that learns from the release is still worth to people "
        "who are not in it. Other uses need other measures.",
    ),
)


@dataclass(frozen=True)
class RequirementRow:
    """One requirement and how the choice stands to it."""

    text: str
    word: str
    tone: str
    found: str


@dataclass(frozen=True)
class AdviceView:
    """What the page says first."""

    title: str
    tone: str
    reason: str
    relaxed: list[str]
    command: str
    requirements: list[RequirementRow]
    frontier: Table
    rounds: list[str]


@dataclass(frozen=True)
class ComparisonView:
    """What the template shows."""

    title: str
    internal: str
    lede: str
    advised: AdviceView | None
    short: ComparisonSummary | None
    methods: list[tuple[str, str]]
    meanings: list[tuple[str, str]]
    settings: Table
    policy_title: str
    policy_lines: list[tuple[str, str]]
    policy: Table
    charts: list[Chart]
    refused: list[tuple[str, str]]
    limits: tuple[tuple[str, str], ...]
    details: list[tuple[str, str, Table]]
    protocol: list[tuple[str, str]]
    versions: list[tuple[str, str]]


def write_comparison_page(
    comparison: Comparison, folder: Path, advice: Advice | None = None, command: str | None = None
) -> Path:
    """Write the page into a folder; an earlier one of the same comparison is replaced."""
    page = folder / PAGE
    text = render_comparison(comparison, advice, command)
    write_whole(page, text.encode(), overwrite=True)
    return page


def render_comparison(
    comparison: Comparison, advice: Advice | None = None, command: str | None = None
) -> str:
    """One self-contained page; the same for the same comparison.

    ``command`` is what to type next: what publishes the pick, or what asks for advice.
    """
    return rendered("comparison.html.j2", _view(comparison, advice, command))


def _view(comparison: Comparison, advice: Advice | None, command: str | None) -> ComparisonView:
    facts = comparison.original
    objective = advice.objective if advice else measurable(utility_objective(), comparison.trials)
    return ComparisonView(
        title="Which method, and what does it cost?",
        internal=INTERNAL,
        lede=(
            f"Ways to publish {facts['ratings']:,} ratings of {facts['items']:,} items by "
            f"{facts['users']:,} people, all attacked and measured in the same way."
        ),
        advised=_advised(advice, command) if advice else None,
        short=None if advice else in_short(comparison, command),
        methods=_methods(comparison),
        meanings=[(column.column, column.at_a_glance) for column in columns(comparison.audited)],
        settings=_settings(comparison),
        policy_title=comparison.policy.title,
        policy_lines=[(line.in_words, line.because) for line in comparison.policy.requirements],
        policy=_policy(comparison),
        charts=comparison_charts(comparison.audited, objective),
        refused=[(trial.name, trial.refused) for trial in comparison.trials if trial.audit is None],
        limits=LIMITS,
        details=[setting_details(trial) for trial in comparison.audited],
        protocol=_protocol(comparison),
        versions=[(name, str(one)) for name, one in comparison.versions.items()],
    )


def setting_details(trial: Trial) -> tuple[str, str, Table]:
    """The name of a setting, how it was made, and all figures of it."""
    return trial.name, _made(trial), _figures(trial)


def _advised(advice: Advice, command: str | None) -> AdviceView:
    chosen = advice.chosen
    mets = advice.met(chosen) if chosen else []
    requirements = [
        RequirementRow(one.in_words, met.status, _STATES[met.status], with_minus_signs(met.found))
        for one, met in zip(advice.requirements, mets, strict=False)
    ]
    rounds = [f"{one} Those that went on: {', '.join(one.kept)}." for one in advice.rounds]
    title = "Advice" if advice.pick else "Nothing satisfies the requirements"
    tone = "pass" if advice.pick else "fail"
    return AdviceView(
        title,
        tone,
        advice.reason,
        [str(one) for one in advice.relaxations],
        command or "",
        requirements,
        _frontier(advice),
        rounds,
    )


def _frontier(advice: Advice) -> Table:
    rows = []
    for trial in advice.frontier:
        found = advice.objective.found(trial)
        mets = [f"{with_minus_signs(met.found)} [{met.status}]" for met in advice.met(trial)]
        rows.append((trial.name, figure_shown(found) if found else MISSING, *mets))
    columns = (
        "Setting",
        heading(advice.objective.figure),
        *(one.in_words for one in advice.requirements),
    )
    return Table("The frontier: no other setting is better in all of these", columns, tuple(rows))


def _methods(comparison: Comparison) -> list[tuple[str, str]]:
    """What each method does, in a sentence."""
    names = dict.fromkeys(trial.setting.name for trial in comparison.trials)
    return [(name, METHODS.get(name).summary) for name in names]


def _settings(comparison: Comparison) -> Table:
    rows, seen = [], columns(comparison.audited)
    for trial in comparison.audited:
        shown = [
            f"{amount(one.value, one.unit)}\n{interval_shown(one)}".strip() if one else MISSING
            for one in overview(trial, seen)
        ]
        rows.append((trial.name, *shown))
    headings = ("Setting", *(column.column for column in seen))
    return Table(
        "Every setting: the worst figure of each kind, its 95% interval below",
        headings,
        tuple(rows),
    )


def _policy(comparison: Comparison) -> Table:
    """Lines of the policy by method and setting: what passes, what was found."""
    lines = comparison.policy.requirements
    headings = [f"{number}. {_line_shown(line)}" for number, line in enumerate(lines, 1)]
    rows = []
    for trial in comparison.audited:
        policy_results = trial.audit.policy_results if trial.audit else ()
        rows.append((trial.name, *(_result_shown(trial, result) for result in policy_results)))
    caption = "✓ passes, ✗ fails by the unfavourable end of its 95% interval, ? not measured"
    return Table(caption, ("Setting", *headings), tuple(rows))


def _line_shown(line: Requirement) -> str:
    if line.figure is None:
        return line.checker.name
    limit = f"≤ {line.at_most:g}" if line.at_most is not None else f"≥ {line.at_least:g}"
    return f"{heading(line.figure)} {limit}"


def _result_shown(trial: Trial, result: PolicyResult) -> str:
    figure = trial.figure(result.of, result.figure)
    found = figure_with_end(figure, result.judged) if figure and result.judged is not None else ""
    return f"{_MARKS[result.status]} {found}".strip().replace(
        " (", "\n("
    )  # two lines: pages are narrow


def _made(trial: Trial) -> str:
    shown = ", ".join(
        f"{name} = {fact_shown(value)}"
        for name, value in trial.setting.method.parameters.public().items()
    )
    claims = trial.audit.verdicts if trial.audit else ()
    claimed = "; ".join(f"{one.claim}: {one.status}" for one in claims) or "none"
    return f"Parameters: {shown or 'none'}. Claims: {claimed}. {trial.caveat}".strip()


def _figures(trial: Trial) -> Table:
    findings = trial.audit.findings if trial.audit else ()
    rows = tuple(
        (f"{spec_shown(finding.spec)}: {label(one.name)}", figure_shown(one), one.meaning)
        for finding in findings
        for one in finding.figures
    )
    return Table(f"All figures of {trial.name}", ("Figure", "Found", "Meaning"), rows)


def _protocol(comparison: Comparison) -> list[tuple[str, str]]:
    followed = comparison.protocol
    return [
        ("Seed", str(followed.seed)),
        ("Attackers", ", ".join(map(spec_shown, followed.attacks))),
        ("Measures", ", ".join(followed.measures)),
        ("Further claims", ", ".join(followed.claims) or "none"),
        ("Data (SHA-256)", comparison.data),
    ]
