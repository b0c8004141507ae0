"""Chart: a picture, what its lines are called, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import figure_shown, interval_of, printable
from recloak.report.charts.plots import Frame, Point, Series, styles_of
from recloak.report.table import Table

Kind = Literal["lines", "bars"]

Numbers = tuple[str | float | None, ...]


@dataclass(frozen=True)
class Chart:
    """All that a page needs to show one picture; ``columns`` name what ``points`` holds."""

    identity: str
    title: str
    description: str
    svg: str
    legend: tuple[str, ...]
    styles: tuple[str, ...]
    table: Table
    kind: Kind
    columns: tuple[str, ...] = ()
    points: tuple[Numbers, ...] = ()


def chart(
    frame: Frame,
    svg: str,
    series: Sequence[Series],
    table: Table,
    kind: Kind = "lines",
    places: Sequence[str] | None = None,
    along: str = "",
) -> Chart:
    """Put a picture together with its names and numbers.

    ``places`` are the names along x, which is called ``along``, or as the table's first column.
    """
    return Chart(
        identity=frame.identity,
        title=frame.title,
        description=frame.description,
        svg=svg,
        legend=tuple(one.name for one in series),
        styles=tuple(styles_of(series)),
        table=table,
        kind=kind,
        columns=("Series", along or table.columns[0], "Value", "Low", "High"),
        points=tuple(_numbers(one.name, point, places) for one in series for point in one.points),
    )


def _numbers(series: str, drawn: Point, places: Sequence[str] | None) -> Numbers:
    place = f"{drawn.x:g}" if places is None else places[round(drawn.x)]
    return printable(series), printable(place), drawn.y, drawn.low, drawn.high


def with_intervals(description: str, series: Sequence[Series], how: str) -> str:
    """A description that mentions intervals only if some are drawn."""
    drawn = any(one.low is not None for each in series for one in each.points)
    return f"{description} {how}" if drawn else description


def point(x: float, figure: Figure, name: str) -> Point:
    """A figure as a point, with a note that names it."""
    low, high = interval_of(figure) or (None, None)
    return Point(x, figure.value, low, high, f"{name}: {figure_shown(figure)}")


def highest(series: Sequence[Series]) -> float:
    """The highest value that is drawn, intervals included."""
    tops = [max(one.y, one.high or one.y) for each in series for one in each.points]
    return max(tops, default=1.0)
