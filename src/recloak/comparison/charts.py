"""Comparison charts: trade-offs of all settings, and success by what the attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from recloak.comparison._knowledge_charts import by_knowledge
from recloak.comparison.overview import columns, heading, in_a_sentence, worst
from recloak.comparison.requirements import Objective
from recloak.comparison.trials import Trial
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import figure_shown, interval_of, is_number, printable
from recloak.report.charts import svg as draw
from recloak.report.charts.chart import Chart, Numbers
from recloak.report.charts.plots import Frame, marker
from recloak.report.charts.svg import (
    HEIGHT,
    WIDTH,
    Axis,
    number,
    series_style,
    slug,
)
from recloak.report.table import Table


def comparison_charts(trials: Sequence[Trial], objective: Objective) -> list[Chart]:
    """Trade-offs first, then each family of settings by what the attacker knows.

    ``trials`` are those of methods that could work on the data.
    """
    families = _families(trials)
    return [*_trade_offs(trials, families, objective), *by_knowledge(families)]


def _families(audited: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials by family, each in the order of its numbers."""
    found: dict[str, list[Trial]] = {}
    for trial in audited:
        found.setdefault(trial.setting.family, []).append(trial)
    return {
        name: sorted(trials, key=lambda trial: sorted(trial.setting.numbers.items()))
        for name, trials in found.items()
    }


def _in_a_row(trials: Sequence[Trial]) -> bool:
    """Does one number alone tell these apart? Then a line from each to the next means something."""
    numbers = [trial.setting.numbers for trial in trials]
    names = {name for one in numbers for name in one}
    return sum(len({one.get(name) for one in numbers}) > 1 for name in names) <= 1


def _trade_offs(
    audited: Sequence[Trial], families: Mapping[str, Sequence[Trial]], objective: Objective
) -> Iterator[Chart]:
    """A chart for each risk that is seen at a glance."""
    for risk in columns(audited):
        kinds = [
            FigureSeries(name, spots, joined=_in_a_row(trials))
            for name, trials in families.items()
            if risk.worse == "more" and (spots := _spots(trials, objective, risk.name))
        ]
        if kinds:
            yield _trade_off_chart(kinds, objective, risk)


def _spots(trials: Sequence[Trial], objective: Objective, risk: str) -> tuple[FigurePair, ...]:
    found = [(trial, objective.found(trial), worst(trial, risk, risk=True)) for trial in trials]
    return tuple(
        FigurePair(use, danger, trial.name)
        for trial, use, danger in found
        if use is not None and danger is not None and drawable(use) and drawable(danger)
    )


def _trade_off_chart(
    kinds: Sequence[FigureSeries], objective: Objective, risk: DeclaredFigure
) -> Chart:
    side = "left" if objective.lowest else "right"
    description = f"Each mark is a setting: down is safer, to the {side} is more useful. "
    description += f"Upwards: {risk.at_a_glance}. Whiskers are 95% intervals."
    title = f"{risk.heading}, against {in_a_sentence(objective.figure)}"
    frame = Frame(slug(f"trade-off-{risk.name}"), title, description)
    use = heading(objective.figure)
    svg = scatter_plot(frame, kinds, use, risk.heading)
    return Chart(
        identity=frame.identity,
        title=frame.title,
        description=frame.description,
        svg=svg,
        legend=tuple(kind.name for kind in kinds),
        styles=tuple(series_style(index) for index in range(len(kinds))),
        table=_trade_off_table(title, kinds, ("Setting", use, risk.heading)),
        kind="lines",
        columns=("Setting", *_with_ends(use), *_with_ends(risk.heading)),
        points=tuple(_pair(spot) for kind in kinds for spot in kind.spots),
    )


def _trade_off_table(title: str, kinds: Sequence[FigureSeries], headings: tuple[str, ...]) -> Table:
    rows = tuple(
        (spot.name, figure_shown(spot.across), figure_shown(spot.up))
        for kind in kinds
        for spot in kind.spots
    )
    return Table(title, headings, rows)


def _with_ends(name: str) -> tuple[str, str, str]:
    return name, f"{name}, low", f"{name}, high"


def _pair(spot: FigurePair) -> Numbers:
    across, up = interval_of(spot.across), interval_of(spot.up)
    return (
        printable(spot.name),
        *(spot.across.value, *(across or (None, None))),
        *(spot.up.value, *(up or (None, None))),
    )


MARGIN = 0.04  # of what is drawn, left free on either side


@dataclass(frozen=True)
class FigurePair:
    """A pair of figures, and what they are of."""

    across: Figure
    up: Figure
    name: str

    @property
    def note(self) -> str:
        """What shows when it is pointed at."""
        return f"{self.name}: {figure_shown(self.across)}, {figure_shown(self.up)}"


@dataclass(frozen=True)
class FigureSeries:
    """Spots of one kind, in the order in which they are joined, if there is one."""

    name: str
    spots: tuple[FigurePair, ...]
    joined: bool = True


def scatter_plot(frame: Frame, kinds: Sequence[FigureSeries], x_name: str, y_name: str) -> str:
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


def _joined(picture: Element, kind: FigureSeries, x: Axis, y: Axis, style: str) -> None:
    if len(kind.spots) < 2 or not kind.joined:
        return
    places = " ".join(
        f"{number(x.place(spot.across.value))},{number(y.place(spot.up.value))}"
        for spot in kind.spots
    )
    SubElement(picture, "polyline", {"points": places, "class": f"line {style}"})


def _whiskers(picture: Element, spot: FigurePair, x: Axis, y: Axis) -> None:
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
