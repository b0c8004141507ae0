"""Pictures of studies: one SVG file each, with its own style and legend."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, fromstring

from recloak.core.files import write_whole
from recloak.report.charts import svg as draw
from recloak.report.charts.plots import Frame, Point, Series, bar_plot, line_plot
from recloak.studies.base import Picture, StudyResult

LEGEND_LINE = 20
LETTER = 7  # about the width of one, in units of the picture
STYLE = """
svg { background: #fff; --ink: #1c2733; --muted: #526070; --rule: #dde3ea; --card: #fff; }
text { fill: var(--ink); font: 12.5px system-ui, sans-serif; }
.tick, .axis-name { fill: var(--muted); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--rule); } .axis { stroke: var(--muted); } .whisker { stroke: var(--ink); }
.series-1 { --line: #1f5fa8; } .series-2 { --line: #b9480e; } .series-3 { --line: #0c756b; }
.series-4 { --line: #7440b8; } .series-5 { --line: #8a6100; } .series-6 { --line: #ad2566; }
.series-7 { --line: #4d5d6c; } .series-8 { --line: #4f6b00; }
.line { fill: none; stroke: var(--line); stroke-width: 2; }
.line.series-2, .line.series-5, .line.series-8 { stroke-dasharray: 7 4; }
.line.series-3, .line.series-6 { stroke-dasharray: 2 3; }
.marker { fill: var(--line); stroke: var(--card); } .bar { fill: var(--line); }
.band { fill: var(--line); fill-opacity: .16; }
"""


def draw_picture(result: StudyResult, picture: Picture) -> str:
    """The picture as the text of an SVG file."""
    title = f"{result.title}: {result.data}"
    description = (
        f"{picture.y_name} by {picture.x_name or 'group'}, numbers in the table beside it."
    )
    frame = Frame(draw.slug(result.name), title, description)
    series = [_series(name, points, picture) for name, points in picture.series]
    plain = _bars(frame, series, picture) if picture.groups else _lines(frame, series, picture)
    return _alone(fromstring(plain), [name for name, _ in picture.series])


def _series(name: str, points: tuple[tuple[float, float], ...], picture: Picture) -> Series:
    def note(x: float, y: float) -> str:
        place = picture.groups[int(x)] if picture.groups else f"{x:g}"
        return f"{name}, {place}: {y:.4g}"

    return Series(name, tuple(Point(x, y, note=note(x, y)) for x, y in points))


def _bars(frame: Frame, series: list[Series], picture: Picture) -> str:
    highest = max((point.y for one in series for point in one.points), default=1.0)
    return bar_plot(frame, picture.groups, series, draw.upwards(highest, picture.y_name))


def _lines(frame: Frame, series: list[Series], picture: Picture) -> str:
    points = [point for one in series for point in one.points]
    right, top = max(point.x for point in points), max(point.y for point in points)
    if picture.logarithmic:
        x = draw.log_axis(right, picture.x_name, vertical=False)
        y = draw.log_axis(top, picture.y_name, vertical=True)
        return line_plot(frame, series, x, y, markers=False)
    places = list(picture.x_ticks) or sorted({point.x for point in points})
    ticks = [(place, f"{place:g}") for place in places]
    low, high = (places[0], places[-1]) if picture.x_ticks else (min(0.0, places[0]), right * 1.03)
    x = draw.across(low, high, ticks, picture.x_name)
    return line_plot(frame, series, x, draw.upwards(top, picture.y_name))


def _alone(picture: Element, names: list[str]) -> str:
    """A file by itself: with a style, a background and a legend."""
    room = draw.WIDTH - 24
    columns = min(max(room // (LETTER * max(map(len, names), default=1) + 36), 1), 4)
    lines = -(-len(names) // columns)
    height = draw.HEIGHT + LEGEND_LINE * lines + 4
    picture.set("xmlns", "http://www.w3.org/2000/svg")
    picture.set("viewBox", f"0 0 {draw.WIDTH} {height}")
    style = Element("style")
    style.text = STYLE
    picture.insert(2, style)
    for at, name in enumerate(names):
        x = 12 + room / columns * (at % columns)
        y = draw.HEIGHT + LEGEND_LINE * (at // columns) + 10
        where = {"x": f"{x:g}", "y": f"{y - 9:g}", "width": "14", "height": "9"}
        SubElement(picture, "rect", where | {"class": f"bar {draw.series_style(at)}"})
        draw.write(picture, name, x + 20, y, "legend")
    return draw.markup(picture) + "\n"


def write_result(result: StudyResult, folder: Path) -> list[Path]:
    """Write all files of ``outcome`` into ``folder``; those of an earlier run are replaced."""
    names = [f"{result.name}{f'-{at + 1}' if at else ''}.svg" for at in range(len(result.pictures))]
    texts = {
        f"{result.name}.json": result.to_json(),
        **{
            name: draw_picture(result, picture)
            for name, picture in zip(names, result.pictures, strict=True)
        },
        f"{result.name}.md": result.to_markdown(names),
    }
    for name, text in texts.items():
        write_whole(folder / name, text.encode(), overwrite=True)
    return [folder / name for name in texts]
