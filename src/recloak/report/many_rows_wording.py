"""Many-rows wording: what joining several rows of a person gives away, in sentences."""

from __future__ import annotations

from recloak.findings import Audit, Finding
from recloak.report.amounts import amount, figure_shown, is_number, of_100
from recloak.report.risk_wording import known_items, share_of
from recloak.report.wording import counted


def bound_sentence(audit: Audit) -> str | None:
    """What the count of subsets says, for the most that was counted."""
    found = [one for one in audit.attacks if share_of(one, "singled_out")]
    finding = max(found, key=lambda one: known_items(one) or 0, default=None)
    if finding is None:
        return None
    known, singled = known_items(finding) or 0, share_of(finding, "singled_out")
    if singled is None:
        return None
    return (
        f"Of 100 ways to choose {counted(known, 'rating')} of a person, {of_100(singled)} single "
        f"out a row of theirs beyond doubt{_further(finding)}; going by likelihood, or by which "
        "rows cannot be one person's, can find more."
    )


def _further(finding: Finding) -> str:
    items = finding.figure("items_singled_out")
    if items is None or not is_number(items.value):
        return ""
    return f", with {amount(items.value, 'count')} further ratings in these rows on average"


def linking_sentence(audit: Audit) -> str | None:
    """How often rows of one person are found together without knowing anything about them."""
    found = (one for one in audit.attacks if one.name == "fragment-linking")
    finding = next(found, None)
    right = share_of(finding, "top1") if finding else None
    blind = share_of(finding, "top1_random") if finding else None
    if right is None or blind is None:
        return None
    return (
        "Who knows nothing about a person and only looks at the rows picks another row of the same "
        f"person for {of_100(right)} of 100 rows, where chance would do so for "
        f"{figure_shown(blind)} of them."
    )
