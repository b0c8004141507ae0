"""The page in a real browser: quiet, offline, and of use by pointer, by keys, and by ear."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pytest

from recloak.auditing.run import audit
from recloak.core.issue_names import joined
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Audit
from recloak.methods import method
from recloak.report import render_html
from recloak.report.charts import charts_of
from recloak.report.charts.plots import Frame, Point, Series, bar_plot, line_plot
from recloak.report.charts.svg import across, between, upwards
from recloak.testing import random_ratings
from tests.report.samples import HOSTILE, attacked, full_audit, linkage, minimal_audit
from tests.support.browsing import PHONE, TABLET, UNFOLD, WIDE, WIDTHS, Visit, visiting
from tests.support.page_reader import read_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


OVERLAID = """() => [...document.querySelectorAll('.plot')].flatMap((plot) => {
  const texts = [...plot.querySelectorAll('.tick, .axis-name')].filter((one) => one.textContent);
  const boxes = texts.map((one) => one.getBoundingClientRect());
  return texts.filter((one, at) => boxes.some((box, other) => other > at
    && box.left < boxes[at].right && boxes[at].left < box.right
    && box.top + 2 < boxes[at].bottom && boxes[at].top + 2 < box.bottom))
    .map((one) => one.textContent);
})"""
BEYOND = """() => [...document.querySelectorAll('.plot text')].filter((one) => {
  const [box, all] = [one, one.ownerSVGElement].map((each) => each.getBoundingClientRect());
  return box.left < all.left - 1 || box.right > all.right + 1
    || box.top < all.top - 1 || box.bottom > all.bottom + 1;
}).map((one) => one.textContent)"""
SHARES: dict[str, Any] = {"percent": True, "vertical": True}
STYLE = (files("recloak.report") / "style.css").read_text()


@pytest.fixture(scope="module")
def audited() -> Audit:
    """A real audit: every attack and measure that applies to groups, by the default policy."""
    original = random_ratings(150, 60, 0.3)
    recipe = method("predictive", k=5)
    made = recipe.apply(original)
    found = audit(original, made.release, secret=made.secret, method=recipe)
    return replace(found, data="ratings.csv")


@pytest.fixture(scope="module")
def shown() -> str:
    return render_html(full_audit())


def test_the_watch_sees_requests_and_complaints(browser: Browser, tmp_path: Path) -> None:
    page = '<!doctype html><img src="http://example.invalid/x.png"><script>console.error("oh")</script>'
    with visiting(browser, page, tmp_path) as visit:
        assert visit.requests == ["http://example.invalid/x.png"]
        assert "oh" in visit.console


def test_the_report_renders_with_its_charts_and_tools(visit: Visit) -> None:
    charts = charts_of(full_audit())
    page = visit.page
    assert page.locator("figure > .stage > svg").count() == len(charts)
    assert page.locator("figure .tools").count() == len(charts)
    assert "would be found." in page.locator(".finding-first").inner_text()
    page.evaluate(UNFOLD)
    drawn = page.locator(".stage > svg").evaluate_all("all => all.map(one => one.clientWidth)")
    assert all(width > 200 for width in drawn)


def test_hostile_labels_run_nothing(browser: Browser, tmp_path: Path, hostile: Audit) -> None:
    with visiting(browser, render_html(hostile), tmp_path) as visit:
        visit.was_quiet()
        visit.page.evaluate(UNFOLD)
        dots = visit.figure("How often attacks succeed")
        dots.locator(".stage").press("ArrowRight")
        assert HOSTILE[:20] in dots.get_by_role("status").inner_text()
        assert visit.page.locator("img").count() == 0
        assert visit.console == []


def test_without_a_script_the_page_is_whole(browser: Browser, tmp_path: Path, full: Audit) -> None:
    with visiting(browser, render_html(full), tmp_path, java_script_enabled=False) as visit:
        page = read_page(visit.page.content())
        assert len(list(page.all("svg"))) == len(charts_of(full)) + 1
        assert not list(page.all("button"))
        assert [one for one in page.all("title") if "93.0% (91.0%–95.0%)" in one.text]


def test_a_point_is_told_under_the_pointer(visit: Visit) -> None:
    figure = visit.figure("How often people are found")
    figure.scroll_into_view_if_needed()
    figure.locator("circle.marker").nth(2).hover(force=True)
    tip = figure.get_by_role("status")
    assert tip.inner_text() == "Knows ratings, known 4: 93.0% (91.0% to 95.0%)"
    visit.page.mouse.move(2, 2)
    assert tip.is_hidden()


def test_lines_without_marks_can_be_read_too(visit: Visit) -> None:
    stage = visit.figure("Ratings per person").locator(".stage")
    stage.press("End")
    assert stage.get_by_role("status").inner_text().startswith("Release, rank 943: ")


def test_keys_step_zoom_and_leave(visit: Visit) -> None:
    stage = visit.figure("How often people are found").locator(".stage")
    tip, svg = stage.get_by_role("status"), stage.locator("svg").first
    inner = stage.locator("svg svg")
    whole = inner.get_attribute("viewBox")
    stage.press("ArrowRight")
    assert ", known 1: 21.0%" in tip.inner_text()
    stage.press("ArrowRight")
    assert ", known 2: 58.0%" in tip.inner_text()
    ticks = stage.locator("text.tick:visible").all_inner_texts()
    stage.press("+")
    assert "zoomed" in (svg.get_attribute("class") or "")
    assert stage.locator("text.tick:visible").all_inner_texts() != ticks
    stage.press("End")
    assert ", known all: 97.0%" in tip.inner_text()
    stage.press("0")
    assert inner.get_attribute("viewBox") == whole
    assert stage.locator("text.tick:visible").all_inner_texts() == ticks
    stage.press("Escape")
    assert tip.is_hidden()


def test_zooming_tells_true_places(visit: Visit) -> None:
    """The tick that is nearest to a mark has the mark's value, on plain and logarithmic axes."""
    figure = visit.figure("How often people are found")
    figure.get_by_role("button", name="Zoom in").click()
    ticks = figure.locator("g text.tick.end").evaluate_all(
        "all => all.map(one => [one.textContent, Number(one.getAttribute('y')) - 4])"
    )
    places = [(float(text.rstrip("%")) / 100, y) for text, y in ticks]
    (low, below), (high, above) = places[0], places[-1]
    assert high > low
    mark = figure.locator("circle.marker").nth(1)
    middle = mark.evaluate(
        """one => { const box = one.getBoundingClientRect();
        const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
        const svg = one.ownerSVGElement.ownerSVGElement;
        return at.matrixTransform(svg.getScreenCTM().inverse()).y; }"""
    )
    value = low + (high - low) * (middle - below) / (above - below)
    assert value == pytest.approx(0.58, abs=0.01)


