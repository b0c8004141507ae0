"""Charts: every picture that the figures of an audit allow, in the order of reading."""

from __future__ import annotations

from recloak.evaluation.findings import Audit
from recloak.report.charts._attacks import by_knowledge, people_chart, side_by_side
from recloak.report.charts._data import bar_charts, before_and_after, tail_charts
from recloak.report.charts._lists import list_charts
from recloak.report.charts.chart import Chart

__all__ = ["Chart", "charts_of", "people_chart"]


def charts_of(audit: Audit) -> list[Chart]:
    """What attackers get first, then what is left to use."""
    return [
        *by_knowledge(audit.attacks),
        *side_by_side(audit.attacks),
        *bar_charts(audit.findings),
        *list_charts(audit.measures),
        *before_and_after(audit.measures),
        *tail_charts(audit.tails),
    ]
