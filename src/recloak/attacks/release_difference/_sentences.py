"""What the report says of someone who holds an earlier release too."""

from __future__ import annotations

from recloak.evaluation.findings import Finding
from recloak.evaluation.formatting import amount, of_100


def sentences_of(finding: Finding) -> list[str]:
    """What two releases give away together, or why that is not known."""
    if finding.share("linked") is None:
        why = finding.notes[-1] if finding.notes else "not measured."
        return [f"What holding an earlier release as well gives away: {why}"]
    if finding.figure("changed_rows"):
        return [sentence for sentence in (_growth(finding), _recent(finding)) if sentence]
    sentence = _groups(finding) if finding.figure("candidates") else _rows(finding)
    return [sentence] if sentence else []


def _growth(finding: Finding) -> str | None:
    linked, newer = finding.share("linked"), finding.share("linked_newer")
    if linked is None:
        return None
    alone = f"; from this release alone, for {of_100(newer)}" if newer else ""
    sentence = (
        "Someone who also holds the earlier release sees which rows changed, and names "
        f"another row of the same person for {of_100(linked)} of 100 of them{alone}."
    )
    joined, single = finding.figure("gain_joined"), finding.figure("gain_single")
    if joined is None or single is None:
        return sentence
    return (
        f"{sentence} Joined to a row that they find with what they know, such rows tell "
        f"{amount(joined.value, 'count')} further items; that row alone, "
        f"{amount(single.value, 'count')}."
    )


def _recent(finding: Finding) -> str | None:
    found, newer = finding.share("found_recent"), finding.share("found_recent_newer")
    if found is None or newer is None:
        return None
    return (
        f"Someone who knows {finding.parameters.get('recent', 'a few')} ratings that a person "
        f"gave since then finds a row of theirs in {of_100(found)} of 100 tries, because they "
        "need to look only at "
        f"what is new; in all of this release, in {of_100(newer)}."
    )


def _groups(finding: Finding) -> str | None:
    linked, both = finding.share("linked"), finding.figure("candidates")
    newer = finding.figure("candidates_newer")
    if linked is None or both is None or newer is None:
        return None
    return (
        "Someone who also holds the earlier release and knows a person's group in each is "
        "left with "
        f"{amount(both.value, 'count')} people on average instead of "
        f"{amount(newer.value, 'count')}; {of_100(linked)} of 100 people are then alone."
    )


def _rows(finding: Finding) -> str | None:
    linked = finding.share("linked")
    if linked is None:
        return None
    both, newer = finding.share("half_step_both"), finding.share("half_step_newer")
    if both is None or newer is None:
        return (
            "Someone who also holds the earlier release joins what belongs to one person for "
            f"{of_100(linked)} of 100 rows, by what rows of the two releases have in common."
        )
    return (
        "Someone who also holds the earlier release recognises the rows of "
        f"{of_100(linked)} of 100 people in both. Averaged, the two give {of_100(both)} of 100 "
        f"ratings within half a step; this release alone gives {of_100(newer)}."
    )
