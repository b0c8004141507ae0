"""Wording of made-up people: that no row is anybody's, and what that does not mean."""

from __future__ import annotations

from typing import Any

from recloak.evaluation.findings import Audit
from recloak.releases.base import KINDS

OPENING = (
    "No row is anybody's: the people of this release are made up, so there is no row of a real "
    "person to find. What it still gives away about real people is measured below."
)
_STRUCTURE = {"support", "taste"}  # the queries that are left out where noise covers all


def is_made_up(audit: Audit) -> bool:
    """Are the people of the release drawn from a model?"""
    kind = audit.release.get("kind")
    return kind in KINDS.names() and KINDS.get(str(kind)).made_up


def protection_sentences(audit: Audit) -> list[str]:
    """What stands behind made-up people: noise in all that was learnt, or a floor alone."""
    account = audit.release.get("account") if is_made_up(audit) else None
    if not isinstance(account, dict):
        return []
    if account.get("epsilon") is None:
        return [
            "This is not differential privacy: the statistics behind the made-up people are exact. "
            f"Nothing rests on fewer than {account.get('floor')} people; what the rest gives away "
            "is what the attacks measured, and no more is proved."
        ]
    return _of_noise(account)


def _of_noise(account: dict[str, Any]) -> list[str]:
    sentences = [
        "Differential privacy, proved by construction: whoever had been left out, every possible "
        f"release would be about as likely (ε = {account['epsilon']:g}, δ = "
        f"{account['delta']:g}, for a person with all their ratings). The list of items and the "
        "scale count as public."
    ]
    asked = {query["name"] for query in account.get("queries", ())}
    if not asked & _STRUCTURE:
        sentences.append(
            "The people are too few at this ε for what they rate or like together to stand "
            "out from the noise: only the popularity and the mean of each item survive. The "
            "notes in the appendix say how many people it would take."
        )
    return sentences
