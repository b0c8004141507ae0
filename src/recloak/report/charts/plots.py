"""Plots: lines with bands, bars with intervals, dots with intervals, and a hundred people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from xml.etree.ElementTree import Element, SubElement

from recloak.report.charts import svg as draw
from recloak.report.charts.svg import HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, number, series_style

BOTTOM_LINE = HEIGHT - draw.BOTTOM
ROW = 46
LINES = 3  # of the name below a group of bars
TURNED = -60  # degrees, where names are too long for that
LETTER = 7  # about as wide as one is


@dataclass(frozen=True)
class Point:
    """A value at a place, its interval, and the note that shows when it is pointed at."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Series:
    """Points of one kind; ``style`` is for those that do not look as their place in a row says."""

    name: str
    points: tuple[Point, ...]
    style: str = ""
    shape: int | None = None


@dataclass(frozen=True)
class Frame:
    """What a picture is called, in its page and to those who cannot see it."""

    identity: str
    title: str
    description: str


def line_plot(
    frame: Frame, series: Sequence[Series], x: Axis, y: Axis, *, markers: bool = True
) -> str:
    """Lines with the bands of their intervals."""
    picture = draw.picture(frame.identity, frame.title, frame.description, WIDTH, HEIGHT)
    draw.draw_axes(picture, x, y)
    styles = styles_of(series)
    for one, style in zip(series, styles, strict=True):
        _band(picture, one, x, y, style)
    for index, (one, style) in enumerate(zip(series, styles, strict=True)):
        places = " ".join(_place(x.place(point.x), y.place(point.y)) for point in one.points)
        SubElement(picture, "polyline", {"points": places, "class": f"line {style}"})
        shape = index if one.shape is None else one.shape
        for point in one.points if markers else ():
            marker(picture, shape, style, x.place(point.x), y.place(point.y), point.note)
    return draw.markup(picture)


def styles_of(series: Sequence[Series]) -> list[str]:
    """The classes that give each series its colour and its dashes."""
    return [one.style or series_style(index) for index, one in enumerate(series)]


def bar_plot(frame: Frame, groups: Sequence[str], series: Sequence[Series], y: Axis) -> str:
    """Bars side by side in groups; a point's ``x`` is the number of its group.

    The names of groups are told whole: on several lines, or turned where that is not enough.
    """
    room = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    names = [_in_lines(name, room) for name in groups]
    turned = any("…" in name for name in names)
    height = HEIGHT + (_height_turned(groups) if turned else 0)
    picture = draw.picture(frame.identity, frame.title, frame.description, WIDTH, height)
    ticks = [] if turned else [(at + 0.5, name) for at, name in enumerate(names)]
    draw.draw_axes(picture, draw.across(0, max(len(groups), 1), ticks, ""), y)
    for at, name in enumerate(groups if turned else ()):
        draw.write_turned(picture, name, LEFT + room * (at + 0.5) + 4, BOTTOM_LINE + 14, TURNED)
    width = min(room * 0.72 / max(len(series), 1), 56.0)
    for index, one in enumerate(series):
        for point in one.points:
            middle = LEFT + room * (point.x + 0.5) + width * (index - (len(series) - 1) / 2)
            _bar(picture, point, middle, width, y, series_style(index))
    return draw.markup(picture)


def dot_plot(frame: Frame, series: Series, x: Axis) -> str:
    """One row for each point, named above it; ``x.place`` takes the point's ``y``."""
    height = TOP + ROW * len(series.points) + 28
    picture = draw.picture(frame.identity, frame.title, frame.description, WIDTH, height)
    picture.set("data-y", draw.course(x))
    for value, text in x.ticks:
        draw.line(picture, x.place(value), TOP, x.place(value), height - 28, "grid")
        draw.write(picture, text, x.place(value), height - 8, "tick middle")
    for row, point in enumerate(series.points):
        at = TOP + ROW * row + 32
        draw.write(picture, _cut(point.note, WIDTH - 24), 12, at - 16, "tick")
        if point.low is not None and point.high is not None:
            draw.line(picture, x.place(point.low), at, x.place(point.high), at, "whisker")
        marker(picture, 0, series_style(0), x.place(point.y), at, point.note)
    return draw.markup(picture)


