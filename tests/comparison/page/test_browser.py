"""The page of a comparison in a real browser, with advice and without."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recloak.auditing.policy import Policy
from recloak.comparison.advising import decided
from recloak.comparison.page import render_comparison
from recloak.comparison.protocol import Protocol
from recloak.comparison.requirements import parse_requirement, utility_objective
from recloak.comparison.run import Comparison
from recloak.comparison.settings import Setting
from recloak.comparison.trials import Trial
from tests.comparison.samples import CONTROLLED, compared, trial
from tests.report.samples import HOSTILE
from tests.support.browsing import PHONE, TABLET, WIDE, WIDTHS, Visit, visiting
from tests.support.page_reader import read_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


A4 = {"viewport": {"width": 718, "height": 1000}}
NAME = "fragmentation:cut=centroids,fragments=16"
COMMAND = f"recloak advise 'our ratings.csv' --require 'success<=0.2' --out {'choice' * 30}"
RISKS_DRAWN = 1 + len(CONTROLLED)  # against success too
KINDS = pytest.mark.parametrize("advised", [False, True], ids=["compared", "advised"])


@cache
def _comparison() -> Comparison:
    """Every family of the default grid, with all risks, a refusal, and the default policy."""
    found_by = {
        f"scoreboard-rh:known={known},wrong={wrong}": known / 25 - wrong / 2
        for known in (5, 10, 20)
        for wrong in (0.0, 0.2)
    }
    usual = {"controlled": dict.fromkeys(CONTROLLED, 0.6), "newcomers": 0.1}
    risky = {"controlled": dict.fromkeys(CONTROLLED, 0.967), "newcomers": 0.12}
    trials = [
        trial("pseudonymize", success=1.0, found_by=found_by, **risky),
        *(
            trial(
                "fragmentation",
                success=0.9,
                found_by=found_by,
                **usual,
                cut=cut,
                fragments=fragments,
            )
            for cut in ("centroids", "shared")
            for fragments in (2, 16)
        ),
        trial("predictive", success=0.2, **{**usual, "newcomers": -0.05}, k=3),
        trial("predictive", success=0.1, **{**usual, "newcomers": -0.02}, k=5),
        Trial(Setting("disassociation", {"k": 2}), None, refused=HOSTILE),
    ]
    policy = Policy.default()
    return replace(compared(*(one.judged(policy) for one in trials)), policy=policy)


@cache
def _page(advised: bool) -> str:
    comparison = _comparison()
    requirement = parse_requirement("success<=0.3", Protocol.usual())
    advice = decided(comparison, utility_objective(), [requirement]) if advised else None
    return render_comparison(comparison, advice, COMMAND)


@pytest.fixture
def shown() -> str:
    return _page(False)


@KINDS
def test_it_renders_with_charts_and_tools_and_asks_for_nothing(
    advised: bool, browser: Browser, tmp_path: Path
) -> None:
    with visiting(browser, _page(advised), tmp_path, **WIDE) as visit:
        page = visit.page
        assert page.locator("figure > .stage > svg").count() == RISKS_DRAWN + 3
        assert page.locator("figure .tools").count() == RISKS_DRAWN + 3
        first = "#advice" if advised else "#short"
        assert page.locator("main > section").first.evaluate("one => '#' + one.id") == first
        visit.was_quiet()


def test_without_a_script_the_page_is_whole(browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, _page(False), tmp_path, java_script_enabled=False) as visit:
        page = read_page(visit.page.content())
        assert len(list(page.all("svg"))) == RISKS_DRAWN + 3
        assert not list(page.all("button"))
        notes = [one.text for one in page.all("title")]
        assert "predictive:k=3: −5.0% (−6.0% to −4.0%), 20.0% (19.0%–21.0%)" in notes


def test_a_setting_is_told_with_both_its_figures(visit: Visit) -> None:
    figure = visit.figure("Success, against tailoring utility for newcomers")
    figure.scroll_into_view_if_needed()
    figure.locator(".marker").nth(5).hover(force=True)
    expected = (
        "predictive:k=3: Tailoring utility for newcomers −5.0% (−6.0% to −4.0%), Success 20.0% "
        "(19.0% to 21.0%)"
    )
    assert figure.get_by_role("status").inner_text() == expected
    stated = visit.figure("Excess, against").locator(".stage")
    stated.press("ArrowRight")
    assert stated.get_by_role("status").inner_text().endswith("Excess 96.7% (95.7% to 97.7%)")


def test_keys_walk_through_the_settings_and_zoom(visit: Visit) -> None:
    stage = visit.figure("Success, against").locator(".stage")
    tip = stage.get_by_role("status")
    names = []
    for _ in range(7):
        stage.press("ArrowRight")
        names.append(tip.inner_text().split(": ")[0])
    assert names == [one.name for one in _comparison().audited]
    stage.press("+")
    ticks = stage.locator("g text.tick.middle").all_text_contents()
    assert ticks == ["−5%", "0%", "5%"]
    assert tip.inner_text().startswith(names[-1])


def test_what_is_partly_wrong_is_the_same_colour_with_other_dashes(visit: Visit) -> None:
    figure = visit.figure("Found by scoreboard-rh, by what is known: fragmentation:cut=shared")
    assert figure.locator(".legend li").all_inner_texts() == [
        "fragments=2",
        "fragments=16",
        "20% of it wrong",
    ]
    looks = figure.locator("polyline.line").evaluate_all(
        "all => all.map(one => getComputedStyle(one)).map(one => [one.stroke, one.strokeDasharray])"
    )
    (one, full), (same, dashed), (other, _), _ = looks
    assert one == same != other
    assert full == "none" != dashed
    figure.locator(".stage").press("ArrowRight")
    status = figure.get_by_role("status").inner_text()
    assert status == "fragments=2, ratings known 5: 20.0% (19.0% to 21.0%)"


def test_numbers_can_be_taken_away(visit: Visit) -> None:
    with visit.page.expect_download() as waiting:
        visit.page.get_by_role("button", name="Download as CSV").first.click()
    rows = list(csv.reader(io.StringIO(Path(waiting.value.path()).read_text())))
    use = "Tailoring utility for newcomers"
    assert rows[0][:3] == ["Setting", use, f"{use}, low"]
    assert [NAME, "0.1", "0.09", "0.11", "0.9", "0.89", "0.91"] in rows


def test_the_name_of_a_setting_may_break_and_is_copied_whole(visit: Visit) -> None:
    row = visit.page.locator("#settings tbody th").filter(has_text=NAME).first
    assert row.locator("wbr").count() == 2
    copied = row.evaluate(
        "one => { getSelection().selectAllChildren(one); return getSelection().toString(); }"
    )
    assert copied.strip() == NAME


@KINDS
def test_tables_fit_a_screen_and_paper(advised: bool, browser: Browser, tmp_path: Path) -> None:
    wider = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    with visiting(browser, _page(advised), tmp_path, **WIDE) as visit:
        assert visit.page.locator(".fits:visible").evaluate_all(wider) == 0
    with visiting(browser, _page(advised), tmp_path, **A4) as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
        assert visit.page.locator(".tools").first.is_hidden()
        assert 3 <= visit.printed_pages() <= 12


@KINDS
def test_on_a_phone_nothing_is_wider(advised: bool, browser: Browser, tmp_path: Path) -> None:
    with visiting(browser, _page(advised), tmp_path, **PHONE) as visit:
        visit.fits_its_width_with_tips()


@pytest.mark.parametrize("width", WIDTHS)
def test_no_number_is_cut_off(browser: Browser, tmp_path: Path, width: int) -> None:
    size = {"viewport": {"width": width, "height": 900}}
    with visiting(browser, _page(True), tmp_path, **size) as visit:
        assert visit.clipped() == []


def test_everything_can_be_reached_by_keyboard(visit: Visit) -> None:
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the settings"
    reached = visit.reached_by_tab()
    visible = page.locator("button, summary, .stage, .command").filter(visible=True).count()
    counted = ("BUTTON", "SUMMARY", "stage", "command")
    assert len([name for name in reached if name in counted]) == visible


@pytest.mark.parametrize(
    ("advised", "size", "scheme"),
    [(False, WIDE, "light"), (True, TABLET, "dark"), (False, PHONE, "dark")],
)
def test_axe_core_finds_no_barrier(
    advised: bool, size: dict[str, Any], scheme: str, browser: Browser, tmp_path: Path
) -> None:
    settings = {**size, "color_scheme": scheme, "bypass_csp": True}
    with visiting(browser, _page(advised), tmp_path, **settings) as visit:
        for kind in ("data", "setting"):
            visit.page.locator(f"details.{kind} summary").first.click()
        visit.page.locator(".stage").first.press("ArrowRight")
        assert visit.findings == []
