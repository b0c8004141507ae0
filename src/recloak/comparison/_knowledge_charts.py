"""Knowledge charts: how often an attack finds people, by how much it knows of them.

Drawn is every attack that declares three amounts of knowledge or more for a comparison, with a line
for each of its other settings. Fewer amounts make no line; they stand in the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recloak.attacks import ATTACKS, Attack
from recloak.comparison.trials import Trial
from recloak.core.parameters import parse_spec
from recloak.evaluation.formatting import label
from recloak.report.charts.chart import Chart, chart, highest, point
from recloak.report.charts.plots import Frame, Series, line_plot
from recloak.report.charts.svg import across, series_style, slug, upwards
from recloak.report.table import MISSING, Table

FEWEST_AMOUNTS = 3
FULL, DASHED = "full", "dashed"
ALL_TRUE = "all that it knows is true"


@dataclass(frozen=True)
class Line:
    """The runs of an attack that differ by what is known alone; ``settings`` tells the others.

    ``figure`` is its rate of success, which is drawn.
    """

    settings: str
    specs: Mapping[int, str]
    figure: str


def by_knowledge(families: Mapping[str, Sequence[Trial]]) -> Iterator[Chart]:
    """A chart for each family of settings and each attack with lines."""
    lines = {name: lines_of(ATTACKS.get(name)) for name in ATTACKS}
    for family, trials in families.items():
        for name, declared in lines.items():
            series = [
                one for place, trial in enumerate(trials) for one in _series(trial, place, declared)
            ]
            if series:
                yield _chart(family, name, declared, series)


def lines_of(kind: type[Attack]) -> list[Line]:
    """What the attack declares for a comparison, by all but the amount that is known."""
    success = kind.declared_as("success")
    if success is None:
        return []
    lines: dict[str, dict[int, str]] = {}
    for settings in kind.compared_with:
        _, values = parse_spec(f"{kind.name}:{settings}" if settings else kind.name)
        known = values.pop("known", None)
        if known is not None:
            spec = kind(known=known, **values).spec
            lines.setdefault(_words(values), {})[int(known)] = spec
    return [
        Line(words, specs, success.name)
        for words, specs in lines.items()
        if len(specs) >= FEWEST_AMOUNTS
    ]


def _words(settings: Mapping[str, str]) -> str:
    """The other settings in a few words; nothing for the defaults."""
    parts = [
        f"{float(value):.0%} of it wrong" if name == "wrong" else f"{label(name).lower()} {value}"
        for name, value in settings.items()
    ]
    return ", ".join(parts)


def _series(trial: Trial, place: int, lines: Sequence[Line]) -> Iterator[Series]:
    amounts = amounts_of(lines)
    for line in lines:
        suffix = f", {line.settings}" if line.settings else ""
        name = f"{trial.setting.within_family}{suffix}"
        points = [
            point(amounts.index(known), figure, f"{name}, {known} known")
            for known, spec in line.specs.items()
            if (figure := trial.figure(spec, line.figure)) is not None
        ]
        if points:
            dashes = DASHED if line.settings else FULL
            yield Series(name, tuple(points), f"{series_style(place)} {dashes}", place)


def amounts_of(lines: Sequence[Line]) -> list[int]:
    """All amounts of knowledge, in order."""
    return sorted({known for line in lines for known in line.specs})


def _chart(family: str, name: str, lines: Sequence[Line], series: Sequence[Series]) -> Chart:
    others = " or ".join(line.settings for line in lines if line.settings)
    description = f"The share of people whom {name} finds, by how many ratings it knows. "
    if others:
        description += f"Full lines: {ALL_TRUE}; dashed lines with hollow marks: {others}. "
    title = f"Found by {name}, by what is known: {family}"
    frame = Frame(slug(f"known-{name}-{family}"), title, f"{description}Bands are 95% intervals.")
    places = [str(known) for known in amounts_of(lines)]
    ticks = [(float(at), known) for at, known in enumerate(places)]
    x = across(-0.3, len(places) - 0.7, ticks, "ratings known to the attacker")
    svg = line_plot(frame, series, x, upwards(highest(series), "Success", percent=True))
    rows = tuple((one.name, *_shown(one, len(places))) for one in series)
    table = Table(frame.title, ("Setting", *(f"{known} known" for known in places)), rows)
    drawn = chart(frame, svg, series, table, places=places, along="Ratings known")
    names, styles = zip(*_legend(series, others), strict=True)
    return replace(drawn, legend=names, styles=styles)


def _legend(series: Sequence[Series], others: str) -> list[tuple[str, str]]:
    """Each setting once, and once what dashes mean."""
    full = [(one.name, one.style) for one in series if one.style.endswith(FULL)]
    dashed = [(others, f"neutral {DASHED}")] if len(full) < len(series) else []
    return full + dashed


def _shown(series: Series, amounts: int) -> list[str]:
    by_place = {round(one.x): one.note.split(": ")[-1] for one in series.points}
    return [by_place.get(at, MISSING) for at in range(amounts)]
