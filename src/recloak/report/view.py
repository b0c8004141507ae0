"""View: an audit arranged for the page; the template only lays it out."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from recloak.findings import Audit, Finding, Verdict
from recloak.report.amounts import amount
from recloak.report.annex import randomness_facts, references, timings
from recloak.report.chart import Chart, Table
from recloak.report.charts import charts_of, people_chart
from recloak.report.definitions import definitions_for
from recloak.report.detail import Facts, Group, facts_of, groups_of
from recloak.report.difference_wording import difference_sentences
from recloak.report.group_wording import (
    Promise,
    absence_sentence,
    group_found_sentence,
    homogeneity_sentence,
    link_sentence,
    promises,
    verbatim_sentence,
)
from recloak.report.limits_wording import (
    bounded,
    line_in_words,
    line_leaves_open,
    worst_off_statement,
    worst_off_table,
)
from recloak.report.list_wording import (
    is_about_lists,
    list_limits,
    list_sentences,
    worst_sentence,
)
from recloak.report.many_rows_wording import bound_sentence, linking_sentence
from recloak.report.risk_wording import (
    MANY,
    first_attack,
    found_sentence,
    gain_sentence,
    inversion_sentence,
    kept_sentence,
    meaning_sentence,
    no_attack_sentence,
    share_of,
    strongest_attack,
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
    light_words,
    made_sentence,
    not_covered,
    reasons_against,
    verdict_words,
)


@dataclass(frozen=True)
class Row:
    """A line of the policy or a claim: its state as a word and a tone, and what was found."""

    name: str
    word: str
    tone: Tone
    found: str
    because: str
    witness: Facts = ()
    leaves_open: str = ""


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
    worst_off: str
    worst_off_table: Table | None
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
    randomness: Facts
    timings: Table | None
    definitions: list[tuple[str, str]]
    references: list[tuple[str, str]]
    seconds: str


def view_of(audit: Audit) -> View:
    """Arrange an audit."""
    found, people, sentences = _story(audit)
    return View(
        title=audit.title or "a release",
        made=made_sentence(audit),
        internal=INTERNAL,
        reasons=reasons_against(audit),
        headline=bounded(headline(audit), audit),
        found=found,
        people=people,
        sentences=sentences,
        policy=audit.policy,
        lights=[
            Row(
                line_in_words(light, audit),
                *light_words(light),
                light.found,
                light.because,
                leaves_open=line_leaves_open(light, audit),
            )
            for light in audit.lights
        ],
        enforcement=enforcement(audit),
        worst_off=worst_off_statement(audit),
        worst_off_table=worst_off_table(audit),
        promises=promises(audit),
        not_covered=[*list_limits(audit), *not_covered(audit)],
        charts=charts_of(audit),
        claims=[_claim(verdict) for verdict in audit.verdicts],
        attacks=groups_of(audit.attacks),
        measures=groups_of(audit.measures),
        original=facts_of(audit.original),
        release=facts_of(audit.release),
        notes=audit.notes,
        versions=tuple((name, str(version)) for name, version in audit.versions.items()),
        randomness=randomness_facts(audit),
        timings=timings(audit),
        definitions=definitions_for(audit),
        references=references(audit),
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
    strongest = strongest_attack(audit) or attack
    told = (
        strongest_sentence(audit, attack),
        *_meanings(audit, strongest),
        worst_off_sentence(attack),
        gain_sentence(attack),
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
    picture = Markup(people_chart(success, share_of(strongest, "success")))
    return found_sentence(attack) or "", picture, [sentence for sentence in told if sentence]


def _meanings(audit: Audit, strongest: Finding) -> tuple[str | None, ...]:
    """What the strongest attack means; a low rate is no comfort where groups are found instead."""
    success, grouped = share_of(strongest, "success"), group_found_sentence(audit)
    if grouped and success and success.value < MANY:
        return (grouped,)
    return meaning_sentence(strongest), grouped


def _claim(verdict: Verdict) -> Row:
    witness = facts_of(verdict.witness or {})
    seconds = f"Checked in {amount(verdict.seconds, 'seconds')}."
    return Row(verdict.claim, *verdict_words(verdict), verdict.how, seconds, witness)
