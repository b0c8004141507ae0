"""List charts: recall and worst breach of related-item lists, release by release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import figure_shown
from recloak.report.charts.chart import Chart, chart, point
from recloak.report.charts.plots import Frame, Series, line_plot
from recloak.report.charts.svg import across, upwards
from recloak.report.table import MISSING, Table

_SERIES = {
    "list_recall": "Entries kept, all lists",
    "targeted_recall": "Entries kept, changed lists",
    "worst_breach": "Worst breach",
}


def list_charts(measures: Sequence[Finding]) -> Iterator[Chart]:
    """One chart if at least two releases were measured."""
    found = {
        int(one.parameters["release"]): one
        for one in measures
        if one.figure("list_recall") and one.parameters.get("release") and one.sample
    }
    if len(found) > 1:
        yield _chart(found)


def _chart(found: dict[int, Finding]) -> Chart:
    description = "What is kept of the raw lists, and the most that a change tells, by release."
    frame = Frame("lists-by-release", "Lists, release by release", description)
    by_series: dict[str, dict[int, Figure]] = {
        name: {
            release: figure for release, finding in found.items() if (figure := finding.share(code))
        }
        for code, name in _SERIES.items()
    }
    series = [
        Series(name, tuple(point(release, figure, name) for release, figure in figures.items()))
        for name, figures in by_series.items()
        if figures
    ]
    places = sorted(found)
    ticks = [(float(place), str(place)) for place in places]
    x = across(places[0] - 0.2, places[-1] + 0.2, ticks, "release")
    svg = line_plot(frame, series, x, upwards(1.0, "share", percent=True))
    rows = tuple(
        (str(place), *(_shown(figures.get(place)) for figures in by_series.values()))
        for place in places
    )
    return chart(frame, svg, series, Table(frame.title, ("Release", *by_series), rows))


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING
