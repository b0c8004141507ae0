"""Pictures of studies: one SVG file each, with its own style and legend."""

from __future__ import annotations

from pathlib import Path

from recloak.core.files import write_whole
from recloak.report.charts import svg as draw
from recloak.report.charts.alone import alone
from recloak.report.charts.plots import Frame, Point, Series, bar_plot, line_plot
from recloak.studies.base import Picture, StudyResult


def draw_picture(result: StudyResult, picture: Picture) -> str:
    """The picture as the text of an SVG file."""
    title = f"{result.title}: {result.data}"
    description = (
        f"{picture.y_name} by {picture.x_name or 'group'}, numbers in the table beside it."
    )
    frame = Frame(draw.slug(result.name), title, description)
    series = [_series(name, points, picture) for name, points in picture.series]
    plain = _bars(frame, series, picture) if picture.groups else _lines(frame, series, picture)
    return alone(plain, [name for name, _ in picture.series])


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
