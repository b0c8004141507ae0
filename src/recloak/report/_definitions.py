"""Definitions: the words of the report, explained once; only those that the report uses."""

from __future__ import annotations

from recloak.auditing.evaluations import declared_figures
from recloak.evaluation.findings import Audit
from recloak.releases.card.meanings import meaning_of

_ALWAYS = {
    "95% interval": "Figures come from a sample of people or ratings. If the audit were repeated "
    "with other samples, about 95 of 100 such intervals would hold the true figure.",
    "Sample": "How many tries an attack made, or how many ratings a measure was taken on.",
    "Seed": "The number that fixes what an attack or measure drew at random; the same seed gives "
    "the same figures. It tells nothing about the randomness of the release.",
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


def definitions_for(audit: Audit) -> list[tuple[str, str]]:
    """The terms that the report on ``audit`` uses, and what they mean, by alphabet."""
    figures = {figure.name for finding in audit.findings for figure in finding.figures}
    claims = {verdict.claim.partition(":")[0] for verdict in audit.verdicts}
    chosen = dict(_ALWAYS) if audit.findings else {}
    chosen |= _POLICY if audit.policy_results else {}
    chosen |= _CLAIMS if audit.verdicts else {}
    declared = (one for name, one in declared_figures().items() if name in figures)
    chosen |= {one.heading: one.meaning for one in declared if one.heading}
    meanings = filter(None, map(meaning_of, claims))
    chosen |= {known.term: f"{known.says} {known.leaves_open}" for known in meanings}
    return sorted(chosen.items(), key=lambda entry: entry[0].lower())
