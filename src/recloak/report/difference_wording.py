"""Difference wording: what someone learns who holds an earlier release too, in sentences."""

from __future__ import annotations

from recloak.findings import Audit, Finding
from recloak.report.amounts import amount, of_100
from recloak.report.risk_wording import share_of

ATTACK = "release-difference"


def difference_sentences(audit: Audit) -> tuple[str | None, ...]:
    """What two releases give away together; nothing where no earlier one was given."""
    finding = next((one for one in audit.attacks if one.name == ATTACK), None)
    if finding is None:
        return ()
    if share_of(finding, "linked") is None:
        why = finding.notes[-1] if finding.notes else "not measured."
        return (f"What holding an earlier release as well gives away: {why}",)
    if finding.figure("changed_rows"):
        return _growth(finding), _recent(finding)
    if finding.figure("candidates"):
        return (_groups(finding),)
    return (_rows(finding),)


def _growth(finding: Finding) -> str | None:
    linked, newer = share_of(finding, "linked"), share_of(finding, "linked_newer")
    if linked is None:
        return None
    alone = f"; from this release alone, for {of_100(newer)}" if newer else ""
    said = (
        "Who holds the earlier release as well sees which rows changed, and names another row of "
        f"the same person for {of_100(linked)} of 100 of them{alone}."
    )
    joined, single = finding.figure("gain_joined"), finding.figure("gain_single")
    if joined is None or single is None:
        return said
    return (
        f"{said} Joined to a row that he finds with what he knows, such rows tell "
        f"{amount(joined.value, 'count')} further items; that row alone, "
        f"{amount(single.value, 'count')}."
    )


def _recent(finding: Finding) -> str | None:
    found, newer = share_of(finding, "found_recent"), share_of(finding, "found_recent_newer")
    if found is None or newer is None:
        return None
    return (
        f"Who knows {finding.parameters.get('recent', 'a few')} ratings that a person gave since "
        f"finds a row of theirs in {of_100(found)} of 100 tries, because he needs to look only at "
        f"what is new; in all of this release, in {of_100(newer)}."
    )


def _groups(finding: Finding) -> str | None:
    linked, both = share_of(finding, "linked"), finding.figure("candidates")
    newer = finding.figure("candidates_newer")
    if linked is None or both is None or newer is None:
        return None
    return (
        "Who holds the earlier release as well, and knows a person's group in each, is left with "
        f"{amount(both.value, 'count')} people on average instead of "
        f"{amount(newer.value, 'count')}; {of_100(linked)} of 100 people are then alone."
    )


def _rows(finding: Finding) -> str | None:
    linked = share_of(finding, "linked")
    if linked is None:
        return None
    both, newer = share_of(finding, "half_step_both"), share_of(finding, "half_step_newer")
    if both is None or newer is None:
        return (
            "Who holds the earlier release as well joins, for "
            f"{of_100(linked)} of 100 rows, what belongs to one person by what rows of the two "
            "have in common."
        )
    return (
        "Who holds the earlier release as well recognises the rows of "
        f"{of_100(linked)} of 100 people in both. Averaged, they tell {of_100(both)} of 100 "
        f"ratings within half a step; this release alone, {of_100(newer)}."
    )
