"""The page of a comparison: what is advised, every setting at a glance, charts, and all figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recloak.files import write_whole
from recloak.findings import Light
from recloak.frontier.advising import Advice, measurable
from recloak.frontier.cells import Cell
from recloak.frontier.comparing import Comparison
from recloak.frontier.overview import COLUMNS, overview
from recloak.frontier.wishes import Objective, spec_shown
from recloak.methods import METHODS
from recloak.policy import Requirement
from recloak.report.amounts import amount, fact_shown, figure_shown, interval_shown
from recloak.report.chart import MISSING, Chart, Table
from recloak.report.comparison_charts import comparison_charts
from recloak.report.comparison_short import Short, in_short
from recloak.report.templates import rendered
from recloak.report.wording import INTERNAL, label

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
        "Who knows more than twenty ratings, knows the rarest ones, or holds other releases of "
        "the same people can do better.",
    ),
    (
        "These uses.",
        "μ, RMSE and nDCG tell what a recommender is still worth. Other uses want other measures.",
    ),
)


@dataclass(frozen=True)
class Wished:
    """One wish and how the choice stands to it."""

    text: str
    word: str
    tone: str
    found: str


@dataclass(frozen=True)
class Advised:
    """What the page says first."""

    title: str
    tone: str
    reason: str
    command: str
    wishes: list[Wished]
    frontier: Table
    rounds: list[str]


@dataclass(frozen=True)
class ComparisonView:
    """What the template shows."""

    title: str
    internal: str
    lede: str
    advised: Advised | None
    short: Short | None
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
    objective = advice.objective if advice else measurable(Objective("mu"), comparison.cells)
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
        meanings=[(column.heading, column.meaning) for column in COLUMNS],
        settings=_settings(comparison),
        policy_title=comparison.policy.title,
        policy_lines=[(str(line), line.because) for line in comparison.policy.requirements],
        policy=_policy(comparison),
        charts=comparison_charts(comparison, objective),
        refused=[(cell.name, cell.refused) for cell in comparison.cells if cell.audit is None],
        limits=LIMITS,
        details=[(cell.name, _made(cell), _figures(cell)) for cell in comparison.audited],
        protocol=_protocol(comparison),
        versions=[(name, str(one)) for name, one in comparison.versions.items()],
    )


def _advised(advice: Advice, command: str | None) -> Advised:
    chosen = advice.chosen
    mets = advice.met(chosen) if chosen else []
    wishes = [
        Wished(wish.text, met.status, _STATES[met.status], met.found)
        for wish, met in zip(advice.wishes, mets, strict=False)
    ]
    rounds = [
        f"On a sample of {one.people:,} people {len(one.tried)} settings were tried, and "
        f"{len(one.kept)} went on: {', '.join(one.kept)}."
        for one in advice.rounds
    ]
    title = "Advice" if advice.pick else "Nothing satisfies the wishes"
    tone = "pass" if advice.pick else "fail"
    return Advised(title, tone, advice.reason, command or "", wishes, _frontier(advice), rounds)


def _frontier(advice: Advice) -> Table:
    rows = []
    for cell in advice.frontier:
        found = advice.objective.found(cell)
        mets = [f"{met.found} [{met.status}]" for met in advice.met(cell)]
        rows.append((cell.name, figure_shown(found) if found else MISSING, *mets))
    columns = ("Setting", label(advice.objective.figure), *(wish.text for wish in advice.wishes))
    return Table("The frontier: no other setting is better in all of these", columns, tuple(rows))


def _methods(comparison: Comparison) -> list[tuple[str, str]]:
    """What each method does, in a sentence."""
    names = dict.fromkeys(cell.setting.name for cell in comparison.cells)
    return [(name, METHODS.get(name).summary) for name in names]


def _settings(comparison: Comparison) -> Table:
    rows = []
    for cell in comparison.audited:
        found = overview(cell)
        shown = [
            f"{amount(one.value, one.unit)}\n{interval_shown(one)}".strip() if one else MISSING
            for one in found.values()
        ]
        rows.append((cell.name, *shown))
    columns = ("Setting", *(column.heading for column in COLUMNS))
    return Table(
        "Every setting: the worst figure of each kind, its 95% interval below", columns, tuple(rows)
    )


def _policy(comparison: Comparison) -> Table:
    """Lines of the policy by method and setting: what passes, what was found."""
    lines = comparison.policy.requirements
    headings = [f"{number}. {_line_shown(line)}" for number, line in enumerate(lines, 1)]
    rows = []
    for cell in comparison.audited:
        lights = cell.audit.lights if cell.audit else ()
        rows.append((cell.name, *(_light_shown(cell, light) for light in lights)))
    told = "✓ passes, ✗ fails by the unfavourable end of its 95% interval, ? not measured"
    return Table(told, ("Setting", *headings), tuple(rows))


def _line_shown(line: Requirement) -> str:
    if line.figure is None:
        return line.checker.name
    limit = f"≤ {line.at_most:g}" if line.at_most is not None else f"≥ {line.at_least:g}"
    return f"{label(line.figure)} {limit}"


def _light_shown(cell: Cell, light: Light) -> str:
    figure = cell.figure(light.of, light.figure)
    found = amount(figure.value, figure.unit) if figure else ""
    return f"{_MARKS[light.status]} {found}".strip()


def _made(cell: Cell) -> str:
    shown = ", ".join(
        f"{name} = {fact_shown(value)}"
        for name, value in cell.setting.method.parameters.public().items()
    )
    claims = cell.audit.verdicts if cell.audit else ()
    told = "; ".join(f"{one.claim}: {one.status}" for one in claims) or "none"
    return f"Parameters: {shown or 'none'}. Claims: {told}. {cell.caveat}".strip()


def _figures(cell: Cell) -> Table:
    findings = cell.audit.findings if cell.audit else ()
    rows = tuple(
        (f"{spec_shown(finding.spec)}: {label(one.name)}", figure_shown(one), one.meaning)
        for finding in findings
        for one in finding.figures
    )
    return Table(f"All figures of {cell.name}", ("Figure", "Found", "Meaning"), rows)


def _protocol(comparison: Comparison) -> list[tuple[str, str]]:
    followed = comparison.protocol
    return [
        ("Seed", str(followed.seed)),
        ("Attackers", ", ".join(map(spec_shown, followed.attacks))),
        ("Measures", ", ".join(followed.measures)),
        ("Further claims", ", ".join(followed.claims) or "none"),
        ("Data (SHA-256)", comparison.data),
    ]
