"""Data charts: errors and long tails before and after, and what profiles of groups list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recloak.auditing.evaluation_registry import evaluation_of
from recloak.evaluation.figures import BarChart
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import figure_shown, is_number, label
from recloak.report.charts.chart import Chart, chart, highest, point, with_intervals
from recloak.report.charts.plots import Frame, Point, Series, bar_plot, line_plot
from recloak.report.charts.svg import log_axis, slug, upwards
from recloak.report.table import MISSING, Table

Pair = tuple[str, Figure, Figure]
Tail = list[tuple[int, int]]

BEFORE, AFTER = "Original", "Release"
_TAILS = {
    "user_counts": ("Ratings per person", "people, from the most active", "ratings"),
    "item_support": ("Ratings per item", "items, from the most rated", "ratings"),
}


def before_and_after(measures: Sequence[Finding]) -> Iterator[Chart]:
    """Bars for figures that several findings give for the original as well, as is declared.

    A single pair is two numbers, which stand in a table, and bars of nothing but zeros say nothing.
    """
    names = dict.fromkeys(figure.name for finding in measures for figure in finding.figures)
    for name in names:
        pairs = [pair for finding in measures if (pair := _pair(finding, name))]
        if len(pairs) > 1 and any(one.value for _, *both in pairs for one in both):
            yield _bars(name, pairs)


def tail_charts(tails: Mapping[str, Any]) -> Iterator[Chart]:
    """How counts fall off with rank, on logarithmic axes."""
    for key, sides in tails.items():
        named = [(BEFORE, _tail(sides, "original")), (AFTER, _tail(sides, "release"))]
        if any(len(tail) > 1 for _, tail in named):
            yield _tail_chart(key, named)


def _pair(finding: Finding, name: str) -> Pair | None:
    declared = evaluation_of(finding).declared(name)
    after, before = finding.figure(name), finding.figure(declared.original if declared else "")
    if after is None or before is None or finding.sample == 0:
        return None
    if not all(is_number(one.value) and one.value >= 0 for one in (after, before)):
        return None
    return finding.label or finding.spec, before, after


def _bars(name: str, pairs: Sequence[Pair]) -> Chart:
    before = [point(at, one, f"{who}, original") for at, (who, one, _) in enumerate(pairs)]
    after = [point(at, one, f"{who}, release") for at, (who, _, one) in enumerate(pairs)]
    series = [Series(BEFORE, tuple(before)), Series(AFTER, tuple(after))]
    description = f"{label(name)}, from the original and from the release."
    description = with_intervals(description, series, "Whiskers are 95% intervals.")
    frame = Frame(slug(f"{name}-bars"), f"{label(name)} before and after", description)
    percent = all(one.unit == "share" for _, *both in pairs for one in both)
    y = upwards(highest(series) * 1.08, label(name), percent=percent)
    names = [who for who, *_ in pairs]
    svg = bar_plot(frame, names, series, y)
    rows = tuple((who, *(figure_shown(one) for one in both)) for who, *both in pairs)
    table = Table(frame.title, ("Of", BEFORE, AFTER), rows)
    return chart(frame, svg, series, table, "bars", names)


def _tail(sides: Any, side: str) -> Tail:
    """The ranks and counts that can stand on a logarithmic axis."""
    found = sides.get(side, ()) if isinstance(sides, Mapping) else ()
    return [
        (int(rank), int(count))
        for rank, count in found
        if is_number(rank) and is_number(count) and rank >= 1 and count >= 1
    ]


def _tail_chart(key: str, named: Sequence[tuple[str, Tail]]) -> Chart:
    title, ranked, counted = _TAILS.get(key, (label(key), "rank", "count"))
    series = [
        Series(name, tuple(Point(rank, count) for rank, count in tail)) for name, tail in named
    ]
    description = (
        "Counts by rank, on logarithmic axes: lines that lie together mean that the tail is kept."
    )
    frame = Frame(slug(f"tail-{key}"), f"{title}, before and after", description)
    last = max(rank for _, tail in named for rank, _ in tail)
    most = max(count for _, tail in named for _, count in tail)
    x, y = log_axis(last, ranked, vertical=False), log_axis(most, counted, vertical=True)
    svg = line_plot(frame, series, x, y, markers=False)
    return chart(frame, svg, series, _tail_table(frame, named))


def _tail_table(frame: Frame, named: Sequence[tuple[str, Tail]]) -> Table:
    sides = [dict(tail) for _, tail in named]
    ranks = sorted({rank for side in sides for rank in side})
    rows = tuple(
        (f"{rank:,}", *(f"{side[rank]:,}" if rank in side else MISSING for side in sides))
        for rank in ranks
    )
    return Table(frame.title, ("Rank", *(name for name, _ in named)), rows)


def bar_charts(findings: Sequence[Finding]) -> Iterator[Chart]:
    """The charts that attacks and measures declare of their own figures, for each finding."""
    for finding in findings:
        for declared in evaluation_of(finding).bar_charts:
            if places := _places(declared, finding):
                yield _bar_chart(declared, finding, places)


def _places(declared: BarChart, finding: Finding) -> list[str]:
    """What stands side by side: the places of which the first series has a figure."""
    first = next(iter(declared.series.values()))
    return [place for place, name in first.items() if finding.share(name)]


def _bar_chart(declared: BarChart, finding: Finding, places: list[str]) -> Chart:
    by_series = {
        name: [finding.share(names.get(place, "")) for place in places]
        for name, names in declared.series.items()
    }
    series = [
        Series(name, tuple(point(at, one, name) for at, one in enumerate(figures) if one))
        for name, figures in by_series.items()
    ]
    description = with_intervals(declared.description, series, "Whiskers are 95% intervals.")
    frame = Frame(slug(finding.name), declared.title, description)
    y = upwards(highest(series) * 1.08, declared.upwards, percent=True)
    svg = bar_plot(frame, places, series, y)
    rows = tuple(
        (place, *(_shown(figures[at]) for figures in by_series.values()))
        for at, place in enumerate(places)
    )
    table = Table(frame.title, (declared.across, *by_series), rows)
    return chart(frame, svg, series, table, "bars", places)


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING
