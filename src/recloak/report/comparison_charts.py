"""Comparison charts: trade-offs of all settings, and success by what the attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recloak.attacks import attack
from recloak.findings import Figure
from recloak.frontier.cells import Cell
from recloak.frontier.comparing import Comparison
from recloak.frontier.overview import worst
from recloak.frontier.protocol import AUX_SIZES, WRONG_SHARE
from recloak.frontier.wishes import Objective
from recloak.report.amounts import figure_shown, interval_of, printable
from recloak.report.chart import MISSING, Chart, Numbers, Table, chart, highest, point
from recloak.report.plots import Frame, Series, line_plot
from recloak.report.scatter import Kind, Spot, drawable, scatter_plot
from recloak.report.svg import across, series_style, slug, upwards
from recloak.report.wording import label

_RISKS = {
    "success": ("How often people are found", "people found by the attacker who finds most"),
    "worst_tenth": ("The worst-off tenth", "found among the tenth who fare worst"),
    "gain": ("What an attacker learns", "true new facts, for the attacker who learns most"),
}

TRUE, PARTLY_WRONG = "full", "dashed"
WRONG = f"{WRONG_SHARE:.0%} of it wrong"


def comparison_charts(comparison: Comparison, objective: Objective) -> list[Chart]:
    """Trade-offs first, then each family of settings by what the attacker knows."""
    return [*_trade_offs(comparison, objective), *_by_knowledge(comparison)]


def _families(comparison: Comparison) -> dict[str, list[Cell]]:
    """The cells by family, each in the order of its numbers."""
    found: dict[str, list[Cell]] = {}
    for cell in comparison.audited:
        found.setdefault(cell.setting.family, []).append(cell)
    return {
        name: sorted(cells, key=lambda cell: sorted(cell.setting.numbers.items()))
        for name, cells in found.items()
    }


def _in_a_row(cells: Sequence[Cell]) -> bool:
    """Does one number alone tell these apart? Then a line from each to the next means something."""
    numbers = [cell.setting.numbers for cell in cells]
    names = {name for one in numbers for name in one}
    return sum(len({one.get(name) for one in numbers}) > 1 for name in names) <= 1


def _trade_offs(comparison: Comparison, objective: Objective) -> Iterator[Chart]:
    for risk, (title, what) in _RISKS.items():
        kinds = [
            Kind(name, spots, joined=_in_a_row(cells))
            for name, cells in _families(comparison).items()
            if (spots := _spots(cells, objective, risk))
        ]
        if kinds:
            yield _trade_off_chart(kinds, objective, risk, title, what)


def _spots(cells: Sequence[Cell], objective: Objective, risk: str) -> tuple[Spot, ...]:
    found = [(cell, objective.found(cell), worst(cell, risk, risk=True)) for cell in cells]
    return tuple(
        Spot(use, danger, cell.name)
        for cell, use, danger in found
        if use is not None and danger is not None and drawable(use) and drawable(danger)
    )


def _trade_off_chart(
    kinds: Sequence[Kind], objective: Objective, risk: str, title: str, what: str
) -> Chart:
    side = "left" if objective.lowest else "right"
    said = f"Each mark is a setting: down is safer, to the {side} is more useful. "
    said += f"Upwards: {what}. Whiskers are 95% intervals."
    frame = Frame(
        slug(f"trade-off-{risk}"), f"{title}, against {label(objective.figure).lower()}", said
    )
    svg = scatter_plot(frame, kinds, label(objective.figure), label(risk))
    return Chart(
        identity=frame.identity,
        title=frame.title,
        description=frame.description,
        svg=svg,
        legend=tuple(kind.name for kind in kinds),
        styles=tuple(series_style(index) for index in range(len(kinds))),
        table=_trade_off_table(frame.title, kinds, objective, risk),
        kind="lines",
        columns=("Setting", *_with_ends(label(objective.figure)), *_with_ends(label(risk))),
        points=tuple(_pair(spot) for kind in kinds for spot in kind.spots),
    )


def _trade_off_table(title: str, kinds: Sequence[Kind], objective: Objective, risk: str) -> Table:
    rows = tuple(
        (spot.name, figure_shown(spot.across), figure_shown(spot.up))
        for kind in kinds
        for spot in kind.spots
    )
    return Table(title, ("Setting", label(objective.figure), label(risk)), rows)


def _with_ends(name: str) -> tuple[str, str, str]:
    return name, f"{name}, low", f"{name}, high"


def _pair(spot: Spot) -> Numbers:
    across, up = interval_of(spot.across), interval_of(spot.up)
    return (
        printable(spot.name),
        *(spot.across.value, *(across or (None, None))),
        *(spot.up.value, *(up or (None, None))),
    )


def _by_knowledge(comparison: Comparison) -> Iterator[Chart]:
    for name, cells in _families(comparison).items():
        series = [one for place, cell in enumerate(cells) for one in _lines(cell, place)]
        if series:
            yield _knowledge_chart(name, series)


def _lines(cell: Cell, place: int) -> Iterator[Series]:
    """Scoreboard-RH by how much is known, with what is known true and with some of it wrong."""
    for wrong, told, dashes in ((0.0, "", TRUE), (WRONG_SHARE, f", {WRONG}", PARTLY_WRONG)):
        name = f"{cell.setting.within_family}{told}"
        points = [
            point(at, figure, f"{name}, {known} known")
            for at, known in enumerate(AUX_SIZES)
            if (figure := _scoreboard(cell, known, wrong)) is not None
        ]
        if points:
            yield Series(name, tuple(points), f"{series_style(place)} {dashes}", place)


def _scoreboard(cell: Cell, known: int, wrong: float) -> Figure | None:
    spec = attack(f"scoreboard-rh:known={known},wrong={wrong}").spec
    return cell.figure(spec, "success")


def _knowledge_chart(name: str, series: Sequence[Series]) -> Chart:
    said = (
        "The share of people whom Scoreboard-RH finds, by how many ratings it knows. Full lines: "
        f"all that it knows is true; dashed lines with hollow marks: {WRONG}. "
        "Bands are 95% intervals."
    )
    frame = Frame(slug(f"known-{name}"), f"Found by what is known: {name}", said)
    places = [str(known) for known in AUX_SIZES]
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
    return [by_place.get(at, MISSING) for at in range(len(AUX_SIZES))]
