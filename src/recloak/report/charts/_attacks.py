"""Attack charts: how risks grow with what is known, and single attacks side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from recloak.auditing.evaluation_registry import (
    declared_as,
    declared_figures,
    evaluation_of,
    share_as,
)
from recloak.evaluation.figures import RISKS
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.formatting import fact_shown, figure_shown, is_number, label, sentence_case
from recloak.report.charts.chart import Chart, chart, highest, point, with_intervals
from recloak.report.charts.plots import Frame, Series, dot_plot, line_plot, people_plot
from recloak.report.charts.svg import LEFT, RIGHT, WIDTH, Axis, across, between, slug, upwards
from recloak.report.table import MISSING, Table
from recloak.report.wording._risks import known_items

Variants = dict[str, list[tuple[int, Figure]]]


def people_chart(success: Figure, strongest: Figure | None = None) -> str:
    """A hundred people, of whom an attack finds so many, and the strongest one so many more."""
    found = _of_100(success)
    more = max(_of_100(strongest) - found, 0) if strongest else 0
    description = (
        f"A hundred dots for a hundred people, {found} of them filled: these would be found."
    )
    description += f" {more} more, struck out, would be by the strongest attack." if more else ""
    title = f"{found} of 100 people would be found"
    title += f", {found + more} by the strongest attack" if more else ""
    return people_plot(Frame("people", title, description), found, more)


def _of_100(share: Figure) -> int:
    return min(max(int(100 * share.value + 0.5), 0), 100)


def by_knowledge(attacks: Sequence[Finding]) -> Iterator[Chart]:
    """For each attack run with several amounts of knowledge: its figures by that amount."""
    for name in dict.fromkeys(finding.name for finding in attacks):
        for figure in declared_figures().values():
            findings = [one for one in attacks if one.name == name and _drawable(one, figure.name)]
            if figure.chart and len({known_items(one) for one in findings}) > 1:
                yield _knowledge_chart(name, figure.name, figure.chart, findings)


def side_by_side(attacks: Sequence[Finding]) -> Iterator[Chart]:
    """Success of the attacks that are not drawn by knowledge."""
    drawn = {
        name
        for name in {finding.name for finding in attacks}
        if len({known_items(one) for one in attacks if one.name == name and _finds(one)}) > 1
    }
    shares = [
        (finding.title, figure)
        for finding in attacks
        if (figure := share_as(finding, "success")) and not _in(finding, drawn)
    ]
    if shares:
        yield _side_by_side_chart(shares)


def _in(finding: Finding, drawn: set[str]) -> bool:
    return finding.name in drawn and known_items(finding) is not None


def _finds(finding: Finding) -> bool:
    """Has it a rate of success that can be drawn by what is known?"""
    success = declared_as(finding, "success")
    return success is not None and _drawable(finding, success.name)


def _drawable(finding: Finding, name: str) -> bool:
    figure = finding.figure(name)
    if figure is None or finding.sample == 0 or known_items(finding) is None:
        return False
    # a difference is less than 0 where chance favours outsiders
    return is_number(figure.value) and (figure.value >= 0 or _is_difference(name))


def _is_difference(name: str) -> bool:
    declared = declared_figures().get(name)
    return declared is not None and declared.stands_for in RISKS


def _knowledge_chart(
    name: str, figure: str, texts: tuple[str, str], findings: Sequence[Finding]
) -> Chart:
    title, what = texts
    variants = _with_original(findings, figure, _variants(findings, figure))
    amounts = _amounts(variants)
    series = [
        Series(variant, tuple(point(amounts.index(known), one, variant) for known, one in found))
        for variant, found in variants.items()
    ]
    ticks = [(float(at), str(known or "all")) for at, known in enumerate(amounts)]
    x = across(-0.3, len(amounts) - 0.7, ticks, "items known to the attacker")
    percent = all(one.unit == "share" for found in variants.values() for _, one in found)
    y = _axis(series, figure, percent=percent)
    description = f"{sentence_case(what)}, by how many of a person's ratings the attacker knows."
    frame = Frame(
        slug(f"{figure}-{name}"),
        f"{title}: {name}",
        with_intervals(description, series, "Bands are 95% intervals."),
    )
    svg = line_plot(frame, series, x, y)
    table = _knowledge_table(frame, variants, amounts)
    return chart(frame, svg, series, table, places=[str(known or "all") for known in amounts])


def _axis(series: Sequence[Series], figure: str, *, percent: bool) -> Axis:
    """From 0 upwards; from below only if a difference is drawn that is less than 0."""
    low = min((one.y for each in series for one in each.points), default=0.0)
    if low >= 0:
        return upwards(highest(series), label(figure), percent=percent)
    ends = min(low, *(one.low or low for each in series for one in each.points)), highest(series)
    return between(*ends, label(figure), percent=percent, vertical=True)


def _amounts(variants: Variants) -> list[int]:
    """The amounts that were tried, in order; 0 stands for all and comes last."""
    found = {known for figures in variants.values() for known, _ in figures}
    return sorted(found, key=lambda known: (known == 0, known))


def _variants(findings: Sequence[Finding], figure: str) -> Variants:
    """The findings by what else tells them apart, other than the amount known."""
    named = _named_apart(findings)
    variants: Variants = {named(one): [] for one in findings}
    for one in sorted(findings, key=lambda one: (known_items(one) == 0, known_items(one))):
        found, known = one.figure(figure), known_items(one)
        if found is not None and known is not None:
            variants[named(one)].append((known, found))
    return {name: found for name, found in variants.items() if found}


def _named_apart(findings: Sequence[Finding]) -> Callable[[Finding], str]:
    """Names of lines: what the attacker knows in words, or settings where words are not enough."""
    places = {(_in_words(one), known_items(one)) for one in findings}
    if all(one.label for one in findings) and len(places) == len(findings):
        return _in_words
    differing = [
        name
        for name in dict.fromkeys(key for one in findings for key in one.parameters)
        if name != "known" and len({fact_shown(one.parameters.get(name)) for one in findings}) > 1
    ]
    return lambda one: _settings(one, differing)


def _in_words(finding: Finding) -> str:
    """``knows 8 ratings of rare items`` without the amount, which stands along the axis."""
    amount = str(known_items(finding) or "all")
    return sentence_case(re.sub(rf"\b{amount}\b ?", "", finding.label, count=1)) or "All"


def _with_original(findings: Sequence[Finding], figure: str, variants: Variants) -> Variants:
    """The same tries on the unprotected original beside them, where there is one line only."""
    declared = evaluation_of(findings[0]).declared(figure)
    original = declared.original if declared else ""
    before = [one for one in findings if _drawable(one, original)]
    if len(variants) != 1 or not before:
        return variants
    (after,) = variants.values()
    unprotected = [one for found in _variants(before, original).values() for one in found]
    return {"This release": after, "The unprotected original": unprotected}


def _settings(finding: Finding, differing: Sequence[str]) -> str:
    settings = finding.parameters
    parts = []
    if isinstance(settings.get("values"), bool):
        parts.append("items and ratings known" if settings["values"] else "only items known")
    parts += [
        f"{label(name).lower()} {fact_shown(settings.get(name))}"
        for name in differing
        if name != "values" or not isinstance(settings.get("values"), bool)
    ]
    return sentence_case(", ".join(parts)) or "All"


def _knowledge_table(frame: Frame, variants: Variants, amounts: Sequence[int]) -> Table:
    rows = []
    for known in amounts:
        cells = [
            "; ".join(figure_shown(one) for at, one in found if at == known) or MISSING
            for found in variants.values()
        ]
        rows.append((str(known or "all"), *cells))
    return Table(frame.title, ("Known", *variants), tuple(rows))


def _side_by_side_chart(shares: Sequence[tuple[str, Figure]]) -> Chart:
    ticks = [(at / 4, f"{25 * at}%") for at in range(5)]
    x = Axis(0.0, 1.0, LEFT, WIDTH - 2 * RIGHT, ticks, "success")
    found = (point(row, figure, spec) for row, (spec, figure) in enumerate(shares))
    series = Series("Success", tuple(found))
    description = "The share of tries in which each attack succeeds."
    description = with_intervals(description, [series], "Lines are 95% intervals.")
    frame = Frame("success-side-by-side", "How often attacks succeed", description)
    rows = tuple((spec, figure_shown(figure)) for spec, figure in shares)
    table = Table(frame.title, ("Attack", "Success"), rows)
    specs = [spec for spec, _ in shares]
    return chart(frame, dot_plot(frame, series, x), [series], table, places=specs)
