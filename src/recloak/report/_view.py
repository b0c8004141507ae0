"""View: an audit arranged for the page; the template only lays it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from recloak.attacks import Attack
from recloak.auditing.evaluation_registry import by_evaluation, declared_figures, share_as
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Finding, Verdict
from recloak.evaluation.formatting import Tone, amount, with_minus_signs
from recloak.evaluation.promises import Promise
from recloak.report._appendix import randomness_facts, references, signature_facts, timings
from recloak.report._definitions import figures_for, glossary_for
from recloak.report._detail import Facts, Group, facts_of, groups_of
from recloak.report.charts import charts_of, people_chart
from recloak.report.charts.chart import Chart
from recloak.report.charts.svg import slug
from recloak.report.table import Table
from recloak.report.wording import (
    INTERNAL,
    MISSING,
    Headline,
    enforcement,
    made_sentence,
    not_covered,
    reasons_against,
    result_words,
    size_words,
    verdict_words,
)
from recloak.report.wording._claims import as_written
from recloak.report.wording._limits import (
    LINES_LEAVE_OPEN,
    line_in_words,
    line_leaves_open,
    worst_off_statement,
    worst_off_table,
)
from recloak.report.wording._made_up import protection_sentences
from recloak.report.wording._risks import (
    MANY,
    caveats,
    first_attack,
    found_sentence,
    gain_sentence,
    kept_sentence,
    meaning_sentence,
    no_attack_sentence,
    strongest_attack,
    strongest_sentence,
    success_rates,
    utility_sentence,
    worst_off_sentence,
)
from recloak.report.wording.glance import utility_line
from recloak.report.wording.surveys import in_its_words, is_survey, of_answers
from recloak.report.wording.three_risks import three_risks
from recloak.report.wording.verdict import verdict_of

TAILS = ("tail-user", "tail-item")


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
class View:
    """What the template shows."""

    title: str
    date: str
    made: str
    internal: str
    reasons: list[str]
    headline: Headline
    found: str
    people: Markup | None
    sentences: list[str]
    policy: str
    policy_results: list[Row]
    enforcement: str
    risks: Table | None
    worst_off: str
    worst_off_table: Table | None
    promises: list[Promise]
    not_covered: list[tuple[str, str]]
    charts: list[Chart]
    more_charts: list[Chart]
    claims: list[Row]
    signature: Facts
    utility: list[str]
    legend: list[tuple[str, str]]
    lines_leave_open: str
    further: list[tuple[str, str]]
    raw_gain: list[str]
    attacks: list[Group]
    measures: list[Group]
    original: Facts
    release: Facts
    notes: tuple[str, ...]
    versions: Facts
    randomness: Facts
    timings: Table | None
    glossary: list[tuple[str, str]]
    figures: list[tuple[str, str]]
    references: list[tuple[str, str]]
    seconds: str


def view_of(audit: Audit) -> View:
    """Arrange an audit."""
    audit = in_its_words(audit)
    found, people, sentences = _what_was_found(audit)
    charts, more_charts = _charts(audit)
    return View(
        title=audit.data or audit.title or "a release",
        date=audit.date,
        made=made_sentence(audit),
        internal=INTERNAL,
        reasons=reasons_against(audit),
        headline=verdict_of(audit),
        found=found,
        people=people,
        sentences=sentences,
        policy=audit.policy,
        policy_results=[
            Row(
                line_in_words(result, audit),
                *result_words(result),
                with_minus_signs(result.found),
                result.because,
            )
            for result in audit.policy_results
        ],
        enforcement=enforcement(audit),
        risks=three_risks(audit),
        worst_off=worst_off_statement(audit),
        worst_off_table=worst_off_table(audit),
        promises=_promises(audit),
        not_covered=[*_left_open(audit), *not_covered(audit)],
        charts=charts,
        more_charts=more_charts,
        signature=signature_facts(audit),
        utility=_utility(audit),
        legend=_legend(audit),
        lines_leave_open=LINES_LEAVE_OPEN if audit.policy_results else "",
        further=_further(audit),
        claims=[_claim(verdict, as_written(audit)) for verdict in audit.verdicts],
        raw_gain=_raw_gain(audit),
        attacks=groups_of(audit.attacks),
        measures=groups_of(audit.measures),
        original=facts_of(_as_called(audit.original, audit)),
        release=facts_of(_as_called(_told_once(_with_short_account(audit.release)), audit)),
        notes=audit.notes,
        versions=tuple((name, str(version)) for name, version in audit.versions.items()),
        randomness=randomness_facts(audit),
        timings=timings(audit),
        glossary=glossary_for(audit),
        figures=figures_for(audit),
        references=references(audit),
        seconds=amount(audit.seconds, "seconds"),
    )


def _as_called(facts: Mapping[str, Any], audit: Audit) -> dict[str, Any]:
    """Facts by the names that they have for this kind of data: a survey has respondents."""
    called = size_words(audit.release)
    return {called.get(name, name): value for name, value in facts.items()}


def _told_once(release: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a release; what its config repeats of them is left out."""
    config = release.get("config")
    if not isinstance(config, Mapping):
        return dict(release)
    own = {name: value for name, value in config.items() if release.get(name, MISSING) != value}
    return {**release, "config": own}


