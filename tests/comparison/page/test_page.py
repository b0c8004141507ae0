"""The page of a comparison: whole, self-contained, harmless, with the advice on top."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

import pytest

from recloak.comparison.advising import decided
from recloak.comparison.page import render_comparison
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import parse_requirement, utility_objective
from recloak.comparison.settings import Setting
from recloak.comparison.trials import Trial
from recloak.report.charts.svg import between
from tests.comparison.samples import LINKED, compared, trial
from tests.report.samples import HOSTILE
from tests.support.page_reader import Element, read_page

CELLS = [
    trial("pseudonymize", success=0.9, newcomers=0.12, controlled={"excess": 0.6}),
    trial("predictive", success=0.2, newcomers=0.05, controlled={"excess": 0.1}, k=3),
    trial("predictive", success=0.1, newcomers=-0.02, controlled={"excess": 0.0}, k=5),
    Trial(Setting("disassociation", {"k": 2}), None, refused=HOSTILE),
]
CELLS = [one.judged(LINKED) for one in CELLS]
REQUIREMENT = parse_requirement("success<=0.3", Protocol.usual())


@pytest.fixture(scope="module")
def page() -> Element:
    advice = decided(compared(*CELLS), utility_objective(), [REQUIREMENT])
    return read_page(render_comparison(compared(*CELLS), advice, "recloak publish x --k 3"))


def _everything(element: Element) -> list[Element]:
    return [one for child in element.children for one in (child, *_everything(child))]


def test_headings_tables_and_pictures_can_be_read_by_ear(page: Element) -> None:
    levels = [int(one.tag[1]) for one in _everything(page) if re.fullmatch("h[1-6]", one.tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for table in page.all("table"):
        assert len(list(table.all("caption"))) == 1
        widths = {sum(one.tag in ("th", "td") for one in row.children) for row in table.all("tr")}
        assert len(widths) == 1
    identities = [one.attributes["id"] for one in _everything(page) if "id" in one.attributes]
    assert len(identities) == len(set(identities))
    for svg in page.all("svg"):
        assert set(svg.attributes["aria-labelledby"].split()) <= set(identities)


def test_nothing_is_fetched(page: Element) -> None:
    named = [
        value
        for one in _everything(page)
        for name, value in one.attributes.items()
        if name in ("src", "href", "srcset", "data")
    ]
    assert all(value.startswith("#") for value in named)
    (script,) = page.all("script")
    assert script.attributes == {}
    (policy,) = (one for one in page.all("meta") if "http-equiv" in one.attributes)
    digest = base64.b64encode(hashlib.sha256("".join(script.texts).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy.attributes["content"]
    assert policy.attributes["content"].startswith("default-src 'none'")


def test_the_advice_its_command_and_the_refusals_are_told(page: Element) -> None:
    reason = "predictive:k=3 has the highest fold_in_mu (tailoring utility for newcomers), 5.0%"
    assert reason in page.text
    assert "recloak publish x --k 3" in page.text
    assert "disassociation:k=2" in page.text
    assert HOSTILE.split("<")[0] in page.text


def test_every_setting_is_in_the_trade_off(page: Element) -> None:
    figures = {one.attributes["id"]: one for one in page.all("figure")}
    chart = figures["chart-trade-off-success"]
    notes = [mark.text for mark in chart.all("title")]
    assert sum("predictive:k=" in note for note in notes) == 2
    assert any(note.startswith("pseudonymize: 12.0% (11.0%–13.0%)") for note in notes)
    (table,) = chart.all("table")
    assert len(list(table.all("tr"))) == 1 + 3


def test_a_column_that_no_setting_has_is_not_shown(page: Element) -> None:
    (table,) = (one for one in page.all("table") if "Every setting" in one.text)
    first, *_ = table.all("tr")
    headings = [one.text for one in first.all("th")]
    assert headings == ["Setting", "success", "excess", "μ, newcomers", "nDCG, newcomers"]


def test_a_page_without_advice_is_whole_too() -> None:
    plain = read_page(render_comparison(compared(*CELLS)))
    assert "Advice" not in plain.text
    assert len(list(plain.all("figure"))) >= 2


@pytest.mark.parametrize("ends", [(-0.03, 0.12), (0.0, 1.0), (2.0, 2.0), (-5.0, -1.0), (0, 1e-4)])
def test_an_axis_holds_both_ends_and_names_places_apart(ends: tuple[float, float]) -> None:
    axis = between(*ends, "x", percent=True, vertical=False)
    assert axis.low <= ends[0] + 1e-9
    assert axis.high >= ends[1] - 1e-9
    assert len({text for _, text in axis.ticks}) == len(axis.ticks) >= 2
