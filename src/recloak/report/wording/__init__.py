"""Wording: the verdict in sentences that a privacy officer understands and that are always true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recloak.core.claim import Claim
from recloak.core.issue_names import names_in
from recloak.evaluation.findings import Audit, PolicyResult, Verdict
from recloak.evaluation.formatting import (
    Tone,
    counted,
    ended,
    enumerated,
    fact_shown,
    sentence_case,
    words,
)
from recloak.methods import METHODS
from recloak.releases.card.meanings import unprotected
from recloak.report.wording._claims import as_written
from recloak.report.wording.surveys import SIZES, is_survey

INTERNAL = (
    "This report describes the original data. Keep it with those who may see them, and do not "
    "hand it out with the release."
)

SIDES = ("sensitive", "non_sensitive")
MOST_NAMED = 2  # issues in a sentence
MISSING = object()  # unlike any value
_NOT_PUBLISHED = "Publication was refused: this release was never published."


@dataclass(frozen=True)
class Headline:
    """The verdict in a few words, and the sentence that explains it."""

    tone: Tone
    title: str
    sentence: str


def headline(audit: Audit) -> Headline:
    """The verdict on the release as a whole."""
    found = _by_policy(audit)
    if audit.refused:
        return Headline("fail", "Refused", f"{found.sentence} {_NOT_PUBLISHED}")
    reasons = reasons_against(audit)
    if found.tone == "fail" or not reasons:
        return found
    why = f"It must not be published. {' '.join(reasons)}"
    return Headline("fail", "Not for publication", f"{found.sentence} {why}")


def _by_policy(audit: Audit) -> Headline:
    if audit.status == "fail":
        return Headline("fail", "Does not pass", f"{_failures(audit)}.")
    if not audit.policy_results:
        return Headline(
            "unknown", "No verdict", "No policy was applied, so nothing was passed or failed."
        )
    if _lines(audit, "not measured") == len(audit.policy_results):
        sentence = f"No line of the policy {_quoted(audit.policy)}could be measured."
        return Headline("unknown", "Undecided", sentence)
    if missing := _lines(audit, "not measured"):
        measured = counted(_lines(audit, "pass"), "measured line")
        sentence = f"{measured} of the policy {_quoted(audit.policy)}"
        verb = "passes" if _lines(audit, "pass") == 1 else "pass"
        rest = f"{counted(missing, 'line')} could not be measured"
        return Headline("unknown", "Undecided", f"{sentence}{verb}, but {rest}.")
    sentence = f"Every line of the policy {_quoted(audit.policy)}was measured and met"
    also = ", and every claim that was checked holds" if audit.verdicts else ""
    return Headline("pass", "Passes", f"{sentence}{also}.")


def _failures(audit: Audit) -> str:
    parts = []
    failed, missing = _lines(audit, "fail"), _lines(audit, "not measured")
    if failed:
        noun = "measured line" if missing else "line"
        of_all = f"{failed:,} of {counted(_lines(audit, 'fail', 'pass'), noun)}"
        verb = "fails" if failed == 1 else "fail"
        parts.append(f"{of_all} of the policy {_quoted(audit.policy)}{verb}")
    if missing:
        parts.append(f"{counted(missing, 'line')} could not be measured")
    for status in ("broken", "undecided"):
        claims = sum(verdict.status == status for verdict in audit.verdicts)
        if claims:
            parts.append(f"{counted(claims, 'claim')} {'is' if claims == 1 else 'are'} {status}")
    return enumerated(parts)


def _lines(audit: Audit, *states: str) -> int:
    """How many lines of the policy have one of these states."""
    return sum(result.status in states for result in audit.policy_results)


def made_sentence(audit: Audit) -> str:
    """What was done, in a sentence, and how large the release is, as far as it says so itself."""
    facts = audit.release
    counted_as = size_words(facts)
    sizes = [
        f"{fact_shown(facts[name])} {counted_as.get(name, name)}"
        for name in ("rows", "releases", "items", "ratings")
        if facts.get(name) is not None
    ]
    what = "history" if facts.get("releases") is not None else "release"
    size = f"The {what} has {enumerated(sizes)}." if sizes else ""
    claimed, scored = facts.get("claims") or (), facts.get("attacks_on")
    on = f"Attacks and measures are those of {scored}." if scored else ""
    return " ".join(filter(None, (_done(audit), size, unprotected(claimed), on)))


def size_words(release: Mapping[str, Any]) -> dict[str, str]:
    """What users, items and ratings are called in a survey; of other data, nothing else."""
    return SIZES if is_survey(release) else {}


def _done(audit: Audit) -> str:
    """What the method does, its name, and the settings that were chosen."""
    name = audit.release.get("method")
    if not name or name == "unknown":
        return "Another tool made the release; its method is not known." if name else ""
    known = METHODS.get(name) if name in METHODS.names() else None
    defaults = {one.name: one.default for one in known.Parameters.described()} if known else {}
    settings = dict(audit.release.get("parameters") or {})
    claims = [Claim.parse(str(claim)) for claim in audit.release.get("claims") or ()]
    claimed = {key for claim in claims for key in claim.parameters}
    chosen = [
        f"{side_in_words(str(key))} = {_setting_shown(str(key), value)}"
        for key, value in settings.items()
        if value is not None and (key in claimed or value != defaults.get(key, MISSING))
    ]
    called = ", ".join([f"method {fact_shown(name)}", *chosen])
    did = known.summary.rstrip(".") if known else "The data were sanitised"
    return f"{did} ({called})."


def side_in_words(name: str) -> str:
    """A parameter's name in words; of the two sides of a survey, as they are usually written."""
    return words(name).replace("non ", "non-")


def _setting_shown(name: str, value: Any) -> str:
    """A setting in a sentence; of a long list of issues, how many there are."""
    issues = names_in(str(value)) if name in SIDES else []
    return counted(len(issues), "issue") if len(issues) > MOST_NAMED else fact_shown(value)


def enforcement(audit: Audit) -> str:
    """Did the policy have teeth?"""
    if audit.refused:
        return f"The policy was enforced. {_NOT_PUBLISHED}"
    if audit.enforced:
        return "The policy was enforced: a line that fails stops the publication."
    if audit.policy_results:
        return "The policy was not enforced: it decides the verdict here, but stops nothing."
    return "No policy was enforced."


def reasons_against(audit: Audit) -> list[str]:
    """Why the release says of itself that it must not be published."""
    reasons = audit.release.get("not_for_publication") or []
    listed = [reasons] if isinstance(reasons, str) else reasons
    return [ended(sentence_case(fact_shown(reason))) for reason in listed]


def not_covered(audit: Audit) -> list[tuple[str, str]]:
    """What the verdict says nothing about: a few words, and the rest of the sentence."""
    kinds = list(dict.fromkeys(finding.name for finding in audit.attacks))
    tried = f"These attacks were tried: {', '.join(kinds)}." if kinds else "No attack was tried."
    return [
        (
            "Stronger attackers.",
            f"Someone who knows more, or who works in another way, may find more. {tried}",
        ),
        (
            "Other data sets.",
            "Whatever else is published, today or later, can be joined with this release.",
        ),
        _mere_presence(audit),
        ("Formal proof.", _proof(audit)),
    ]


def _mere_presence(audit: Audit) -> tuple[str, str]:
    if is_survey(audit.release):
        return (
            "Questions that are sensitive in themselves.",
            "That someone answered a question at all can reveal enough, whatever the answer.",
        )
    return (
        "Items whose mere presence is sensitive.",
        "That someone rated a thing at all can reveal enough, whatever the rating.",
    )


def _proof(audit: Audit) -> str:
    written = as_written(audit)
    claims = (written.get(one.claim, one.claim) for one in audit.verdicts if one.holds)
    holding = [_in_brief(claim) for claim in claims]
    if not holding:
        return (
            "No formal claim was shown to hold. Even where every line of a policy is met, that is "
            "evidence about this release, not a proof that people cannot be found."
        )
    return (
        f"What was checked to hold is {'; '.join(holding)}. A claim protects in the sense of its "
        "definition and no further; all the rest is evidence, not proof."
    )


def _in_brief(claim: str) -> str:
    """A claim without long lists of issues: the page says elsewhere which ones these are."""
    parsed = Claim.parse(claim)
    many = {
        side: len(issues)
        for side in SIDES
        if len(issues := names_in(str(parsed.parameters.get(side, "")))) > MOST_NAMED
    }
    if not many:
        return claim
    rest = {name: value for name, value in parsed.parameters.items() if name not in many}
    counts = [f"{counted(count, f'{side_in_words(side)} issue')}" for side, count in many.items()]
    return f"{Claim(parsed.guarantee, rest)} with {enumerated(counts)}"


def result_words(result: PolicyResult) -> tuple[str, Tone]:
    """The result of a policy line as a word and a tone; colour alone never carries it."""
    states: dict[str, tuple[str, Tone]] = {"pass": ("Met", "pass"), "fail": ("Failed", "fail")}
    return states.get(result.status, ("Not measured", "unknown"))


def verdict_words(verdict: Verdict) -> tuple[str, Tone]:
    """A claim's state as a word and a tone."""
    states: dict[str, tuple[str, Tone]] = {"holds": ("Holds", "pass"), "broken": ("Broken", "fail")}
    return states.get(verdict.status, ("Undecided", "unknown"))


def _quoted(name: str) -> str:
    return f"“{name}” " if name else ""
