"""Scatter: points with intervals both ways, those of one kind joined by a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import figure_shown, interval_of, is_number
from recloak.report.charts import svg as draw
from recloak.report.charts.plots import Frame, marker
from recloak.report.charts.svg import HEIGHT, WIDTH, Axis, number, series_style

MARGIN = 0.04  # of what is drawn, left free on either side


@dataclass(frozen=True)
class Spot:
    """A pair of figures, and what they are of."""

    across: Figure
    up: Figure
    name: str

    @property
    def note(self) -> str:
        """What shows when it is pointed at."""
        return f"{self.name}: {figure_shown(self.across)}, {figure_shown(self.up)}"


@dataclass(frozen=True)
class Kind:
    """Spots of one kind, in the order in which they are joined, if there is one."""

    name: str
    spots: tuple[Spot, ...]
    joined: bool = True


def scatter_plot(frame: Frame, kinds: Sequence[Kind], x_name: str, y_name: str) -> str:
    """Spots of each kind joined by a thin line, with whiskers for their intervals."""
    spots = [spot for kind in kinds for spot in kind.spots]
    x = _axis([spot.across for spot in spots], x_name, vertical=False)
    y = _axis([spot.up for spot in spots], y_name, vertical=True)
    picture = draw.picture(frame.identity, frame.title, frame.description, WIDTH, HEIGHT)
    draw.draw_axes(picture, x, y)
    for index, kind in enumerate(kinds):
        _joined(picture, kind, x, y, series_style(index))
    for spot in spots:
        _whiskers(picture, spot, x, y)
    for index, kind in enumerate(kinds):
        for spot in kind.spots:
            at = x.place(spot.across.value), y.place(spot.up.value)
            marker(picture, index, series_style(index), *at, spot.note)
    return draw.markup(picture)


def _axis(figures: Sequence[Figure], name: str, *, vertical: bool) -> Axis:
    ends = [end for one in figures for end in (one.value, *(interval_of(one) or ()))]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    percent = all(one.unit == "share" for one in figures)
    start = low - MARGIN * (high - low) if low < 0 else 0.0
    return draw.between(start, high, name, percent=percent, vertical=vertical)


def _joined(picture: Element, kind: Kind, x: Axis, y: Axis, style: str) -> None:
    if len(kind.spots) < 2 or not kind.joined:
        return
    places = " ".join(
        f"{number(x.place(spot.across.value))},{number(y.place(spot.up.value))}"
        for spot in kind.spots
    )
    SubElement(picture, "polyline", {"points": places, "class": f"line {style}"})


def _whiskers(picture: Element, spot: Spot, x: Axis, y: Axis) -> None:
    across, up = x.place(spot.across.value), y.place(spot.up.value)
    ends = interval_of(spot.across)
    if ends:
        draw.line(picture, x.place(ends[0]), up, x.place(ends[1]), up, "whisker")
    ends = interval_of(spot.up)
    if ends:
        draw.line(picture, across, y.place(ends[0]), across, y.place(ends[1]), "whisker")


def drawable(figure: Figure | None) -> bool:
    """Can this stand in a picture?"""
    return figure is not None and is_number(figure.value)