@pytest.mark.parametrize("kind", ["SVG", "PNG", "CSV"])
def test_charts_can_be_taken_away(visit: Visit, kind: str) -> None:
    figure = visit.figure("How often people are found")
    with visit.page.expect_download() as waiting:
        figure.get_by_role("button", name=f"Download as {kind}").click()
    assert waiting.value.suggested_filename == f"chart-success-record-linkage.{kind.lower()}"
    content = Path(waiting.value.path()).read_bytes()
    CHECKS[kind](content)


def _is_svg(content: bytes) -> None:
    picture = ElementTree.fromstring(content)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "How often people are found: record-linkage" in texts
    assert "Knows items" in texts
    assert b"var(" not in content
    assert b"http" not in content.replace(b"http://www.w3.org/2000/svg", b"")


def _is_png(content: bytes) -> None:
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20]) == 960


def _is_csv(content: bytes) -> None:
    rows = list(csv.reader(io.StringIO(content.decode())))
    assert rows[0] == ["Series", "Known", "Value", "Low", "High"]
    assert rows[3] == ["Knows ratings", "4", "0.93", "0.91", "0.95"]
    assert len(rows) == 11


CHECKS = {"SVG": _is_svg, "PNG": _is_png, "CSV": _is_csv}


def test_no_cell_of_a_file_is_a_formula(browser: Browser, tmp_path: Path) -> None:
    formulas = (linkage(known, 0.5, values=False) for known in (2, 4))
    text = render_html(attacked(*formulas)).replace("Knows items", "=1+1")
    with visiting(browser, text, tmp_path) as visit:
        with visit.page.expect_download() as waiting:
            visit.page.get_by_role("button", name="Download as CSV").first.click()
        rows = list(csv.reader(Path(waiting.value.path()).read_text().splitlines()))
        assert rows[1][0] == "'=1+1"


