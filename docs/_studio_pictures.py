"""Pictures of the studio for its tutorial: ``python docs/_studio_pictures.py [FOLDER]``.

Starts a studio on an empty workspace, goes the way of the tutorial in Chromium, and takes a picture
at each step.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ENDED = re.compile("done|does not hold")
NAMES = ("chromium", "chromium-browser", "google-chrome")
LONGEST = 1_800_000  # milliseconds


def main(folder: Path) -> None:
    """Start a studio, take the pictures, end it."""
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, "-m", "recloak", "studio", f"{place}/workspace", "--json"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as studio:
            try:
                address = _address(studio)
                _take_all(address, folder)
            finally:
                studio.send_signal(signal.SIGINT)


def _address(studio: subprocess.Popen[str]) -> str:
    assert studio.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        text += studio.stdout.readline()
    return str(json.loads(text)["address"])


def _take_all(address: str, folder: Path) -> None:
    program = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.set_default_timeout(LONGEST)
        page.goto(address)
        _way(page, folder)
        browser.close()


def _way(page: Page, folder: Path) -> None:
    def picture(name: str) -> None:
        page.screenshot(path=folder / f"studio-{name}.png")

    picture("start")
    page.get_by_label("people").fill("2000")
    page.get_by_label("ratings").fill("200000")
    page.get_by_role("button", name="Make up").click()
    _ended(page)
    page.get_by_role("link", name="Go on with").click()
    picture("data")
    page.get_by_role("button", name="Look at the data").click()
    _ended(page)
    _to(page, "#charts")
    picture("look")
    page.goto(page.url.split("/jobs/")[0] + "/files/made-up-ml-100k/compare")
    for box in page.get_by_role("checkbox").all():
        box.uncheck()
    for name in ("gaussian-noise", "microaggregation", "synthetic"):
        page.get_by_role("checkbox", name=name, exact=True).first.check()
    page.get_by_role("button", name="Start").click()
    _ended(page)
    _to(page, "#charts")
    picture("compare")
    page.get_by_role("link", name="Decide", exact=True).last.click()
    picture("decide")
    page.goto(page.url.split("/comparisons/")[0] + "/files/made-up-ml-100k/publish")
    page.locator("[name='parameter.floor']").fill("100")
    picture("publish")
    page.get_by_role("button", name="Publish").click()
    _ended(page)
    page.get_by_role("link", name="See the release").click()
    picture("release")
    page.goto(page.url.split("/releases/")[0] + "/files/made-up-ml-100k/lists")
    page.get_by_label("start").fill("0.7")
    page.get_by_label("gap").fill("0.06")
    page.get_by_role("button", name="Replay and publish").click()
    _ended(page)
    page.get_by_role("link", name="See the lists").click()
    _to(page, "#item")
    picture("lists")


def _to(page: Page, place: str) -> None:
    page.evaluate(f"document.querySelector('{place}').scrollIntoView({{ behavior: 'instant' }})")
    page.wait_for_timeout(300)


def _ended(page: Page) -> None:
    page.locator("#state").filter(has_text=ENDED).wait_for()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
