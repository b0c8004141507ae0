"""At a glance: an audit in four lines: verdict, worst risk, utility, claims."""

from __future__ import annotations

import math

from recloak.auditing.evaluation_registry import by_evaluation, share_as
from recloak.evaluation import Evaluation
from recloak.evaluation.figures import Risk
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import amount, enumerated, figure_shown, sentence_case
from recloak.measures import Measure
from recloak.report.table import MISSING
from recloak.report.wording import headline
from recloak.report.wording._claims import as_written
from recloak.report.wording._risks import strongest_attack, utility_sentence
from recloak.report.wording.surveys import in_its_words
from recloak.report.wording.three_risks import RiskFound, worst_risk

MARKS = {"pass": "✔", "fail": "✘", "unknown": "?"}
NO_RISK = "No attack was compared with people who are not in the release."
NO_CLAIM = "None was made, so none was checked."
NOT_MEASURED = "Not measured."
_PHRASES: dict[Risk, str] = {
    "singling out": "is sure of a row for {inside} of people in the release, and for {outside} of "
    "people who are not in it",
    "linkability": "tells who is in the release in {inside} of cases; guessing reaches {outside}",
    "inference": "is right in {inside} of statements about people in the release, and in {outside} "
    "about people who are not in it",
}
_STATES = {
    "broken": ("is broken", "are broken"),
    "undecided": ("is undecided", "are undecided"),
    "holds": ("holds", "hold"),
}


def at_a_glance(audit: Audit) -> list[tuple[str, str]]:
    """What to know first, each line under a word."""
    audit = in_its_words(audit)
    return [
        ("verdict", verdict_line(audit)),
        ("risk", risk_line(audit)),
        ("utility", utility_line(audit)),
        ("claim", claim_line(audit)),
    ]


def verdict_line(audit: Audit) -> str:
    """The verdict and, in a sentence, why."""
    found = headline(audit)
    loose = " It was not enforced." if audit.policy_results and not audit.enforced else ""
    return f"{MARKS[found.tone]} {found.title}. {found.sentence}{loose}"


def risk_line(audit: Audit) -> str:
    """The worst of the three risks, against its control."""
    worst = worst_risk(audit)
    if worst is None:
        return f"{NO_RISK} {_strongest(audit)}".strip()
    return f"{sentence_case(worst.risk)} is the largest risk. {sentence_case(how_far(worst))}."


def _strongest(audit: Audit) -> str:
    """Without a control: how often the attack that succeeds most does."""
    strongest = strongest_attack(audit)
    success = share_as(strongest, "success") if strongest else None
    if strongest is None or success is None:
        return ""
    shown = amount(success.value, success.unit)
    return f"The strongest of them, {strongest.title}, succeeds in {shown} of tries."


def how_far(found: RiskFound) -> str:
    """How far an attacker gets with people in the release, and with others."""
    who = f"an attacker who {found.finding.label}" if found.finding.label else "an attacker"
    inside, outside = _bare(found.in_release), _bare(found.not_in_release)
    if MISSING in (inside, outside):
        further = _bare(found.difference)
        return f"{who} gets {further} further than with people who are not in the release"
    return f"{who} {_PHRASES[found.risk].format(inside=inside, outside=outside)}"


def utility_line(audit: Audit) -> str:
    """What is left for people who are not in the release, or what the first measure says."""
    measures = [(one, own) for one, own in by_evaluation(audit) if one.family == "measure"]
    kept = [words for one, own in measures for words in _kept(one, own)]
    moved = "".join(f" {sentence}" for one, own in measures for sentence in _moved(one, own))
    if kept:
        return (
            f"A recommender for people who are not in the release keeps {enumerated(kept)}.{moved}"
        )
    sentences = [sentence for one, own in measures for sentence in one.sentences(own, audit)]
    useful = next(iter(sentences), None) or utility_sentence(audit)
    return f"{useful or ('' if moved else NOT_MEASURED)}{moved}".strip()


def _kept(kind: type[Evaluation], findings: list[Finding]) -> list[str]:
    """How much of its figures a measure about newcomers found to be kept."""
    if not (issubclass(kind, Measure) and kind.people == "newcomers"):
        return []
    return [
        _share_kept(kept, f"of the {declared.short or declared.in_words}")
        for finding in findings
        for declared in kind.figures
        if (change := kind.declared(declared.change))
        and change.worse == "less"
        and finding.sample > 0
        and (kept := finding.figure(change.name))
    ]


def _share_kept(kept: Figure, of_what: str) -> str:
    """A share as it is; less than nothing is none, and more than everything is all."""
    shown = amount(kept.value, kept.unit)
    if kept.unit != "share" or 0 <= kept.value <= 1 or not math.isfinite(kept.value):
        return f"{shown} {of_what}"
    return f"{'none' if kept.value < 0 else 'all'} {of_what} ({shown})"


def _moved(kind: type[Evaluation], findings: list[Finding]) -> list[str]:
    """What a measure declares to be added to the line, once for each figure."""
    return [
        declared.utility_sentence.format(value=figure_shown(found[1]))
        for declared in kind.figures
        if declared.utility_sentence and (found := declared.worst(findings)) is not None
    ]


def claim_line(audit: Audit) -> str:
    """Which formal claims hold, and which do not."""
    written = as_written(audit)
    by_status = {
        status: [
            written.get(one.claim, one.claim) for one in audit.verdicts if one.status == status
        ]
        for status in ("broken", "undecided", "holds")
    }
    parts = [
        f"{enumerated(claims)} {_STATES[status][len(claims) > 1]}"
        for status, claims in by_status.items()
        if claims
    ]
    return f"{'; '.join(parts)}." if parts else NO_CLAIM


def _bare(shown: str) -> str:
    """A figure without its interval, which the report has."""
    return shown.split(" (")[0]