def test_everything_can_be_reached_and_used_by_keyboard(visit: Visit) -> None:
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    page.keyboard.press("Enter")
    page.wait_for_url("**#verdict")
    reached = visit.reached_by_tab()
    visible = page.locator("button, summary, .stage").filter(visible=True).count()
    assert len([name for name in reached if name in ("BUTTON", "SUMMARY", "stage")]) == visible
    summary = page.locator("details.data summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.data").first.evaluate("one => one.open")


def few_findings() -> Audit:
    """With one of everything: what is only more of the same takes axe-core long."""
    full = full_audit()
    return replace(full, attacks=full.attacks[:2], measures=full.measures[:1], tails={})


@pytest.mark.parametrize(
    ("make", "size", "scheme"),
    [(few_findings, WIDE, "light"), (few_findings, PHONE, "dark"), (minimal_audit, TABLET, "dark")],
)
def test_axe_core_finds_no_barrier(
    make: Callable[[], Audit], size: dict[str, Any], scheme: str, browser: Browser, tmp_path: Path
) -> None:
    settings = {**size, "color_scheme": scheme, "bypass_csp": True}
    with visiting(browser, render_html(make()), tmp_path, **settings) as visit:
        for kind in ("data", "finding"):  # one of each; the others are like it
            if visit.page.locator(f"details.{kind}").count():
                visit.page.locator(f"details.{kind} summary").first.click()
        if visit.page.locator(".stage").count():
            visit.page.locator(".stage").first.press("ArrowRight")
        assert visit.findings == []


def test_axe_core_would_find_one(browser: Browser, tmp_path: Path) -> None:
    pale = render_html(minimal_audit()).replace("--muted: #565b64", "--muted: #cccccc")
    with visiting(browser, pale, tmp_path, bypass_csp=True) as visit:
        assert any(found.startswith("color-contrast") for found in visit.findings)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_number_is_cut_off(browser: Browser, tmp_path: Path, audited: Audit, width: int) -> None:
    size = {"viewport": {"width": width, "height": 900}}
    with visiting(browser, render_html(audited), tmp_path, **size) as visit:
        assert visit.clipped() == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_of_a_chart_lies_on_another(
    browser: Browser, tmp_path: Path, audited: Audit, width: int
) -> None:
    size = {"viewport": {"width": width, "height": 900}}
    with visiting(browser, render_html(audited), tmp_path, **size) as visit:
        visit.page.evaluate(UNFOLD)
        assert visit.page.evaluate(OVERLAID) == []


def test_names_below_bars_are_whole_and_on_lines_of_their_own(
    browser: Browser, tmp_path: Path
) -> None:
    names = ("item-mean", "factorization", "factorization blended with averages")
    points = tuple(Point(at, 1.0) for at in range(len(names)))
    drawn = bar_plot(Frame("a", "b", "c"), names, [Series("s", points)], upwards(1.5, "RMSE"))
    page = f"<!doctype html><main><style>{STYLE}</style>{drawn}"
    with visiting(browser, page, tmp_path, **PHONE) as visit:
        assert visit.page.evaluate(OVERLAID) == []
        shown = " ".join(visit.page.locator(".tick").all_text_contents())
        assert "factorization blended with averages" in shown


def test_names_that_do_not_fit_are_turned_and_whole(browser: Browser, tmp_path: Path) -> None:
    names = ("original", "padded-anonymised", *(f"pure, floor and grid, k = {k}" for k in range(8)))
    points = tuple(Point(at, 1.0) for at in range(len(names)))
    drawn = bar_plot(Frame("a", "b", "c"), names, [Series("s", points)], upwards(1.5, "RMSE"))
    page = f"<!doctype html><main><style>{STYLE}</style>{drawn}"
    with visiting(browser, page, tmp_path, **PHONE) as visit:
        shown = visit.page.locator(".tick").all_text_contents()
        assert set(names) <= set(shown)
        assert visit.page.evaluate(BEYOND) == []


