"""Group charts: how likely a member of a group rated what its profile lists, by popularity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.attacks.link_existence import BANDS
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import figure_shown
from recloak.report.charts.chart import Chart, chart, highest, point, with_intervals
from recloak.report.charts.plots import Frame, Series, bar_plot
from recloak.report.charts.svg import upwards
from recloak.report.table import MISSING, Table

_SERIES = {
    "rated": "From this release",
    "prior": "From popularity alone",
    "bound": "What the paper allows (Theorem 5.3)",
}
_BAND_NAMES = {
    "rare": "rated by < 1%",
    "uncommon": "by 1–3%",
    "known": "by 3–10%",
    "common": "by ≥ 10%",
}


def link_charts(attacks: Sequence[Finding]) -> Iterator[Chart]:
    """One chart for each finding of `link-existence` that has figures by band."""
    for finding in attacks:
        if _bands(finding):
            yield _link_chart(finding)


def _bands(finding: Finding) -> list[str]:
    return [band for band in BANDS if finding.share(f"rated_{band}")]


def _link_chart(finding: Finding) -> Chart:
    bands = _bands(finding)
    by_series = {
        name: [finding.share(f"{what}_{band}") for band in bands] for what, name in _SERIES.items()
    }
    series = [
        Series(name, tuple(point(at, one, name) for at, one in enumerate(figures) if one))
        for name, figures in by_series.items()
    ]
    description = (
        "The chance that a person rated an item that their group's profile lists, by the share of "
        "all people who rated it."
    )
    description = with_intervals(description, series, "Whiskers are 95% intervals.")
    frame = Frame("link-existence", "Did a member rate what the profile lists?", description)
    y = upwards(highest(series) * 1.08, "chance", percent=True)
    names = [_BAND_NAMES[band] for band in bands]
    svg = bar_plot(frame, names, series, y)
    rows = tuple(
        (name, *(_shown(figures[at]) for figures in by_series.values()))
        for at, name in enumerate(names)
    )
    table = Table(frame.title, ("Items", *by_series), rows)
    return chart(frame, svg, series, table, "bars", names)


def _shown(figure: Figure | None) -> str:
    return figure_shown(figure) if figure else MISSING
