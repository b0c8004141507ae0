"""The studio in a real browser: the whole way, by keys alone, on a phone, and never elsewhere."""

from __future__ import annotations

import io
import os
import re
import signal
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

import pytest

from recloak.cli import main
from tests.studio._kept import FIELDS, SECRET, filled_in_otherwise, held
from tests.studio._keys import Keys
from tests.studio._pages import pages_of, unvisited, worked
from tests.studio.conftest import Served, ended
from tests.studio.test_data import HOSTILE
from tests.studio.test_jobs import LONG, reporting
from tests.support.browsing import TABLET, WIDE, Visit, watched, watching

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PHONE = {"viewport": {"width": 390, "height": 800}}
SCROLLED = ".cells, .scroll"  # a preview of data, and tables that the keyboard scrolls
__all__ = ["worked"]


def test_from_a_file_to_a_verified_release(inside: Visit, served: Served) -> None:
    page = inside.page
    assert "token" not in page.url
    page.get_by_label("like").select_option("ml-100k")
    page.get_by_label("people").fill("60")
    page.get_by_label("ratings").fill("2000")
    page.get_by_role("button", name="Make up").click()
    ended(inside)
    page.get_by_role("link", name="Go on with").click()
    assert page.locator("#format").inner_text() == "csv"
    page.get_by_role("button", name="Look at the data").click()
    ended(inside)
    figure = inside.figure("How unique people are")
    figure.locator(".stage").press("ArrowRight")
    assert "known 1" in figure.get_by_role("status").inner_text()
    page.get_by_role("link", name="Publish", exact=True).last.click()
    page.get_by_label("Method", exact=True).select_option("pseudonymize")
    page.get_by_text("Parameters of pseudonymize").wait_for()
    page.get_by_label("Name of the release").fill("first")
    page.locator("#command").get_by_text("--out releases/first").wait_for()
    page.wait_for_load_state("networkidle")
    page.reload()  # what was filled in is not lost
    assert page.get_by_label("Method", exact=True).input_value() == "pseudonymize"
    assert page.get_by_label("Name of the release").input_value() == "first"
    page.get_by_role("button", name="Publish").click()
    ended(inside)
    assert "Does not pass" in page.locator(".outcome").inner_text()
    page.get_by_role("link", name="See the release").click()
    report = page.frame_locator("iframe.report")
    assert "Audit of" in report.get_by_role("heading", level=1).inner_text()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the release").click()
    content = Path(waiting.value.path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert "first/manifest.json" in archive.namelist()
    page.get_by_role("button", name="Verify it from the disk").click()
    ended(inside)
    assert "Broken" not in page.locator("#job").inner_text()
    assert main(["verify", str(served.workspace.folder / "releases" / "first"), "--quiet"]) == 0
    page.get_by_role("link", name="History").click()
    told = page.locator("tbody").inner_text()
    assert "publish: ended first (done)" in told
    assert "recloak publish files/" in told


def test_a_broken_file_and_its_mending(inside: Visit, served: Served, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("who,what,stars\n" + "".join(f"{n},{n % 3},4\n" for n in range(20)))
    page = inside.page
    page.get_by_label("Path on this machine").fill(str(path))
    page.get_by_role("button", name="Open").click()
    assert "--columns" in page.get_by_role("alert").inner_text()
    for role, column in (("user", "who"), ("item", "what"), ("rating", "stars")):
        page.get_by_label(role, exact=True).select_option(column)
    page.get_by_role("button", name="Read it this way").click()
    assert page.get_by_role("alert").count() == 0
    page.reload()  # nothing that was said is lost
    assert page.get_by_label("user", exact=True).input_value() == "who"


def test_a_small_file_is_dropped_in(inside: Visit, tmp_path: Path) -> None:
    path = tmp_path / "dropped.csv"
    path.write_text("user,item,rating\n1,2,3\n2,2,4\n")
    inside.page.get_by_label("Choose a file").set_input_files(str(path))
    inside.page.wait_for_url("**/files/dropped")
    assert inside.page.locator("#format").inner_text() == "csv"


def test_a_file_is_dragged_in(inside: Visit, tmp_path: Path) -> None:
    """The gesture of a person: over the place, where it is marked, and let go."""
    path = tmp_path / "dragged.csv"
    path.write_text("user,item,rating\n1,2,3\n2,2,4\n")
    page = inside.page
    zone = page.locator(".drop")
    box = zone.bounding_box()
    assert box is not None
    hand = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    place = {"x": box["x"] + 30, "y": box["y"] + 20, "data": data}
    for kind in ("dragEnter", "dragOver"):
        hand.send("Input.dispatchDragEvent", {"type": kind, **place})
    page.locator(".drop.over").wait_for()
    hand.send("Input.dispatchDragEvent", {"type": "drop", **place})
    page.wait_for_url("**/files/dragged")
    assert page.locator("#format").inner_text() == "csv"


def test_hostile_texts_run_nothing(inside: Visit, served: Served, tmp_path: Path) -> None:
    rows = [f'"{text.replace(chr(34), chr(34) * 2)}",i{at},3\n' for at, text in enumerate(HOSTILE)]
    path = tmp_path / "x<img src=x onerror=alert(1)>.csv"
    path.write_text("user,item,rating\n" + "".join(rows))
    page = inside.page
    page.on("dialog", lambda _: pytest.fail("a text was run"))
    page.get_by_label("Path on this machine").fill(str(path))
    page.get_by_role("button", name="Open").click()
    assert HOSTILE[0] in page.locator("table.cells").inner_text()
    assert page.locator("main img, main script").count() == 0
    served.workspace.history.append("opened", subject=HOSTILE[0], by=HOSTILE[2])
    page.goto(f"{served.base}/history")
    assert HOSTILE[0] in page.locator("tbody").inner_text()


def test_work_is_stopped_in_one_tab_and_seen_in_another(inside: Visit, served: Served) -> None:
    job = served.jobs.start(LONG, "simulate", "long")
    reporting(job)
    page = inside.page
    page.goto(f"{served.base}{job.link}")
    page.locator("progress").first.wait_for()
    other, third = (watched(page.context.new_page()) for _ in range(2))
    for one in (other, third):
        one.page.goto(f"{served.base}{job.link}")
    third.page.close()  # the work goes on without the tab
    assert job.is_running
    other.page.get_by_role("button", name="Stop").click()
    ended(other, "stopped on request")
    ended(inside, "stopped on request")  # by itself
    assert not list((served.workspace.folder / "files").glob("long*"))


def test_a_killed_worker_is_told_of_without_a_reload(inside: Visit, served: Served) -> None:
    job = served.jobs.start(LONG, "simulate", "long")
    reporting(job)
    inside.page.goto(f"{served.base}{job.link}")
    os.killpg(int((job.folder / "process").read_text()), signal.SIGKILL)
    ended(inside, "ended without a message")
    assert "Nothing half-made is left behind" in inside.page.get_by_role("alert").inner_text()


def test_a_comparison_is_stopped_goes_on_and_decides_by_keys(inside: Visit, served: Served) -> None:
    page, keys = inside.page, Keys(inside.page)
    served.small("compared", people=60)
    page.goto(f"{served.base}/files/compared/compare")
    wanted = ("pseudonymize", "gaussian-noise")
    for box in page.get_by_role("checkbox").all():
        name = box.evaluate("one => one.closest('label').textContent.trim()")
        if box.is_checked() != (name in wanted):
            keys.press(box, "Space")
    values = page.locator("fieldset.method").filter(has_text="gaussian-noise")
    keys.press(values.locator("summary"))
    keys.type(values.get_by_label("sigma"), "0.5, 1")
    keys.type(page.get_by_label("at once"), "1")
    keys.press(page.get_by_role("button", name="Start"))
    trials = served.workspace.folder / "comparisons/compared/trials"
    while not list(trials.glob("*.json")):
        page.wait_for_timeout(10)
    (job,) = served.jobs.running()
    group = int((job.folder / "process").read_text())
    os.killpg(group, signal.SIGSTOP)  # trials are short, and the keys have a long way to go
    some = re.compile("[12] of 3 settings are done")
    page.get_by_text(some).wait_for()  # by itself, while it runs
    keys.press(page.get_by_role("button", name="Stop"))
    while "asked to stop" not in served.workspace.history.path.read_text():
        page.wait_for_timeout(10)
    os.killpg(group, signal.SIGCONT)
    page.locator("#state").filter(has_text="stopped").wait_for()
    assert some.fullmatch(page.locator("#finished").inner_text())  # these are kept
    written = {kept: kept.stat().st_mtime_ns for kept in trials.glob("*.json")}
    assert written
    keys.press(page.get_by_role("button", name="Go on"))
    ended(inside)
    assert page.locator("#finished").inner_text() == "3 of 3 settings are done"
    assert {kept: kept.stat().st_mtime_ns for kept in written} == written
    page.locator("[data-settings] .tools").first.wait_for()  # charts that came later answer keys
    keys.press(page.locator("[data-settings] .stage").first, "ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("details.setting[open]").count() == 1
    for marker in page.locator("[data-settings] svg").first.locator(".marker").all():
        marker.click(force=True)  # or by the pointer
    assert page.locator("details.setting[open]").count() == 3
    keys.press(page.get_by_role("link", name="Decide", exact=True).last)
    page.get_by_role("slider").first.wait_for()
    for box in page.get_by_role("checkbox").all()[1:]:
        keys.press(box, "Space")
    keys.press(page.get_by_role("slider").first, "End")
    page.get_by_text("Advice").wait_for()
    page.wait_for_url("**limit.0=*")
    page.reload()  # what was required is not lost
    assert "Advice" in page.locator(".outcome").inner_text()
    dots = page.locator("[data-settings] svg").first.locator(".marker")
    assert dots.count() == 3  # all that meets it
    keys.press(page.locator("[data-settings] .stage").first, "ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("details.setting[open]").count() == 1
    keys.press(page.get_by_role("slider").first, "Home")
    page.get_by_text("No setting meets everything").wait_for()
    assert dots.count() == 0
    keys.press(page.get_by_role("slider").first, "End")
    page.get_by_text("Advice").wait_for()
    keys.type(page.get_by_label("Name of the policy"), "spring")
    keys.press(page.get_by_role("button", name="Keep what is required"))
    keys.type(page.get_by_label("Name", exact=True).first, "Ada <b>Officer</b>")
    keys.type(page.get_by_label("Comment"), "for the partners")
    keys.press(page.get_by_role("button", name="Sign"))
    page.get_by_text("for the partners").wait_for()
    assert "Ada <b>Officer</b>" in page.locator("main ul").first.inner_text()
    assert main(["policy", "check", str(served.workspace.folder / "policies/spring.toml")]) == 0


def test_keys_alone_from_a_file_to_a_verified_release(
    inside: Visit, served: Served, worked: None, tmp_path: Path
) -> None:
    page, keys = inside.page, Keys(inside.page)
    path = tmp_path / "by-keys.csv"
    path.write_text("who,what,stars\n" + "".join(f"{n},{n % 7},{n % 5}\n" for n in range(99)))
    keys.type(page.get_by_label("Path on this machine"), str(path))
    keys.press(page.get_by_role("button", name="Open"))
    for role, column in (("user", "who"), ("item", "what"), ("rating", "stars")):
        keys.type(page.get_by_label(role, exact=True), column)
    keys.press(page.get_by_role("button", name="Read it this way"), "Space")
    keys.press(page.get_by_role("button", name="Look at the data"))
    ended(inside)
    figure = inside.figure("How unique people are")
    keys.press(figure.locator(".stage"), "ArrowRight")
    assert "known 1" in figure.get_by_role("status").inner_text()
    keys.press(page.get_by_role("link", name="Publish", exact=True).last)
    keys.type(page.get_by_label("Name of the release"), "by-keys")
    keys.type(page.get_by_label("Method", exact=True), "pseudo")
    page.get_by_text("Parameters of pseudonymize").wait_for()
    keys.press(page.get_by_label("no audit"), "Space")
    keys.press(page.get_by_role("button", name="Publish"))
    ended(inside)
    keys.press(page.get_by_role("link", name="See the release"))
    page.get_by_role("button", name="Verify it from the disk").wait_for()
    keys.press(page.get_by_role("link", name="Check"))
    keys.type(page.get_by_label("the release").first, "releases/by-keys")
    keys.press(page.get_by_role("button", name="Check"))
    ended(inside)
    keys.press(page.get_by_role("link", name="Check"))
    keys.type(page.get_by_label("the release").first, "releases/by-keys")
    keys.type(page.get_by_label("the original", exact=True), "by-keys")
    page.locator("#command").get_by_text("recloak audit").wait_for()
    keys.press(page.get_by_role("link", name="History"))
    keys.press(page.get_by_role("link", name="audit: ended").last)
    keys.to(page.get_by_role("link", name="Open it in a tab of its own"))  # through the report
    keys.press(page.get_by_role("link", name="Lists"))
    keys.press(page.get_by_role("link", name="shop", exact=True).last)
    keys.type(page.get_by_label("start", exact=True), "0.5")
    page.locator("#command").get_by_text("--start 0.5").wait_for()
    keys.press(page.get_by_role("link", name="Lists"))
    keys.press(page.get_by_role("link", name="shop", exact=True).first)
    keys.type(page.get_by_label("Item"), "no such")
    page.keyboard.press("Enter")
    assert "no item called" in page.get_by_role("alert").inner_text()
    keys.press(page.get_by_role("link", name="History"))
    told = page.locator("tr").filter(has_text="publish: began by-keys")
    keys.press(told.get_by_role("button"))
    told.get_by_text(re.compile("Copied|Selected")).wait_for()


def test_tab_reaches_all_of_a_form_and_goes_on(inside: Visit, served: Served) -> None:
    served.small()
    page = inside.page
    page.goto(f"{served.base}/files/small/publish")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached = inside.reached_by_tab()
    enabled = page.locator("main :is(input, select, textarea, button, summary)").filter(
        visible=True
    )
    fields = [name for name in reached if name in ("INPUT", "SELECT", "TEXTAREA", "SUMMARY")]
    assert (
        len(fields) + sum(name in ("BUTTON", "first", "copy") for name in reached)
        == enabled.count()
    )


def test_axe_core_finds_no_barrier_and_all_fits(
    browser: Browser, served: Served, worked: None
) -> None:
    """Wide, on a tablet in the dark and on a phone: each page is loaded once."""
    under_way = served.jobs.start(LONG, "simulate", "long")
    reporting(under_way)
    paths = (under_way.link, *pages_of(served))
    with watching(browser, **WIDE, bypass_csp=True) as visit:
        visit.page.goto(served.entry)
        for path in paths:
            visit.page.emulate_media(color_scheme="light")
            visit.page.goto(f"{served.base}{path}")
            if path == under_way.link:
                visit.page.locator("progress").first.wait_for()
            for summary in visit.page.locator("summary").all()[:2]:
                summary.click()
            for size, scheme in ((WIDE, "light"), (TABLET, "dark"), (PHONE, "light")):
                visit.page.set_viewport_size(size["viewport"])
                visit.page.emulate_media(color_scheme=scheme)
                assert visit.findings == [], (path, size, scheme)
                fits = "document.body.scrollWidth <= window.innerWidth + 1"
                assert visit.page.evaluate(fits), (path, size)
                assert visit.clipped(SCROLLED) == [], (path, size)
    under_way.stop()
    assert unvisited(served, paths) == set()


def test_a_reload_keeps_what_is_filled_in(inside: Visit, served: Served, worked: None) -> None:
    """Every field of every form of every page, except secrets, which never reach the address."""
    page, paths, forms = inside.page, pages_of(served), set()
    for path in paths:
        page.goto(f"{served.base}{path}")
        if not page.locator(FIELDS).count():
            continue
        before, filled = held(page), filled_in_otherwise(page)
        assert filled != before, path
        assert SECRET not in unquote_plus(page.url), path
        page.reload()
        assert held(page) == filled, path
        forms |= {action for action, *_ in filled}
    assert len(forms) >= 11
    assert unvisited(served, paths) == set()


def test_what_is_too_long_for_the_address_is_said(inside: Visit, served: Served) -> None:
    served.small()
    page = inside.page
    page.goto(f"{served.base}/files/small/publish")
    page.get_by_label("Name of the release").fill("kept")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    people = page.get_by_label("exclude users")
    people.fill("somebody\n" * 2_000)
    page.get_by_text("a reload loses its longest fields").wait_for()
    page.reload()
    assert page.get_by_label("Name of the release").input_value() == "kept"
    assert people.input_value() == ""


def test_a_wrong_token_shows_nothing(browser: Browser, served: Served) -> None:
    served.access.used = False
    with watching(browser) as visit:
        answer = visit.page.goto(f"{served.base}/?token=wrong")
        assert answer is not None
        assert answer.status == 403
        assert "works once" in visit.page.locator("body").inner_text()


def test_a_page_from_elsewhere_can_do_nothing(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    """Somebody who is let in opens a hostile page, which sends a form to the studio."""
    page = tmp_path / "hostile.html"
    page.write_text(
        f'<form method="post" action="{served.base}/policies"><input name="name" value="theirs">'
        "</form><script>document.forms[0].submit()</script>"
    )
    with watching(browser) as visit:
        visit.page.goto(served.entry)
        with visit.page.expect_navigation(url=f"{served.base}/policies"):
            visit.page.goto(page.as_uri())
        assert "comes from another page" in visit.page.locator("body").inner_text()
    assert "theirs" not in served.workspace.names("policies", ".toml")


@pytest.mark.slow
def test_a_million_ratings_with_progress(inside: Visit, served: Served) -> None:
    page = inside.page
    page.get_by_label("like").select_option("ml-1m")
    page.get_by_role("button", name="Make up").click()
    ended(inside)
    page.get_by_role("link", name="Go on with").click()
    page.get_by_role("button", name="Look at the data").click()
    page.locator("progress").first.wait_for()
    ended(inside)
    assert "1,000,209" in page.locator("table.facts").inner_text()
    page.get_by_role("link", name="Publish", exact=True).last.click()
    page.get_by_label("Method", exact=True).select_option("pseudonymize")
    page.get_by_role("button", name="Publish").click()
    seen = set()
    until = time.monotonic() + 3600
    while page.locator("#state").inner_text() == "under way" and time.monotonic() < until:
        seen.update(page.locator(".steps").all_inner_texts())
        time.sleep(0.5)
    assert len(seen) > 3
    ended(inside)


@pytest.mark.slow
def test_the_whole_way_on_made_up_ml_100k(inside: Visit, served: Served) -> None:
    page = inside.page
    page.get_by_role("button", name="Make up").click()
    ended(inside)
    page.get_by_role("link", name="Go on with").click()
    page.get_by_role("link", name="Publish", exact=True).last.click()
    page.get_by_label("Name of the release").fill("whole")
    page.get_by_role("button", name="Publish").click()
    page.locator("#state").filter(has_text="done").wait_for(timeout=1_800_000)
    page.get_by_role("link", name="See the release").click()
    page.get_by_role("button", name="Verify it from the disk").click()
    ended(inside)
    assert "floor:k=10" in page.locator("#job").inner_text()
