"""View: an audit arranged for the page; the template only lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from recloak.findings import Audit, Finding, Verdict
from recloak.report.amounts import amount, fact_shown, figure_shown, interval_shown
from recloak.report.chart import MISSING, Chart, Table
from recloak.report.charts import charts_of, people_chart
from recloak.report.definitions import definitions_for
from recloak.report.risk_wording import (
    first_attack,
    found_sentence,
    meaning_sentence,
    no_attack_sentence,
    share_of,
    strongest_sentence,
    utility_sentence,
    worst_off_sentence,
)
from recloak.report.wording import (
    INTERNAL,
    Headline,
    Tone,
    enforcement,
    headline,
    label,
    light_words,
    made_sentence,
    not_covered,
    reasons_against,
    verdict_words,
)

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Row:
    """A line of the policy or a claim: its state as a word and a tone, and what was found."""

    name: str
    word: str
    tone: Tone
    found: str
    because: str
    witness: Facts = ()


@dataclass(frozen=True)
class Detail:
    """All about one finding."""

    spec: str
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


@dataclass(frozen=True)
class View:
    """What the template shows."""

    title: str
    made: str
    internal: str
    reasons: list[str]
    headline: Headline
    found: str
    people: Markup | None
    sentences: list[str]
    utility: list[str]
    policy: str
    lights: list[Row]
    enforcement: str
    not_covered: list[tuple[str, str]]
    charts: list[Chart]
    claims: list[Row]
    attacks: list[Group]
    measures: list[Group]
    original: Facts
    release: Facts
    notes: tuple[str, ...]
    versions: Facts
    definitions: list[tuple[str, str]]
    seconds: str


def view_of(audit: Audit) -> View:
    """Arrange an audit."""
    found, people, sentences = _story(audit)
    told = (utility_sentence(finding) for finding in audit.measures)
    return View(
        title=audit.title or "a release",
        made=made_sentence(audit),
        internal=INTERNAL,
        reasons=reasons_against(audit),
        headline=headline(audit),
        found=found,
        people=people,
        sentences=sentences,
        utility=[sentence for sentence in told if sentence],
        policy=audit.policy,
        lights=[
            Row(light.line, *light_words(light), light.found, light.because)
            for light in audit.lights
        ],
        enforcement=enforcement(audit),
        not_covered=not_covered(audit),
        charts=charts_of(audit),
        claims=[_claim(verdict) for verdict in audit.verdicts],
        attacks=_groups(audit.attacks),
        measures=_groups(audit.measures),
        original=_facts(audit.original),
        release=_facts(audit.release),
        notes=audit.notes,
        versions=tuple((name, str(version)) for name, version in audit.versions.items()),
        definitions=definitions_for(audit),
        seconds=amount(audit.seconds, "seconds"),
    )


def _story(audit: Audit) -> tuple[str, Markup | None, list[str]]:
    """The sentence to begin with, its picture, and what follows from it."""
    attack = first_attack(audit)
    success = share_of(attack, "success") if attack else None
    if attack is None or success is None:
        return no_attack_sentence(audit), None, []
    told = (
        meaning_sentence(attack),
        worst_off_sentence(attack),
        strongest_sentence(audit, attack),
    )
    # The picture's markup is ours: labels inside it were escaped when it was drawn.
    picture = Markup(people_chart(success))
    return found_sentence(attack) or "", picture, [sentence for sentence in told if sentence]


def _claim(verdict: Verdict) -> Row:
    witness = _facts(verdict.witness or {})
    seconds = f"Checked in {amount(verdict.seconds, 'seconds')}."
    return Row(verdict.claim, *verdict_words(verdict), verdict.how, seconds, witness)


def _groups(findings: Sequence[Finding]) -> list[Group]:
    groups = []
    for name in dict.fromkeys(finding.name for finding in findings):
        members = [finding for finding in findings if finding.name == name]
        details = tuple(_detail(finding) for finding in members)
        groups.append(Group(name, members[0].summary, _overview(name, members), details))
    return groups


def _overview(name: str, findings: Sequence[Finding]) -> Table:
    names = tuple(dict.fromkeys(figure.name for one in findings for figure in one.figures))
    rows = []
    for one in findings:
        shown = {figure.name: figure_shown(figure) for figure in one.figures}
        cells = (shown.get(figure, MISSING) for figure in names)
        rows.append((_settings(one), *cells, f"{one.sample:,}"))
    columns = ("Settings", *(label(figure) for figure in names), "Sample")
    return Table(f"{label(name)}: all figures, with 95% intervals", columns, tuple(rows))


def _settings(finding: Finding) -> str:
    return fact_shown(finding.parameters) if finding.parameters else "no settings"


def _detail(finding: Finding) -> Detail:
    figures = tuple(
        (label(one.name), amount(one.value, one.unit), interval_shown(one) or "exact", one.meaning)
        for one in finding.figures
    )
    run = {"sample": finding.sample, "seed": str(finding.seed)}
    took = (("Time", amount(finding.seconds, "seconds")),)
    return Detail(
        finding.spec, _facts({**finding.parameters, **run}) + took, figures, finding.notes
    )


def _facts(content: Mapping[str, Any]) -> Facts:
    return tuple(
        (label(str(name)), fact_shown(value, str(name))) for name, value in content.items()
    )
