"""View: an audit arranged for the page; the template only lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from recloak.findings import Audit, Figure, Finding, Verdict
from recloak.report.amounts import NOT_KNOWN, amount, fact_shown, interval_shown
from recloak.report.chart import MISSING, Chart, Table
from recloak.report.charts import charts_of, people_chart
from recloak.report.definitions import definitions_for
from recloak.report.difference_wording import difference_sentences
from recloak.report.group_wording import (
    Promise,
    absence_sentence,
    homogeneity_sentence,
    link_sentence,
    promises,
    verbatim_sentence,
)
from recloak.report.list_wording import (
    is_about_lists,
    list_limits,
    list_sentences,
    worst_sentence,
)
from recloak.report.many_rows_wording import bound_sentence, linking_sentence
from recloak.report.risk_wording import (
    first_attack,
    found_sentence,
    gain_sentence,
    inversion_sentence,
    kept_sentence,
    known_items,
    meaning_sentence,
    no_attack_sentence,
    share_of,
    strongest_sentence,
    utility_sentence,
    worst_off_sentence,
)
from recloak.report.survey_wording import survey_sentences
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
    policy: str
    lights: list[Row]
    enforcement: str
    promises: list[Promise]
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
    return View(
        title=audit.title or "a release",
        made=made_sentence(audit),
        internal=INTERNAL,
        reasons=reasons_against(audit),
        headline=headline(audit),
        found=found,
        people=people,
        sentences=sentences,
        policy=audit.policy,
        lights=[
            Row(light.line, *light_words(light), light.found, light.because)
            for light in audit.lights
        ],
        enforcement=enforcement(audit),
        promises=promises(audit),
        not_covered=[*list_limits(audit), *not_covered(audit)],
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
    if is_about_lists(audit):
        return worst_sentence(audit) or no_attack_sentence(audit), None, list_sentences(audit)
    attack = first_attack(audit)
    success = share_of(attack, "success") if attack else None
    useful = utility_sentence(audit)
    if attack is None or success is None:
        return no_attack_sentence(audit), None, [useful] if useful else []
    told = (
        meaning_sentence(attack),
        worst_off_sentence(attack),
        gain_sentence(attack),
        strongest_sentence(audit, attack),
        kept_sentence(audit),
        bound_sentence(audit),
        linking_sentence(audit),
        inversion_sentence(audit),
        verbatim_sentence(audit),
        homogeneity_sentence(audit),
        link_sentence(audit),
        absence_sentence(audit),
        *survey_sentences(audit),
        *difference_sentences(audit),
        useful,
    )
    # The picture's markup is ours: labels inside it were escaped when it was drawn.
    picture = Markup(people_chart(success))
    return found_sentence(attack) or "", picture, [sentence for sentence in told if sentence]


def _claim(verdict: Verdict) -> Row:
    witness = _facts(verdict.witness or {})
    seconds = f"Checked in {amount(verdict.seconds, 'seconds')}."
    return Row(verdict.claim, *verdict_words(verdict), verdict.how, seconds, witness)


def _groups(findings: Sequence[Finding]) -> list[Group]:
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


def _facts(content: Mapping[str, Any]) -> Facts:
    return tuple(
        (label(str(name)), fact_shown(value, str(name))) for name, value in content.items()
    )
