"""List wording: what related-item lists give away and what is left of them, in sentences."""

from __future__ import annotations

from recloak.findings import Audit, Finding
from recloak.report.amounts import amount, figure_shown, of_100
from recloak.report.risk_wording import share_of

LIMITS = (
    (
        "More than the items whose lists change.",
        "The bound holds for a background made of items whose lists an item newly enters or climbs "
        "in. Who knows one further item of a person may be surer than the bound says.",
    ),
    (
        "Disappearances, empty slots, and three releases at once.",
        "What follows from an item that leaves a list, from a slot that is left empty, or from "
        "combining more than two releases is not covered.",
    ),
)


def is_about_lists(audit: Audit) -> bool:
    """Is it related-item lists that were audited, rather than a table?"""
    return any(finding.name == "related-lists" for finding in audit.measures)


def list_limits(audit: Audit) -> tuple[tuple[str, str], ...]:
    """What the bound of lists does not cover; nothing for tables."""
    return LIMITS if is_about_lists(audit) else ()


def worst_sentence(audit: Audit) -> str | None:
    """The worst that a change of lists tells, in a sentence to begin with."""
    finding = _whole(audit)
    worst = share_of(finding, "worst_breach") if finding else None
    if worst is None:
        return None
    if worst.value <= 0:
        return (
            "No change of a list was found that tells, in the sense of the bound, who of those who "
            "rated certain items also rated another."
        )
    return (
        f"In the worst case a change of lists tells that {amount(worst.value, 'share')} of those "
        "who rated certain items also rated the item that moved."
    )


def guess_sentence(audit: Audit) -> str | None:
    """How often guesses are right, beside what popularity tells."""
    tried = [one for one in audit.attacks if share_of(one, "inference_precision")]
    finding = max(tried, key=_right, default=None)
    if finding is None:
        return None
    right, prior = (share_of(finding, f"inference_{name}") for name in ("precision", "prior"))
    if right is None:
        return None
    beside = f"; by popularity alone {of_100(prior)} would be" if prior else ""
    return (
        f"Of 100 guesses from changed lists by somebody who {finding.label}, {of_100(right)} are "
        f"right{beside}."
    )


def kept_lists_sentence(audit: Audit) -> str | None:
    """What is left of the lists."""
    finding = _whole(audit)
    recall = share_of(finding, "list_recall") if finding else None
    if finding is None or recall is None:
        return None
    filled = share_of(finding, "list_filled")
    beside = f", and {figure_shown(filled)} of the slots hold an item" if filled else ""
    return f"{figure_shown(recall)} of the entries of the raw lists are kept{beside}."


def list_sentences(audit: Audit) -> list[str]:
    """What follows the first sentence, in the order of the page."""
    told = (guess_sentence(audit), kept_lists_sentence(audit))
    return [sentence for sentence in told if sentence]


def _whole(audit: Audit) -> Finding | None:
    over_all = (one for one in audit.measures if one.name == "related-lists")
    return next((one for one in over_all if not one.parameters.get("release")), None)


def _right(finding: Finding) -> float:
    figure = share_of(finding, "inference_precision")
    return figure.value if figure else 0.0
