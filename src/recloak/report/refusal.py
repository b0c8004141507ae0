"""Refusal: a claim or a policy that does not hold stops a publication; the report shows why."""

from __future__ import annotations

from pathlib import Path

from recloak.core.errors import ClaimError, PolicyError
from recloak.evaluation.findings import Audit
from recloak.evaluation.refusals import refuse_broken, refuse_failing
from recloak.guarantees import guarantee
from recloak.report.rendering import FLAG, write_report
from recloak.report.wording.verdict import line_in_words


def refuse_with_report(found: Audit, report: Path | None) -> None:
    """Raise `ClaimError` where attacks refuted a claim, `PolicyError` for an enforced policy.

    ``report`` is where the page about the refusal goes, and its JSON beside it; None for nowhere.
    """
    try:
        claimed = {guarantee(claim).spec for claim in found.release.get("claims", ())}
        refuse_broken(one for one in found.verdicts if one.claim in claimed)
        refuse_failing(found, line_in_words)
    except (ClaimError, PolicyError) as refusal:
        hint = f"{FLAG} FILE keeps the report of a refusal."
        if report is not None:
            write_report(found, report)
            hint = f"The report {report} shows why."
        refusal.hint = f"{refusal.hint}\n{hint}" if refusal.hint else hint
        raise