def test_the_number_above_the_highest_bar_is_whole(browser: Browser, tmp_path: Path) -> None:
    bars = [Series("s", (Point(0, 40.0), Point(1, 12.0)))]
    drawn = bar_plot(Frame("a", "b", "c"), ("one", "two"), bars, upwards(40.0, "accuracy, %"))
    page = f"<!doctype html><main><style>{STYLE}</style>{drawn}"
    with visiting(browser, page, tmp_path, **PHONE) as visit:
        assert "40" in visit.page.locator(".value").all_text_contents()
        assert visit.page.evaluate(BEYOND) == []


def test_ticks_with_a_sign_stay_clear_of_the_name_of_their_axis(
    browser: Browser, tmp_path: Path
) -> None:
    x, y = across(0, 1, [(0, "8"), (1, "20")], "known"), between(-0.005, 0.001, "Excess", **SHARES)
    lines = [Series("s", (Point(0, -0.004), Point(1, 0.001)))]
    page = (
        f"<!doctype html><main><style>{STYLE}</style>{line_plot(Frame('a', 'b', 'c'), lines, x, y)}"
    )
    with visiting(browser, page, tmp_path, **PHONE) as visit:
        assert "−0.2%" in visit.page.locator(".tick").all_text_contents()
        assert visit.page.evaluate(OVERLAID) == []


def test_the_search_for_clipped_text_finds_some(browser: Browser, tmp_path: Path) -> None:
    box = "<div style='width:3em;overflow:hidden'><p style='width:9em'>12345678901234"
    page = f"<!doctype html><main>{box}"
    with visiting(browser, page, tmp_path) as visit:
        assert visit.clipped()


def test_printed_it_has_five_pages_at_most_and_an_appendix(
    browser: Browser, tmp_path: Path, audited: Audit
) -> None:
    with visiting(browser, render_html(audited), tmp_path) as visit:
        whole = visit.printed_pages()
        visit.page.evaluate("document.getElementById('appendix').remove()")
        assert visit.printed_pages() <= 5
        assert whole > visit.printed_pages()
        visit.page.evaluate("document.querySelector('footer').remove()")
        visit.page.evaluate("document.getElementById('analysis').remove()")
        assert visit.printed_pages() == 1, "the officer's page"


def test_the_officers_page_of_a_survey_has_room_for_long_names_of_issues(
    browser: Browser, tmp_path: Path
) -> None:
    """Its policy has long reasons, and its claim lists all issues."""
    names = [f"question_{at}_about_what_people_think" for at in range(12)]
    people = np.repeat(np.arange(120), len(names))
    answers = np.random.default_rng(1).integers(1, 4, len(people))
    original = Ratings.from_columns(people, names * 120, answers, scale="1..3")
    recipe = method("proximity", k=3, sensitive=names[0], non_sensitive=joined(names[1:]), l=0.1)
    made = recipe.apply(original)
    found = audit(original, made.release, secret=made.secret, method=recipe)
    assert len(found.policy_results) == 7
    with visiting(browser, render_html(replace(found, data="Survey")), tmp_path) as visit:
        assert "with 11 non-sensitive issues" in visit.page.inner_text("#verdict")
        for part in ("#appendix", "footer", "#analysis"):
            visit.page.evaluate(f"document.querySelector('{part}').remove()")
        assert visit.printed_pages() == 1


def test_nothing_is_wider_than_a_phone(browser: Browser, tmp_path: Path, hostile: Audit) -> None:
    with visiting(browser, render_html(hostile), tmp_path, **PHONE) as visit:
        visit.fits_its_width_with_tips()


def test_print_shows_the_whole_in_light_colours(visit: Visit) -> None:
    page = visit.page
    figure = visit.figure("How often people are found")
    figure.get_by_role("button", name="Zoom in").click()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert figure.locator("svg.zoomed").count() == 0
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".tools").first.is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    inside = page.locator("text=A probe of 10 % was set aside first.").first
    assert inside.is_visible()  # it is folded on screen
    assert 3 <= visit.printed_pages() <= 20