def people_plot(frame: Frame, found: int, more: int = 0) -> str:
    """A hundred people, of whom so many are found, and so many more by other means."""
    picture = draw.picture(frame.identity, frame.title, frame.description, 200, 200)
    for person in range(100):
        across, down = 10 + 20 * (person % 10), 10 + 20 * (person // 10)
        struck = found <= person < found + more
        style = "found" if person < found else "struck-person" if struck else "hidden-person"
        SubElement(
            picture, "circle", {"cx": str(across), "cy": str(down), "r": "7", "class": style}
        )
        if struck:
            draw.line(picture, across - 5, down + 5, across + 5, down - 5, "struck-person")
    return draw.markup(picture)


def _band(picture: Element, series: Series, x: Axis, y: Axis, style: str) -> None:
    ends = [
        (x.place(point.x), y.place(point.low), y.place(point.high))
        for point in series.points
        if point.low is not None and point.high is not None
    ]
    if len(ends) < 2:
        return
    there = [_place(across, high) for across, _, high in ends]
    back = [_place(across, low) for across, low, _ in reversed(ends)]
    SubElement(picture, "polygon", {"points": " ".join(there + back), "class": f"band {style}"})


def _bar(picture: Element, point: Point, middle: float, width: float, y: Axis, style: str) -> None:
    top = y.place(point.y)
    left = middle - width / 2 + 1
    draw.rectangle(picture, left, top, width - 2, BOTTOM_LINE - top, f"bar {style}", point.note)
    highest = top
    if point.low is not None and point.high is not None:
        low, highest = y.place(point.low), y.place(point.high)
        draw.line(picture, middle, low, middle, highest, "whisker")
        for end in (low, highest):
            draw.line(picture, middle - 5, end, middle + 5, end, "whisker")
    if width >= 34:
        draw.write(picture, f"{point.y:.3g}", middle, highest - 6, "value middle")


def marker(picture: Element, shape: int, style: str, x: float, y: float, note: str) -> None:
    """A mark whose shape differs by series, for print and for eyes that see no colour."""
    style_class = {"class": f"marker {style}"}
    corners = (None, _SQUARE, _TRIANGLE)[shape % 3]
    if corners is None:
        mark = SubElement(
            picture, "circle", {"cx": number(x), "cy": number(y), "r": "4"} | style_class
        )
    else:
        places = " ".join(_place(x + right, y + down) for right, down in corners)
        mark = SubElement(picture, "polygon", {"points": places} | style_class)
    SubElement(mark, "title").text = note


_SQUARE = ((-4, -4), (4, -4), (4, 4), (-4, 4))
_TRIANGLE = ((0, -5), (5, 4), (-5, 4))


def _place(x: float, y: float) -> str:
    return f"{number(x)},{number(y)}"


def _in_lines(name: str, room: float) -> str:
    """A name on as many lines as it needs between words, three at most."""
    lines = wrap(name, _letters(room), break_long_words=False) or [""]
    last = " ".join(lines[LINES - 1 :])
    return "\n".join(_cut(line, room) for line in [*lines[: LINES - 1], *([last] if last else [])])


def _height_turned(names: Sequence[str]) -> int:
    """How much more room the longest of the names takes below the axis once it is turned."""
    longest = LETTER * max(map(len, names), default=0)
    return max(0, math.ceil(longest * math.sin(math.radians(-TURNED)) + 24 - draw.BOTTOM))


def _letters(room: float) -> int:
    """How many letters of a label fit."""
    return max(int(room / LETTER), 4)


def _cut(text: str, room: float) -> str:
    """Shorten a name to the room it has."""
    letters = _letters(room)
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
