"""Survey wording: what linking answers and measures of a survey found, in sentences."""

from __future__ import annotations

from recloak.findings import Audit, Finding
from recloak.report.amounts import amount, of_100
from recloak.report.risk_wording import known_items, share_of
from recloak.report.wording import counted


def linked_sentence(audit: Audit) -> str | None:
    """How many respondents are found by their answers, now and from the unprotected ones."""
    finding = _strongest(audit)
    success = share_of(finding, "success") if finding else None
    if finding is None or success is None:
        return None
    before = share_of(finding, "success_original")
    compared = f"; from the unprotected answers {of_100(before)} would" if before else ""
    return (
        f"Out of 100 respondents of whom {_adversary(finding)}, {of_100(success)} would be "
        f"found{compared}."
    )


def learned_sentence(audit: Audit) -> str | None:
    """What is learned of sensitive answers, beside what anyone would guess."""
    tried = [one for one in _linkings(audit) if share_of(one, "learned")]
    finding = max(tried, key=lambda one: _value(one, "learned"), default=None)
    learned = share_of(finding, "learned") if finding else None
    if finding is None or learned is None:
        return None
    guess, before = (share_of(finding, f"learned_{side}") for side in ("guess", "original"))
    parts = [f"The rows that fit tell {of_100(learned)} of 100 sensitive answers rightly"]
    parts += [f"from the unprotected answers it would be {of_100(before)}"] if before else []
    parts += [f"always saying the most frequent one is right in {of_100(guess)}"] if guess else []
    return "; ".join(parts) + "."


def distortion_sentence(audit: Audit) -> str | None:
    """What was changed to get there."""
    finding = _measured(audit, "survey-distortion")
    changed = share_of(finding, "changed") if finding else None
    if finding is None or changed is None:
        return None
    distance, gone = finding.figure("cell_distortion"), share_of(finding, "deleted")
    by = f", by {amount(distance.value, 'rating')} levels for each cell" if distance else ""
    moved = f"{of_100(changed)} were changed{by if changed.value > 0 else ''}"
    left = f" {of_100(gone).capitalize()} of 100 respondents" if gone and gone.value > 0 else ""
    without = f"{left} were left out." if left else ""
    return f"Of 100 answers that somebody may know, {moved}.{without}"


def classified_sentence(audit: Audit) -> str | None:
    """What a classifier still learns."""
    finding = _measured(audit, "naive-bayes")
    after = share_of(finding, "accuracy") if finding else None
    if finding is None or after is None:
        return None
    before, guess = (share_of(finding, f"accuracy_{side}") for side in ("original", "majority"))
    parts = [f"Trained on the release, a classifier tells {of_100(after)} of 100 sensitive answers"]
    parts += [f"trained on the original, {of_100(before)}"] if before else []
    parts += [f"always saying the most frequent one, {of_100(guess)}"] if guess else []
    return "; ".join(parts) + "."


def survey_sentences(audit: Audit) -> tuple[str | None, ...]:
    """All of them, in the order of the page."""
    told = (linked_sentence, learned_sentence, distortion_sentence, classified_sentence)
    return tuple(sentence(audit) for sentence in told)


def _linkings(audit: Audit) -> list[Finding]:
    return [one for one in audit.attacks if one.name == "survey-linking"]


def _strongest(audit: Audit) -> Finding | None:
    tried = [one for one in _linkings(audit) if share_of(one, "success")]
    return max(tried, key=lambda one: _value(one, "success"), default=None)


def _adversary(finding: Finding) -> str:
    known, epsilon = known_items(finding), finding.parameters.get("epsilon")
    what = counted(known, "non-sensitive answer") if known else "all non-sensitive answers"
    off = f", give or take {epsilon}" if epsilon else ""
    who = "somebody who takes the nearest rows" if finding.parameters.get("nearest") else "somebody"
    return f"{who} knows {what}{off}"


def _measured(audit: Audit, name: str) -> Finding | None:
    return next((one for one in audit.measures if one.name == name), None)


def _value(finding: Finding, name: str) -> float:
    figure = share_of(finding, name)
    return figure.value if figure else 0.0
