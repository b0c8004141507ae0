"""Refusal: a policy that does not pass stops a publication, and the report shows why."""

from __future__ import annotations

from pathlib import Path

from recloak.core.errors import PolicyError
from recloak.evaluation.findings import Audit
from recloak.evaluation.refusals import refuse_failing
from recloak.report.rendering import FLAG, write_report


def refuse_with_report(found: Audit, report: Path | None) -> None:
    """Raise `PolicyError` if an enforced policy does not pass.

    ``report`` is where the page about the refusal goes, and its JSON beside it; None for nowhere.
    """
    try:
        refuse_failing(found)
    except PolicyError as refusal:
        said = f"{FLAG} FILE keeps the report of a refusal."
        if report is not None:
            write_report(found, report)
            said = f"The report {report} shows why."
        refusal.hint = f"{refusal.hint}\n{said}"
        raise
