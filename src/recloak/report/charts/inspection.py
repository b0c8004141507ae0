"""Inspection charts: how ratings are spread, long tails, and who is singled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import figure_shown
from recloak.report.charts.chart import Chart, chart, point
from recloak.report.charts.plots import Frame, Point, Series, bar_plot, line_plot
from recloak.report.charts.svg import across, upwards
from recloak.report.table import Table

_KNOWN = {
    "items": "Any items",
    "values": "Any items, with ratings",
    "rarest_items": "Rarest items",
    "rarest_values": "Rarest items, with ratings",
}
_TAILS = {
    "user_tail": ("Ratings per person", "people", "from the most active"),
    "item_tail": ("Ratings per item", "items", "from the most rated"),
}


def inspection_charts(found: Mapping[str, Any]) -> list[Chart]:
    """The pictures of what `recloak inspect` found, from its JSON."""
    tails = [
        _tail_chart(key, *names, found[key])
        for key, names in _TAILS.items()
        if len(found[key]["profile"]) > 1
    ]
    return [_alone_chart(found), _values_chart(found["histogram"], found["ratings"]), *tails]


def _alone_chart(found: Mapping[str, Any]) -> Chart:
    summary = (
        f"The share of {found['sample']:,} people who are singled out by what someone knows of "
        "them. Bands are 95% intervals."
    )
    frame = Frame("singled-out", "How unique people are", summary)
    steps: Sequence[Mapping[str, Any]] = found["singled_out"]
    figures = {
        name: [(step["known"], Figure(**step[key])) for step in steps]
        for key, name in _KNOWN.items()
    }
    series = [
        Series(name, tuple(point(known, figure, f"{name}, {known} known") for known, figure in row))
        for name, row in figures.items()
    ]
    known = [step["known"] for step in steps]
    x = across(known[0] - 0.2, known[-1] + 0.2, [(float(one), str(one)) for one in known], "known")
    svg = line_plot(frame, series, x, upwards(1.0, "singled out", percent=True))
    rows = tuple(
        (str(step["known"]), *(figure_shown(Figure(**step[key])) for key in _KNOWN))
        for step in steps
    )
    return chart(frame, svg, series, Table(frame.title, ("Known", *_KNOWN.values()), rows))


def _values_chart(histogram: Mapping[str, int], total: int) -> Chart:
    frame = Frame("values", "Ratings by value", "How often each value was given.")
    names = list(histogram)
    shares = [count / max(total, 1) for count in histogram.values()]
    points = tuple(
        Point(at, share, note=f"{name}: {share:.1%}")
        for at, (name, share) in enumerate(zip(names, shares, strict=True))
    )
    series = [Series("Ratings", points)]
    y = upwards(1.0, "share of ratings", percent=True)
    rows = tuple((name, f"{count:,}") for name, count in histogram.items())
    table = Table(frame.title, ("Value", "Ratings"), rows)
    return chart(frame, bar_plot(frame, names, series, y), series, table, "bars", names)


def _tail_chart(key: str, title: str, who: str, order: str, tail: Mapping[str, Any]) -> Chart:
    summary = (
        f"From the most to the least: mean counts of equal parts of all {who}. The first tenth has "
        f"{tail['top_tenth_share']:.0%} of all ratings; Gini {tail['gini']:.2f}."
    )
    frame = Frame(f"tail-{key.replace('_', '-')}", title, summary)
    profile: Sequence[float] = tail["profile"]
    share = [(at + 0.5) / len(profile) for at in range(len(profile))]
    points = tuple(Point(x, y) for x, y in zip(share, profile, strict=True))
    series = [Series(title, points)]
    x = across(0.0, 1.0, [(at / 4, f"{at / 4:.0%}") for at in range(5)], f"{who}, {order}")
    svg = line_plot(frame, series, x, upwards(max(profile), "ratings"), markers=False)
    rows = tuple((f"{at:.0%}", f"{mean:,.1f}") for at, mean in zip(share, profile, strict=True))
    return chart(frame, svg, series, Table(frame.title, (f"Part of {who}", "Ratings"), rows))
