"""Charts: every picture that the figures of an audit allow, in the order of reading."""

from __future__ import annotations

from recloak.findings import Audit
from recloak.report.attack_charts import by_knowledge, people_chart, side_by_side
from recloak.report.chart import Chart
from recloak.report.data_charts import before_and_after, tail_charts
from recloak.report.group_charts import link_charts
from recloak.report.list_charts import list_charts

__all__ = ["Chart", "charts_of", "people_chart"]


def charts_of(audit: Audit) -> list[Chart]:
    """What attackers get first, then what is left to use."""
    return [
        *by_knowledge(audit.attacks),
        *side_by_side(audit.attacks),
        *link_charts(audit.attacks),
        *list_charts(audit.measures),
        *before_and_after(audit.measures),
        *tail_charts(audit.tails),
    ]
