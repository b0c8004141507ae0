"""Definitions: the words of the report, explained once; only those that the report uses."""

from __future__ import annotations

from recloak.auditing.evaluation_registry import declared_figures
from recloak.evaluation.findings import Audit
from recloak.releases.card.meanings import meaning_of

_ALWAYS = {
    "95% interval": "Figures come from a sample of people or ratings. If the audit were repeated "
    "with other samples, about 95 of 100 such intervals would hold the true figure.",
    "Sample": "How many tries an attack made, or how many ratings a measure was taken on.",
    "Seed": "The number that fixes what an attack or measure drew at random; the same seed gives "
    "the same figures. It tells nothing about the randomness of the release.",
}
_ATTACKS = {
    "Attack": "An adversary that recloak simulates: somebody who tries to find a person, or to "
    "learn something about them, from what they know already.",
    "Control": "The same attack on people who are not in the release. What it finds about them "
    "is true of people in general, and is not given away by the release.",
    "Inference": "Knowing more about a person because they are in the release.",
    "Linkability": "Telling who is in the release, or which records belong to one person.",
    "Outsider": "Somebody who was left out of a rehearsal, so that attacks can be tried on people "
    "who are not in the release.",
    "Rehearsal": "The same method on the data without some people or ratings.",
    "Release": "What is handed out: tables, a manifest and a data card.",
    "Singling out": "Being sure which row is a person's, or which group's profile they share.",
    "Worst-off tenth": "The tenth of people on whom an attack does best.",
}
_POLICY = {
    "Policy": "The thresholds that whoever answers for the data has set. A figure is judged by the "
    "unfavourable end of its interval, so that a lucky sample does not pass.",
}
_CLAIMS = {
    "Claim": "A formal promise about a release that can be checked without trusting whoever made "
    "it. It holds, is broken, or stays undecided when it could not be checked in full.",
    "Witness": "A concrete example in the release that shows why a claim is broken.",
}


def figures_for(audit: Audit) -> list[tuple[str, str]]:
    """The names of figures that the report on ``audit`` uses, and what they mean, by alphabet."""
    general = dict(glossary_for(audit))
    return _by_alphabet(
        {term: meaning for term, meaning in _figures(audit).items() if term not in general}
    )


def glossary_for(audit: Audit) -> list[tuple[str, str]]:
    """Its other terms."""
    claims = {verdict.claim.partition(":")[0] for verdict in audit.verdicts}
    chosen = dict(_ALWAYS) if audit.findings else {}
    chosen |= _ATTACKS if audit.attacks else {}
    chosen |= _POLICY if audit.policy_results else {}
    chosen |= _CLAIMS if audit.verdicts else {}
    meanings = filter(None, map(meaning_of, claims))
    chosen |= {known.term: f"{known.says} {known.leaves_open}" for known in meanings}
    return _by_alphabet(chosen)


def _figures(audit: Audit) -> dict[str, str]:
    found = {figure.name for finding in audit.findings for figure in finding.figures}
    declared = (one for name, one in declared_figures().items() if name in found)
    return {one.heading: one.meaning for one in declared if one.heading}


def _by_alphabet(terms: dict[str, str]) -> list[tuple[str, str]]:
    return sorted(terms.items(), key=lambda entry: entry[0].lower())
