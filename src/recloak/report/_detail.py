"""Detail: all about each attack and measure, side by side and one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import NOT_KNOWN, amount, fact_shown, interval_shown, label
from recloak.report.table import MISSING, Table
from recloak.report.wording._risks import known_items

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Detail:
    """All about one finding."""

    label: str
    spec: str
    summary: str
    facts: Facts
    figures: tuple[tuple[str, str, str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """The findings of one attack or measure: side by side, then one by one."""

    name: str
    summary: str
    overview: Table
    details: tuple[Detail, ...]


def groups_of(findings: Sequence[Finding]) -> list[Group]:
    """The findings by attack or measure, in the order of the first of each."""
    names = dict.fromkeys(finding.name for finding in findings)
    return [_group(name, [one for one in findings if one.name == name]) for name in names]


def _group(name: str, findings: Sequence[Finding]) -> Group:
    shared = ", ".join(f"{key} = {value}" for key, value in _shared(findings))
    summary = f"In all runs: {shared}." if shared else ""
    details = tuple(_detail(finding) for finding in findings)
    return Group(name, summary, _overview(name, findings), details)


def _overview(name: str, findings: Sequence[Finding]) -> Table:
    names = tuple(dict.fromkeys(figure.name for one in findings for figure in one.figures))
    shared = _shared(findings)
    rows = []
    for one in findings:
        shown = {figure.name: _in_two_lines(figure) for figure in one.figures}
        own = [f"{key} = {value}" for key, value in _settings(one) if (key, value) not in shared]
        cells = (shown.get(figure, MISSING) for figure in names)
        rows.append((", ".join(own) or MISSING, *cells, f"{one.sample:,}"))
    columns = ("Settings", *(label(figure) for figure in names), "Sample")
    return Table(
        f"{label(name)}: all figures, each with its 95% interval below", columns, tuple(rows)
    )


def _in_two_lines(figure: Figure) -> str:
    """The interval below the value, so that many figures fit side by side."""
    return f"{amount(figure.value, figure.unit)}\n{interval_shown(figure)}".strip()


def _shared(findings: Sequence[Finding]) -> Facts:
    """The settings that all findings share, if there is more than one."""
    first, *others = [_settings(finding) for finding in findings]
    return tuple(one for one in first if others and all(one in each for each in others))


def _settings(finding: Finding) -> Facts:
    return tuple(
        (key, "all" if key == "known" and known_items(finding) == 0 else fact_shown(value))
        for key, value in finding.parameters.items()
    )


def _detail(finding: Finding) -> Detail:
    figures = tuple(
        (label(one.name), amount(one.value, one.unit), _interval(one), one.meaning)
        for one in finding.figures
    )
    settings = tuple((label(key), value) for key, value in _settings(finding))
    run = (
        ("Sample", f"{finding.sample:,}"),
        ("Seed", str(finding.seed)),
        ("Time", amount(finding.seconds, "seconds")),
    )
    return Detail(
        finding.label, finding.spec, finding.summary, settings + run, figures, finding.notes
    )


def _interval(figure: Figure) -> str:
    exact = figure.low is None or figure.high is None
    return "exact" if exact else interval_shown(figure) or NOT_KNOWN


def facts_of(content: Mapping[str, Any]) -> Facts:
    """Facts of any plain types, as text."""
    return tuple(
        (label(str(name)), fact_shown(value, str(name))) for name, value in content.items()
    )
