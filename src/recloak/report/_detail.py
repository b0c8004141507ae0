"""Detail: the figures of each attack and measure in one table, and what they mean, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recloak.auditing.evaluation_registry import evaluation_of
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import (
    amount,
    counted,
    fact_shown,
    figure_shown,
    interval_shown,
    label,
)
from recloak.report.table import MISSING, Table
from recloak.report.wording._risks import known_items

Facts = tuple[tuple[str, str], ...]

FEW_RUNS, MANY_FIGURES = 3, 8  # beyond that a table would be wider than a page
CAPTION = "figures, each with its 95% interval"


@dataclass(frozen=True)
class Group:
    """The findings of one attack or measure."""

    name: str
    headline: str
    summary: str
    settings: str
    figures: Table | None
    meanings: Facts
    notes: tuple[str, ...]
    specs: tuple[str, ...]


def groups_of(findings: Sequence[Finding]) -> list[Group]:
    """The findings by attack or measure, in the order of the first of each."""
    names = dict.fromkeys(finding.name for finding in findings)
    return [_group(name, [one for one in findings if one.name == name]) for name in names]


def _group(name: str, findings: Sequence[Finding]) -> Group:
    shared = ", ".join(f"{key} {value}" for key, value in _shared(findings))
    measured = [one for one in findings if one.figures]
    return Group(
        name,
        _headline(findings),
        getattr(evaluation_of(findings[0]), "summary", ""),
        f"In all runs: {shared}." if shared else "",
        _table(name, measured) if measured else None,
        _meanings(findings),
        _notes(findings),
        tuple(finding.spec for finding in findings),
    )


def _meanings(findings: Sequence[Finding]) -> Facts:
    """What each figure is, as the findings say it."""
    figures = (one for each in findings for one in each.figures if one.meaning)
    return tuple({label(one.name): one.meaning for one in figures}.items())


def _headline(findings: Sequence[Finding]) -> str:
    """How often it was run, and how often in vain."""
    runs = counted(len(findings), "run")
    missing = sum(not one.figures for one in findings)
    return f"{runs}, {missing:,} not measured" if missing else runs


def _table(name: str, findings: Sequence[Finding]) -> Table:
    """Runs below each other; or figures, where there are few runs or many figures."""
    names = tuple(dict.fromkeys(figure.name for one in findings for figure in one.figures))
    runs = [_run(finding, findings) for finding in findings]
    wide = len(findings) > FEW_RUNS
    cells = [[_shown(finding, figure, wide) for figure in names] for finding in findings]
    caption = f"{label(name)}: {CAPTION}"
    if len(findings) <= FEW_RUNS or len(names) > MANY_FIGURES:
        rows = [(label(figure), *(run[at] for run in cells)) for at, figure in enumerate(names)]
        rows.append(("Sample", *(f"{one.sample:,}" for one in findings)))
        return Table(caption, ("Figure", *runs), tuple(rows))
    columns = ("Run", *map(label, names), "Sample")
    return Table(
        caption,
        columns,
        tuple(
            (run, *row, f"{one.sample:,}")
            for run, row, one in zip(runs, cells, findings, strict=True)
        ),
    )


def _run(finding: Finding, findings: Sequence[Finding]) -> str:
    """What a run is called: its label, or the settings in which it differs from the others."""
    shared = _shared(findings)
    own = [f"{key} {value}" for key, value in _settings(finding) if (key, value) not in shared]
    return finding.label or ", ".join(own) or finding.name


def _shown(finding: Finding, name: str, wide: bool) -> str:
    """In a wide table the interval stands below the value, so that figures fit side by side."""
    figure = finding.figure(name)
    if figure is None:
        return MISSING
    return _in_two_lines(figure) if wide else figure_shown(figure)


def _in_two_lines(figure: Figure) -> str:
    return f"{amount(figure.value, figure.unit)}\n{interval_shown(figure)}".strip()


def _notes(findings: Sequence[Finding]) -> tuple[str, ...]:
    """What the runs say of themselves, once; whatever is not true of all, with the run it is of."""
    runs_by_note: dict[str, list[str]] = {}
    for finding in findings:
        for note in finding.notes:
            runs_by_note.setdefault(note, []).append(finding.label or finding.spec)
    return tuple(
        note if len(runs) == len(findings) else f"{', '.join(dict.fromkeys(runs))}: {note}"
        for note, runs in runs_by_note.items()
    )


def _shared(findings: Sequence[Finding]) -> Facts:
    """The settings that all findings share, if there is more than one."""
    first, *others = [_settings(finding) for finding in findings]
    return tuple(one for one in first if others and all(one in each for each in others))


def _settings(finding: Finding) -> Facts:
    return tuple(
        (
            label(key).lower(),
            "all" if key == "known" and known_items(finding) == 0 else fact_shown(value),
        )
        for key, value in finding.parameters.items()
    )


def facts_of(content: Mapping[str, Any]) -> Facts:
    """Facts of any plain types, as text."""
    return tuple(
        (label(str(name)), fact_shown(value, str(name))) for name, value in content.items()
    )
