"""How an audit is drawn and shown: its charts, and what to know first."""

from __future__ import annotations

from recloak.evaluation import notebook_tables
from recloak.evaluation.findings import Audit
from recloak.evaluation.formatting import with_minus_signs
from recloak.evaluation.notebook_tables import StatusMark
from recloak.evaluation.presentation import Presentation
from recloak.report.charts import charts_of
from recloak.report.charts.pictures import Pictures
from recloak.report.wording._claims import as_written
from recloak.report.wording.glance import at_a_glance
from recloak.report.wording.surveys import in_its_words
from recloak.report.wording.verdict import line_in_words


def _pictures(audit: Audit, like: str) -> Pictures:
    return Pictures.of(charts_of(audit), like)


def _html(audit: Audit) -> str:
    """The verdict first; claims and lines of the policy for who asks for them."""
    audit = in_its_words(audit)
    judged = [
        (line_in_words(one, audit), StatusMark.of(one.status), with_minus_signs(one.found))
        for one in audit.policy_results
    ]
    written = as_written(audit)
    claims = [
        (written.get(one.claim, one.claim), StatusMark.of(one.status), one.how)
        for one in audit.verdicts
    ]
    title = f"Audit of {audit.title}{f', {audit.data}' if audit.data else ''}"
    shown = notebook_tables.table(title, at_a_glance(audit), mark=StatusMark.of(audit.status))
    lines = [("claims", claims), (f"policy: {audit.policy}", judged)]
    return shown + "".join(
        notebook_tables.folded(f"{name} ({len(rows)})", notebook_tables.table(name, rows))
        for name, rows in lines
        if rows
    )


PRESENTATION = Presentation(_pictures, _html)
