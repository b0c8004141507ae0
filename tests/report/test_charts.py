"""Charts: made where the data fit, true to them, and never from nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recloak.report
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.report.charts import charts_of, people_chart
from recloak.report.charts.svg import log_axis, upwards
from tests.report.samples import attacked, linkage, prediction, scored
from tests.support.page_reader import Element, read_page


def _classes(svg: str, word: str) -> list[Element]:
    page = read_page(svg)
    kinds = ("circle", "polygon", "polyline", "rect", "line", "text")
    return [
        one for kind in kinds for one in page.all(kind) if word in one.attributes["class"].split()
    ]


def test_a_full_audit_has_every_chart(full: Audit) -> None:
    assert [chart.title for chart in charts_of(full)] == [
        "How often people are found: record-linkage",
        "The worst-off tenth: record-linkage",
        "RMSE before and after",
        "MAE before and after",
        "Ratings per person, before and after",
        "Ratings per item, before and after",
    ]


def test_an_empty_audit_has_none(minimal: Audit) -> None:
    assert charts_of(minimal) == []


def test_success_by_knowledge_has_a_line_and_a_band_for_each_variant(full: Audit) -> None:
    chart = charts_of(full)[0]
    assert chart.legend == ("Knows ratings", "Knows items")
    assert len(_classes(chart.svg, "line")) == len(_classes(chart.svg, "band")) == 2
    assert [row[0] for row in chart.table.rows] == ["1", "2", "4", "8", "all"]
    assert chart.table.rows[2] == ("4", "93.0% (91.0%–95.0%)", "61.0% (59.0%–63.0%)")


def test_more_success_is_drawn_higher() -> None:
    (chart, *_) = charts_of(attacked(linkage(1, 0.1), linkage(2, 0.4), linkage(0, 0.9)))
    heights = [float(one.attributes["cy"]) for one in _classes(chart.svg, "marker")]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 3


def test_settings_that_differ_name_their_lines() -> None:
    attacks = [
        replace(linkage(known, 0.5), parameters={"known": known, "wrong": wrong})
        for known in (2, 4)
        for wrong in (0, 1)
    ]
    assert charts_of(attacked(*attacks))[0].legend == ("Wrong 0", "Wrong 1")


def test_lines_are_named_by_what_the_attacker_knows_and_not_by_parameters() -> None:
    def tried(known: int, which: str, **settings: object) -> Finding:
        label = f"knows {known or 'all'} ratings{which}"
        parameters = {"known": known, **settings}
        return replace(linkage(known, 0.5), parameters=parameters, label=label)

    rare = [tried(known, " of rare items", model="rare") for known in (2, 4)]
    tenth = [tried(4, "", worst_tenth=False), tried(20, "", worst_tenth=True), tried(0, "")]
    chart = charts_of(attacked(*rare, *tenth))[0]
    assert chart.legend == ("Knows ratings of rare items", "Knows ratings")
    assert len(_classes(chart.svg, "line")) == 2


def test_the_unprotected_original_stands_beside_the_release_and_each_attack_by_itself() -> None:
    tried = [linkage(2, 0.5), linkage(4, 0.6), scored(5, 30.0, 140.0), scored(20, 60.5, 144.5)]
    charts = {chart.title: chart for chart in charts_of(attacked(*tried))}
    found = charts["How often people are found: scoreboard-rh"]
    assert found.legend == ("This release", "The unprotected original")
    assert len(found.table.rows[1]) == 3
    alone = charts["How often people are found: record-linkage"]
    assert alone.legend == ("Knows ratings",)
    assert not any("gain" in chart.identity for chart in charts.values()), "gain has no control"
    assert "The worst-off tenth: scoreboard-rh" not in charts
    items = scored(20, 10.0, 100.0)
    items = replace(items, parameters={**items.parameters, "matching": "items"})
    several = charts_of(attacked(*tried[2:], items))
    assert several[0].legend == ("Matching strongest", "Matching items")


def test_a_risk_beside_its_control_is_drawn_even_if_it_is_less_than_nothing() -> None:
    def tried(known: int, excess: float) -> Finding:
        figure = Figure("excess", excess, excess - 0.03, excess + 0.03)
        return Finding("attack", "inference", {"known": known}, "", f"{known}", (figure,), 10, 0)

    (chart,) = charts_of(attacked(tried(8, -0.02), tried(20, 0.3)))
    assert chart.title == "Excess: inference"
    assert chart.table.rows == (
        ("8", "−2.0% (−5.0% to 1.0%)"),
        ("20", "30.0% (27.0%–33.0%)"),
    )
    heights = [float(one.attributes["cy"]) for one in _classes(chart.svg, "marker")]
    assert heights[0] > heights[1], "the lower value stands lower"


def test_attacks_without_amounts_of_knowledge_stand_side_by_side() -> None:
    other = replace(linkage(4, 0.25), name="structure", parameters={}, label="neighbours")
    charts = charts_of(attacked(linkage(2, 0.3), linkage(4, 0.5), other))
    single = charts[-1]
    assert single.title == "How often attacks succeed"
    assert single.table.rows == (("structure (neighbours)", "25.0% (23.0%–27.0%)"),)


def test_what_is_unknown_or_was_tried_on_nobody_is_not_drawn() -> None:
    unknown = replace(linkage(2, 0.5), figures=(Figure("success", float("nan")),))
    assert charts_of(attacked(unknown, linkage(4, 0.5, sample=0))) == []
    nobody = prediction("item-mean", 1.0, 1.0, sample=0)
    assert charts_of(Audit("t", {}, {}, measures=(nobody,))) == []


def test_bars_stand_on_zero_and_keep_their_ratio() -> None:
    measured = (prediction("item-mean", 0.5, 1.0), prediction("factorization", 0.5, 1.0))
    chart = charts_of(Audit("t", {}, {}, measures=measured))[0]
    before, _, after, _ = _classes(chart.svg, "bar")
    ratio = float(after.attributes["height"]) / float(before.attributes["height"])
    assert ratio == pytest.approx(2.0, abs=0.01)


def test_two_numbers_or_nothing_but_zeros_are_no_chart() -> None:
    alone = Audit("t", {}, {}, measures=(prediction("item-mean", 0.5, 1.0),))
    assert charts_of(alone) == []
    zeros = (prediction("item-mean", 0.0, 0.0), prediction("factorization", 0.0, 0.0))
    assert charts_of(Audit("t", {}, {}, measures=zeros)) == []


def test_tails_of_different_length_share_a_table() -> None:
    tails = {"user_counts": {"original": [[1, 9], [2, 4]], "release": [[1, 8]]}}
    (chart,) = charts_of(Audit("t", {}, {}, tails=tails))
    assert chart.table.rows == (("1", "9", "8"), ("2", "4", "—"))


@pytest.mark.parametrize("tails", [{"user_counts": {}}, {"item_support": {"original": [[1, 3]]}}])
def test_a_tail_of_one_point_is_no_chart(tails: dict[str, object]) -> None:
    assert charts_of(Audit("t", {}, {}, tails=tails)) == []


@pytest.mark.parametrize(("share", "found"), [(0.0, 0), (0.93, 93), (0.996, 100), (1.0, 100)])
def test_a_hundred_people(share: float, found: int) -> None:
    svg = people_chart(Figure("success", share))
    assert len(_classes(svg, "found")) == found
    assert len(list(read_page(svg).all("circle"))) == 100


@given(st.floats(1e-6, 1e12))
def test_axes_hold_what_is_drawn_with_few_ticks(high: float) -> None:
    axis = upwards(high, "y")
    assert axis.high >= high * (1 - 1e-6)
    assert 2 <= len(axis.ticks) <= 8
    assert axis.ticks[-1][0] == pytest.approx(axis.high)


@given(st.integers(1, 10**9))
def test_logarithmic_axes_begin_at_one(highest: int) -> None:
    axis = log_axis(highest, "rank", vertical=False)
    assert 2 <= len(axis.ticks) <= 10
    assert axis.place(1) == axis.start
    assert axis.place(max(highest, 2)) == pytest.approx(axis.end)


def _colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block))


def _contrast(one: str, other: str) -> float:
    def brightness(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    result, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (result + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_can_be_told_from_their_ground(theme: str) -> None:
    style = (Path(recloak.report.__file__).parent / "style.css").read_text(encoding="utf-8")
    result, dark = style.split("prefers-color-scheme: dark")[:2]
    colours = _colours(result if theme == "light" else dark.split("@media")[0])
    for background in ("ground", "card"):
        for text in ("ink", "muted", "link", "pass", "fail", "unknown"):
            assert _contrast(colours[text], colours[background]) >= 4.5, (text, background)
        for series in range(1, 7):
            assert _contrast(colours[f"series-{series}"], colours[background]) >= 3, series
    for state in ("pass", "fail", "unknown"):
        assert _contrast(colours[state], colours[f"{state}-ground"]) >= 4.5