def _with_short_account(release: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a release; of what it was asked, the names: the manifest has the whole list."""
    account = release.get("account")
    if not isinstance(account, dict) or "queries" not in account:
        return dict(release)
    asked = dict.fromkeys(query["name"] for query in account["queries"])
    count = len(account["queries"])
    text = f"{count} looks at the data, each in the manifest: {', '.join(asked)}"
    return {**release, "account": {**account, "queries": text}}


def _what_was_found(audit: Audit) -> tuple[str, Markup | None, list[str]]:
    """The sentence to begin with, its picture, and what follows from it."""
    found = list(by_evaluation(audit))
    declared = _declared(audit, "attack")
    if any(one.subject == "lists" for one, _ in found):
        openings = (one.opening(findings) for one, findings in found)
        return next(filter(None, openings), None) or no_attack_sentence(audit), None, declared
    attack = first_attack(audit)
    success = share_as(attack, "success") if attack else None
    if attack is None or success is None:
        return no_attack_sentence(audit), None, [*protection_sentences(audit), *declared]
    strongest = strongest_attack(audit) or attack
    follows = (
        strongest_sentence(audit, attack),
        *_meanings(audit, strongest),
        worst_off_sentence(attack),
        *declared,
    )
    # The picture's markup is ours: labels inside it were escaped when it was drawn.
    picture = Markup(people_chart(success, share_as(strongest, "success")))
    opening = found_sentence(attack) or ""
    if is_survey(audit.release):
        opening = of_answers(opening)
    return opening, picture, [sentence for sentence in follows if sentence]


def _declared(audit: Audit, family: str) -> list[str]:
    """What the attacks or the measures say of their findings."""
    found = [(one, own) for one, own in by_evaluation(audit) if one.family == family]
    return [sentence for one, own in found for sentence in one.sentences(own, audit)]


def _utility(audit: Audit) -> list[str]:
    """What the release is still good for."""
    useful = utility_sentence(audit)
    sentences = [*_declared(audit, "measure"), *([useful] if useful else [])]
    return [utility_line(audit), *(one for one in sentences if one != utility_line(audit))]


def _legend(audit: Audit) -> list[tuple[str, str]]:
    """What each kind of dot stands for; the class that draws it, and the words."""
    attack, strongest = first_attack(audit), strongest_attack(audit)
    if attack is None or strongest is None:
        return []
    more = strongest.title != attack.title
    further = [("struck-person", f"found only by {strongest.title}")] if more else []
    return [
        ("found", f"found by {attack.title}"),
        *further,
        ("hidden-person", "not found by either" if more else "not found"),
    ]


def _drawn_first(figure: DeclaredFigure) -> bool:
    """Is it a risk that is seen at a glance, or an error before and after?"""
    if figure.worse != "more":
        return False
    return bool(figure.change or (figure.chart and figure.at_a_glance))


def _charts(audit: Audit) -> tuple[list[Chart], list[Chart]]:
    """The first chart of each risk, of errors and of long tails; and all others."""
    drawn = charts_of(audit)
    if is_survey(audit.release):
        drawn = [replace(one, description=of_answers(one.description)) for one in drawn]
    shown = [f"{slug(one.name)}-" for one in declared_figures().values() if _drawn_first(one)]
    firsts = (
        next((one for one in drawn if one.identity.startswith(own)), None)
        for own in (*shown, *TAILS)
    )
    lists = [one for one in drawn if audit.release.get("releases") is not None]
    chosen = {one.identity for one in (*firsts, *lists) if one is not None}
    main = [one for one in drawn if one.identity in chosen]
    return main, [one for one in drawn if one.identity not in chosen]


def _further(audit: Audit) -> list[tuple[str, str]]:
    """What lines of the policy leave open themselves, each once with its lines."""
    lines_by_sentence: dict[str, list[str]] = {}
    for result in audit.policy_results:
        if open_still := line_leaves_open(result, audit):
            lines_by_sentence.setdefault(open_still, []).append(line_in_words(result, audit))
    return [("; ".join(lines), open_still) for open_still, lines in lines_by_sentence.items()]


def _raw_gain(audit: Audit) -> list[str]:
    """What rows tell that attackers name, whether or not it is true of everybody."""
    attack = first_attack(audit)
    sentences = (gain_sentence(attack) if attack else None, kept_sentence(audit))
    return [sentence for sentence in sentences if sentence]


def _left_open(audit: Audit) -> list[tuple[str, str]]:
    """What attacks and measures declare that they do not cover."""
    return [limit for one, _ in by_evaluation(audit) for limit in one.leaves_open]


def _meanings(audit: Audit, strongest: Finding) -> list[str | None]:
    """What the strongest attack means; a low rate is no comfort where groups are found instead."""
    success, beside = share_as(strongest, "success"), caveats(audit)
    if beside and success and success.value < MANY:
        return [*beside]
    return [meaning_sentence(strongest), *beside]


def _promises(audit: Audit) -> list[Promise]:
    """What attacks say of promises of the literature."""
    rates = success_rates(audit.attacks)
    found = [(one, own) for one, own in by_evaluation(audit) if issubclass(one, Attack)]
    return [promise for one, own in found for promise in one.promises(own, audit, rates)]


def _claim(verdict: Verdict, written: Mapping[str, str]) -> Row:
    witness = facts_of(verdict.witness or {})
    seconds = f"Checked in {amount(verdict.seconds, 'seconds')}."
    named = written.get(verdict.claim, verdict.claim)
    return Row(named, *verdict_words(verdict), verdict.how, seconds, witness)
