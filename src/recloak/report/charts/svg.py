"""SVG: the elements, axes and scales that the plots are drawn with."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from recloak.evaluation.formatting import printable

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 68, 14, 22, 50
SERIES_STYLES = 8
LINE = 14  # from a line of text to the next


@dataclass(frozen=True)
class Axis:
    """Maps values to places along one direction of the picture."""

    low: float
    high: float
    start: float
    end: float
    ticks: Sequence[tuple[float, str]]
    name: str
    log: bool = False
    named: bool = False

    def place(self, value: float) -> float:
        """Where ``value`` lies; what is beyond the axis is drawn at its end."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(at)
        return self.start + (self.end - self.start) * (at - low) / (high - low)


def across(
    axis_low: float, axis_high: float, ticks: Sequence[tuple[float, str]], name: str
) -> Axis:
    """A plain axis from left to right whose places have names, such as 5, 10 and all."""
    return Axis(axis_low, axis_high, LEFT, WIDTH - RIGHT, ticks, name, named=True)


def upwards(high: float, name: str, *, percent: bool = False) -> Axis:
    """A plain axis from 0 upwards that holds ``high``; never from elsewhere, bars would lie."""
    span = 1.0 if percent or not 0 < high < math.inf else high
    step = _step(span)
    top = step * math.ceil(span / step - 1e-9)
    values = [step * at for at in range(round(top / step) + 1)]
    ticks = [(value, f"{100 * value:.0f}%" if percent else f"{value:,.6g}") for value in values]
    return Axis(0.0, top, HEIGHT - BOTTOM, TOP, ticks, name)


def between(low: float, high: float, name: str, *, percent: bool, vertical: bool) -> Axis:
    """A plain axis that holds ``low`` and ``high``, wherever they lie; for points, not for bars."""
    span = high - low if high > low else max(abs(high), 1.0) / 10
    step = _step(span)
    first, last = math.floor(low / step + 1e-9), math.ceil(max(high, low + span) / step - 1e-9)
    values = [step * at for at in range(first, last + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9) - 2)
    ticks = [
        (value, _minus(f"{100 * value:.{digits}f}%" if percent else f"{value:,.6g}"))
        for value in values
    ]
    start, end = (HEIGHT - BOTTOM, TOP) if vertical else (LEFT, WIDTH - RIGHT)
    return Axis(values[0], values[-1], start, end, ticks, name)


def log_axis(highest: float, name: str, *, vertical: bool) -> Axis:
    """A logarithmic axis from 1 that holds ``highest``."""
    high = max(highest, 2.0)
    factors = (1, 2, 5) if high <= 200 else (1,)
    values = [factor * 10**power for power in range(10) for factor in factors]
    ticks = [(float(value), _short(value)) for value in values if value <= high]
    start, end = (HEIGHT - BOTTOM, TOP) if vertical else (LEFT, WIDTH - RIGHT)
    return Axis(1.0, high, start, end, ticks, name, log=True)


def picture(identity: str, title: str, description: str, width: int, height: int) -> Element:
    """An empty picture with its name and its description for those who cannot see it."""
    svg = Element(
        "svg",
        {
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "aria-labelledby": f"{identity}-title {identity}-description",
            "class": "plot",
        },
    )
    SubElement(svg, "title", {"id": f"{identity}-title"}).text = title
    SubElement(svg, "desc", {"id": f"{identity}-description"}).text = description
    return svg


def slug(text: str) -> str:
    """A text as an identifier in a page."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-") or "chart"


def markup(svg: Element) -> str:
    """The picture as text that can stand in a page."""
    for element in svg.iter():
        element.text = printable(element.text) if element.text else None
    return tostring(svg, encoding="unicode")


def draw_axes(svg: Element, x: Axis, y: Axis) -> None:
    """Grid lines, tick labels and the names of both axes.

    Where they are and how they run is told to whoever zooms in.
    """
    svg.set("data-area", f"{LEFT} {TOP} {WIDTH - LEFT - RIGHT} {HEIGHT - TOP - BOTTOM}")
    svg.set("data-x", course(x))
    svg.set("data-y", course(y))
    for value, text in y.ticks:
        at = y.place(value)
        line(svg, LEFT, at, WIDTH - RIGHT, at, "grid")
        write(svg, text, LEFT - 8, at + 4, "tick end")
    for value, text in x.ticks:
        for row, part in enumerate(text.split("\n")):
            down = HEIGHT - BOTTOM + 18 + LINE * row
            write(svg, part, x.place(value), down, "tick middle")
    line(svg, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")
    write(svg, x.name, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "axis-name middle")
    turned = write(svg, y.name, 0, 0, "axis-name middle")
    turned.set("transform", f"translate(12 {(TOP + HEIGHT - BOTTOM) / 2:g}) rotate(-90)")


def line(svg: Element, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
    """A straight line."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    SubElement(svg, "line", {key: number(at) for key, at in ends.items()} | {"class": style})


def write(svg: Element, text: str, x: float, y: float, style: str) -> Element:
    """A text."""
    element = SubElement(svg, "text", {"x": number(x), "y": number(y), "class": style})
    element.text = text
    return element


def write_turned(svg: Element, text: str, x: float, y: float, degrees: float) -> None:
    """A text that ends at a place and runs towards it from below."""
    element = write(svg, text, 0, 0, "tick end")
    element.set("transform", f"translate({number(x)} {number(y)}) rotate({degrees:g})")


def rectangle(
    svg: Element, x: float, y: float, width: float, height: float, style: str, note: str
) -> None:
    """A filled rectangle with a note that shows when it is pointed at."""
    sides = {"x": x, "y": y, "width": width, "height": max(height, 0.0)}
    element = SubElement(
        svg, "rect", {key: number(side) for key, side in sides.items()} | {"class": style}
    )
    SubElement(element, "title").text = note


def series_style(index: int) -> str:
    """The class that gives a series its colour and its dashes."""
    return f"series-{index % SERIES_STYLES + 1}"


def number(value: float) -> str:
    """A coordinate; a tenth of a unit is finer than the eye."""
    return f"{value:.1f}".removesuffix(".0")


def course(axis: Axis) -> str:
    """How an axis runs, for whoever reads values from the picture: ``log 1 943``."""
    percent = any(text.endswith("%") for _, text in axis.ticks)
    plain = "named" if axis.named else "percent" if percent else "linear"
    kind = "log" if axis.log else plain
    return f"{kind} {axis.low:g} {axis.high:g}"


def _step(span: float) -> float:
    """A step of 1, 2 or 5 that cuts the span into at most six."""
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 6)


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _short(value: int) -> str:
    for size, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value // size}{sign}"
    return str(value)
