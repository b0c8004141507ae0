"""Recipients: who may get a release, what each can know, and which attacks that allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recloak.evaluation.findings import Finding
from recloak.report.wording._risks import known_items

PARTNER_KNOWS = 20  # ratings of a customer whom both have


@dataclass(frozen=True)
class Recipient:
    """A kind of recipient; ``can`` says which attacks their knowledge allows."""

    name: str
    who: str
    knows: str
    bound_by: str
    policy: str
    can: Callable[[Finding], bool]
    knows_of_survey: str = ""
    """What it can know of respondents, where that is not said of raters in the same words."""

    def row(self, *, survey: bool) -> tuple[str, ...]:
        """The recipient in a table; a survey has words and a policy template of its own."""
        knows = (self.knows_of_survey if survey else "") or self.knows
        return (self.name, self.who, knows, self.bound_by, "survey" if survey else self.policy)


def _holds_original(finding: Finding) -> bool:
    return finding.parameters.get("oracle", "no") not in ("no", False)


def _knows_a_part(finding: Finding) -> bool:
    known = known_items(finding)
    return known is not None and 0 < known <= PARTNER_KNOWS and not _holds_original(finding)


PROFILES = (
    Recipient(
        "The public",
        "anyone, now and later",
        "whatever is known about a person anywhere: a few ratings from remarks, the items alone, "
        "or all ratings that a person published elsewhere; and how the release was made",
        "nothing; a publication cannot be taken back",
        "public",
        lambda finding: not _holds_original(finding),
        "whatever is known about a person anywhere: a few answers from remarks, which questions "
        "they left out, or all answers that they told; and how the release was made",
    ),
    Recipient(
        "A partner under contract",
        "the staff of one organisation",
        f"up to {PARTNER_KNOWS} ratings of customers whom both have, and how the release was made",
        "a contract that forbids looking for people and handing on, with a right to audit",
        "partner",
        _knows_a_part,
        f"up to {PARTNER_KNOWS} answers of people whom both asked, and how the release was made",
    ),
    Recipient(
        "Own researchers",
        "staff of the controller",
        "everything that the public can know; whoever also has access to the original can compare "
        "every row with it, so access to both should be separated",
        "terms of employment, logged access and the controller's instructions",
        "default",
        lambda finding: True,
    ),
)
