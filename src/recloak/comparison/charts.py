"""Comparison charts: trade-offs of all settings, and success by what the attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, SubElement

from recloak.attacks import attack
from recloak.attacks.scoreboard_rh import KNOWN, WRONG_SHARE
from recloak.comparison.overview import columns, heading, in_a_sentence, worst
from recloak.comparison.requirements import Objective
from recloak.comparison.trials import Trial
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure
from recloak.evaluation.formatting import figure_shown, interval_of, is_number, printable
from recloak.report.charts import svg as draw
from recloak.report.charts.chart import Chart, Numbers, chart, highest, point
from recloak.report.charts.plots import Frame, Series, line_plot, marker
from recloak.report.charts.svg import (
    HEIGHT,
    WIDTH,
    Axis,
    across,
    number,
    series_style,
    slug,
    upwards,
)
from recloak.report.table import MISSING, Table

TRUE, PARTLY_WRONG = "full", "dashed"
WRONG = f"{WRONG_SHARE:.0%} of it wrong"


def comparison_charts(trials: Sequence[Trial], objective: Objective) -> list[Chart]:
    """Trade-offs first, then each family of settings by what the attacker knows.

    ``trials`` are those of methods that could work on the data.
    """
    families = _families(trials)
    return [*_trade_offs(trials, families, objective), *_by_knowledge(families)]


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
            Kind(name, spots, joined=_in_a_row(trials))
            for name, trials in families.items()
            if risk.worse == "more" and (spots := _spots(trials, objective, risk.name))
        ]
        if kinds:
            yield _trade_off_chart(kinds, objective, risk)


def _spots(trials: Sequence[Trial], objective: Objective, risk: str) -> tuple[Spot, ...]:
    found = [(trial, objective.found(trial), worst(trial, risk, risk=True)) for trial in trials]
    return tuple(
        Spot(use, danger, trial.name)
        for trial, use, danger in found
        if use is not None and danger is not None and drawable(use) and drawable(danger)
    )


def _trade_off_chart(kinds: Sequence[Kind], objective: Objective, risk: DeclaredFigure) -> Chart:
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


def _trade_off_table(title: str, kinds: Sequence[Kind], headings: tuple[str, ...]) -> Table:
    rows = tuple(
        (spot.name, figure_shown(spot.across), figure_shown(spot.up))
        for kind in kinds
        for spot in kind.spots
    )
    return Table(title, headings, rows)


def _with_ends(name: str) -> tuple[str, str, str]:
    return name, f"{name}, low", f"{name}, high"


def _pair(spot: Spot) -> Numbers:
    across, up = interval_of(spot.across), interval_of(spot.up)
    return (
        printable(spot.name),
        *(spot.across.value, *(across or (None, None))),
        *(spot.up.value, *(up or (None, None))),
    )


def _by_knowledge(families: Mapping[str, Sequence[Trial]]) -> Iterator[Chart]:
    for name, trials in families.items():
        series = [one for place, trial in enumerate(trials) for one in _lines(trial, place)]
        if series:
            yield _knowledge_chart(name, series)


def _lines(trial: Trial, place: int) -> Iterator[Series]:
    """Scoreboard-RH by how much is known, with what is known true and with some of it wrong."""
    for wrong, suffix, dashes in ((0.0, "", TRUE), (WRONG_SHARE, f", {WRONG}", PARTLY_WRONG)):
        name = f"{trial.setting.within_family}{suffix}"
        points = [
            point(at, figure, f"{name}, {known} known")
            for at, known in enumerate(KNOWN)
            if (figure := _scoreboard(trial, known, wrong)) is not None
        ]
        if points:
            yield Series(name, tuple(points), f"{series_style(place)} {dashes}", place)


def _scoreboard(trial: Trial, known: int, wrong: float) -> Figure | None:
    spec = attack(f"scoreboard-rh:known={known},wrong={wrong}").spec
    return trial.figure(spec, "success")


def _knowledge_chart(name: str, series: Sequence[Series]) -> Chart:
    description = (
        "The share of people whom Scoreboard-RH finds, by how many ratings it knows. Full lines: "
        f"all that it knows is true; dashed lines with hollow marks: {WRONG}. "
        "Bands are 95% intervals."
    )
    frame = Frame(slug(f"known-{name}"), f"Found by what is known: {name}", description)
    places = [str(known) for known in KNOWN]
    ticks = [(float(at), known) for at, known in enumerate(places)]
    x = across(-0.3, len(places) - 0.7, ticks, "ratings known to the attacker")
    svg = line_plot(frame, series, x, upwards(highest(series), "Success", percent=True))
    rows = tuple((one.name, *_shown(one)) for one in series)
    table = Table(frame.title, ("Setting", *(f"{known} known" for known in places)), rows)
    drawn = chart(frame, svg, series, table, places=places, along="Ratings known")
    names, styles = zip(*_legend(series), strict=True)
    return replace(drawn, legend=names, styles=styles)


def _legend(series: Sequence[Series]) -> list[tuple[str, str]]:
    """Each setting once, and once what dashes mean."""
    full = [(one.name, one.style) for one in series if one.style.endswith(TRUE)]
    dashed = [(WRONG, f"neutral {PARTLY_WRONG}")] if len(full) < len(series) else []
    return full + dashed


def _shown(series: Series) -> list[str]:
    by_place = {round(one.x): one.note.split(": ")[-1] for one in series.points}
    return [by_place.get(at, MISSING) for at in range(len(KNOWN))]


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
