"""List charts: recall and worst breach of related-item lists, release by release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.auditing.evaluation_registry import evaluation_of
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import figure_shown
from recloak.report.charts.chart import Chart, chart, point
from recloak.report.charts.plots import Frame, Series, line_plot
from recloak.report.charts.svg import across, upwards
from recloak.report.table import MISSING, Table

ByRelease = dict[int, Figure]


def list_charts(measures: Sequence[Finding]) -> Iterator[Chart]:
    """One chart if at least two releases were measured."""
    lines: dict[str, ByRelease] = {}
    for one in measures:
        release = one.parameters.get("release")
        drawn = [figure for figure in evaluation_of(one).figures if figure.line and release]
        for declared in drawn:
            line = lines.setdefault(declared.line, {})
            if found := one.share(declared.name):
                line[int(release or 0)] = found
    if len(_releases(lines)) > 1:
        yield _chart(lines)


def _releases(lines: dict[str, ByRelease]) -> list[int]:
    return sorted({release for figures in lines.values() for release in figures})


def _chart(lines: dict[str, ByRelease]) -> Chart:
    description = "What is kept of the raw lists, and the most that a change tells, by release."
    frame = Frame("lists-by-release", "Lists, release by release", description)
    series = [
        Series(name, tuple(point(release, figure, name) for release, figure in figures.items()))
        for name, figures in lines.items()
        if figures
    ]
    places = _releases(lines)
    ticks = [(float(place), str(place)) for place in places]
    x = across(places[0] - 0.2, places[-1] + 0.2, ticks, "release")
    svg = line_plot(frame, series, x, upwards(1.0, "share", percent=True))
    rows = tuple(
        (str(place), *(_shown(figures.get(place)) for figures in lines.values()))
        for place in places
    )
    return chart(frame, svg, series, Table(frame.title, ("Release", *lines), rows))


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING
