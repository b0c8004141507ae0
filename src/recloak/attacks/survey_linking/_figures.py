"""The figures of the attack `survey-linking` and what a report says of them."""

from __future__ import annotations

from collections.abc import Sequence

from recloak.attacks._figures import (
    INCONCLUSIVE,
    SUCCESS_BESIDE_ORIGINAL,
    SUCCESS_ORIGINAL,
    WORST_TENTH,
    WRONG,
)
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Finding
from recloak.evaluation.formatting import counted, of_100


def linked_sentence(findings: Sequence[Finding]) -> str | None:
    """How many respondents are found by their answers, now and from the unprotected ones."""
    finding = _highest(findings, "success")
    success = finding.share("success") if finding else None
    if finding is None or success is None:
        return None
    before = finding.share("success_original")
    compared = f"; from the unprotected answers {of_100(before)} would" if before else ""
    return (
        f"Out of 100 respondents of whom {_adversary(finding)}, {of_100(success)} would be "
        f"found{compared}."
    )


def learned_sentence(findings: Sequence[Finding]) -> str | None:
    """What is learned of sensitive answers, beside what anyone would guess."""
    finding = _highest(findings, "learned")
    learned = finding.share("learned") if finding else None
    if finding is None or learned is None:
        return None
    guess, before = (finding.share(f"learned_{side}") for side in ("guess", "original"))
    parts = [f"The rows that fit give {of_100(learned)} of 100 sensitive answers correctly"]
    parts += [f"the unprotected answers would give {of_100(before)}"] if before else []
    parts += (
        [f"always giving the most frequent answer is right in {of_100(guess)}"] if guess else []
    )
    return "; ".join(parts) + "."


def fits_sentence(findings: Sequence[Finding]) -> str | None:
    """For how many members some row fits, beside respondents who were left out."""
    finding = _highest(findings, "fits_excess")
    members, outsiders = (
        finding.share(name) if finding else None for name in ("fits", "fits_outsiders")
    )
    if finding is None or members is None or outsiders is None:
        return None
    return (
        f"Where {_adversary(finding)}, some row fits {of_100(members)} of 100 members, and "
        f"{of_100(outsiders)} of 100 respondents who were left out."
    )


def learned_control_sentence(findings: Sequence[Finding]) -> str | None:
    """What is learned of members, beside respondents who were left out."""
    finding = _highest(findings, "learned_excess")
    members, outsiders = (
        finding.share(name) if finding else None
        for name in ("learned_members", "learned_outsiders")
    )
    if finding is None or members is None or outsiders is None:
        return None
    return (
        f"Where {_adversary(finding)}, the rows that fit give {of_100(members)} of 100 "
        f"sensitive answers of members correctly, and {of_100(outsiders)} of respondents who "
        "were left out."
    )


def _adversary(finding: Finding) -> str:
    known, epsilon = finding.parameters.get("known"), finding.parameters.get("epsilon")
    what = counted(known, "non-sensitive answer") if known else "all non-sensitive answers"
    off = f", give or take {epsilon}" if epsilon else ""
    who = "somebody who takes the nearest rows" if finding.parameters.get("nearest") else "somebody"
    return f"{who} knows {what}{off}"


def _highest(findings: Sequence[Finding], name: str) -> Finding | None:
    found = [(figure.value, one) for one in findings if (figure := one.share(name))]
    return max(found, key=lambda pair: pair[0], default=(0.0, None))[1]


FIGURES = (
    SUCCESS_BESIDE_ORIGINAL,
    SUCCESS_ORIGINAL,
    INCONCLUSIVE,
    WRONG,
    WORST_TENTH,
    DeclaredFigure(
        "learned",
        worse="more",
        heading="Learned, learned near",
        meaning=(
            "The share of sensitive answers that the attacker names correctly, exactly or within "
            "one level. They give the answer that most of the rows give that fit what they know, "
            "and the most frequent answer of all where no row fits. They need not know whose row "
            "it is."
        ),
        original="learned_original",
    ),
    DeclaredFigure("learned_original"),
    DeclaredFigure(
        "learned_guess",
        heading="Learned guess, learned near guess",
        meaning="The same for someone who always says the most frequent answer. What lies above "
        "it is what the rows give away.",
    ),
    DeclaredFigure("learned_near", worse="more", original="learned_near_original"),
    DeclaredFigure("learned_near_original"),
    DeclaredFigure("learned_near_guess"),
    DeclaredFigure(
        "fits",
        heading="Fits, fits outsiders, fits excess",
        meaning="The share of members of a rehearsal for whom some row fits what the attacker "
        "knows; the same of respondents who were left out of it; and the difference, which is what "
        "tells the attacker that somebody is in the release.",
    ),
    DeclaredFigure("fits_outsiders"),
    DeclaredFigure(
        "fits_excess",
        worse="more",
        heading="Excess of rows that fit",
        meaning="The difference between the two. That a row fits shows that somebody took part, "
        "not which row is theirs.",
    ),
    DeclaredFigure(
        "learned_members",
        heading="Learned members, learned outsiders, learned excess",
        meaning="What is learned of members of a rehearsal, exactly; of respondents who were left "
        "out of it; and the difference, which is what the rows give away about those who are in "
        "the release.",
    ),
    DeclaredFigure("learned_outsiders"),
    DeclaredFigure(
        "learned_excess",
        worse="more",
        heading="Excess of answers learned",
        meaning="The difference between the two.",
        risk="inference",
        members="learned_members",
        control="learned_outsiders",
    ),
)
