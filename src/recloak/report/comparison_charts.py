"""Comparison charts: trade-offs of all settings, and success by what the attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.attacks import attack
from recloak.findings import Figure
from recloak.frontier.cells import Cell
from recloak.frontier.comparing import Comparison
from recloak.frontier.overview import worst
from recloak.frontier.protocol import AUX_SIZES, WRONG_SHARE
from recloak.frontier.wishes import Objective
from recloak.report.amounts import figure_shown
from recloak.report.chart import MISSING, Chart, Table, chart, highest, point
from recloak.report.plots import Frame, Series, line_plot
from recloak.report.scatter import Kind, Spot, drawable, scatter_plot
from recloak.report.svg import across, slug, upwards
from recloak.report.wording import label

_RISKS = {
    "success": ("How often people are found", "people found by the attacker who finds most"),
    "worst_tenth": ("The worst-off tenth", "found among the tenth who fare worst"),
    "gain": ("What an attacker learns", "true new facts, for the attacker who learns most"),
}


def comparison_charts(comparison: Comparison, objective: Objective) -> list[Chart]:
    """Trade-offs first, then each method by what the attacker knows."""
    return [*_trade_offs(comparison, objective), *_by_knowledge(comparison)]


def _methods(comparison: Comparison) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in comparison.audited:
        found.setdefault(cell.setting.name, []).append(cell)
    return found


def _trade_offs(comparison: Comparison, objective: Objective) -> Iterator[Chart]:
    for risk, (title, what) in _RISKS.items():
        kinds = [
            Kind(name, spots)
            for name, cells in _methods(comparison).items()
            if (spots := _spots(cells, objective, risk))
        ]
        if kinds:
            yield _trade_off_chart(kinds, objective, risk, title, what)


def _spots(cells: Sequence[Cell], objective: Objective, risk: str) -> tuple[Spot, ...]:
    found = [(cell, objective.found(cell), worst(cell, risk, risk=True)) for cell in cells]
    return tuple(
        Spot(use, danger, f"{cell.name}: {figure_shown(use)}, {figure_shown(danger)}")
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
    rows = tuple(
        (spot.note.split(": ")[0], figure_shown(spot.across), figure_shown(spot.up))
        for kind in kinds
        for spot in kind.spots
    )
    table = Table(frame.title, ("Setting", label(objective.figure), label(risk)), rows)
    return chart(frame, svg, [Series(kind.name, ()) for kind in kinds], table)


def _by_knowledge(comparison: Comparison) -> Iterator[Chart]:
    for name, cells in _methods(comparison).items():
        series = [one for cell in cells for one in _lines(cell)]
        if series:
            yield _knowledge_chart(name, series)


def _lines(cell: Cell) -> Iterator[Series]:
    """Scoreboard-RH by how much is known, with what is known true and with some of it wrong."""
    for wrong, told in ((0.0, ""), (WRONG_SHARE, f", {WRONG_SHARE:.0%} wrong")):
        name = f"{cell.name}{told}"
        points = [
            point(at, figure, f"{name}, {known} known")
            for at, known in enumerate(AUX_SIZES)
            if (figure := _scoreboard(cell, known, wrong)) is not None
        ]
        if points:
            yield Series(name, tuple(points))


def _scoreboard(cell: Cell, known: int, wrong: float) -> Figure | None:
    spec = attack(f"scoreboard-rh:known={known},wrong={wrong}").spec
    return cell.figure(spec, "success")


def _knowledge_chart(name: str, series: Sequence[Series]) -> Chart:
    said = (
        "The share of people whom Scoreboard-RH finds, by how many ratings it knows, true and "
        "partly wrong. Bands are 95% intervals."
    )
    frame = Frame(slug(f"known-{name}"), f"Found by what is known: {name}", said)
    ticks = [(float(at), str(known)) for at, known in enumerate(AUX_SIZES)]
    x = across(-0.3, len(AUX_SIZES) - 0.7, ticks, "ratings known to the attacker")
    svg = line_plot(frame, series, x, upwards(highest(series), "Success", percent=True))
    rows = tuple((one.name, *_shown(one)) for one in series)
    columns = ("Setting", *(f"{known} known" for known in AUX_SIZES))
    return chart(frame, svg, series, Table(frame.title, columns, rows))


def _shown(series: Series) -> list[str]:
    by_place = {round(one.x): one.note.split(": ")[-1] for one in series.points}
    return [by_place.get(at, MISSING) for at in range(len(AUX_SIZES))]
