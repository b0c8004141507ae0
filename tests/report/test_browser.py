"""The page in a real browser: it renders, without a complaint and without the network."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from recloak.findings import Audit
from recloak.report import render_html
from recloak.report.charts import charts_of
from tests.report.page_reader import read_page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
)
BROWSER_ITSELF = "not an origin"  # what the network log says of requests that no page made


@dataclass(frozen=True)
class Visit:
    """What a browser made of a page."""

    dom: str
    console: list[str]
    requests: list[str]


class Browser:
    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder

    def visit(self, content: str) -> Visit:
        page, log = self.folder / "page.html", self.folder / "network.json"
        page.write_text(content, encoding="utf-8")
        own = (f"--user-data-dir={self.folder / 'profile'}", f"--log-net-log={log}")
        ran = subprocess.run(
            [self.program, *FLAGS, *own, "--dump-dom", page.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        console = [line for line in ran.stderr.splitlines() if ":CONSOLE" in line]
        return Visit(ran.stdout, console, _requests_of_pages(log))


def _requests_of_pages(log: Path) -> list[str]:
    events = json.loads(log.read_text(encoding="utf-8"))["events"]
    seen = (event.get("params", {}) for event in events)
    return [
        told["url"]
        for told in seen
        if "url" in told and told.get("initiator", BROWSER_ITSELF) != BROWSER_ITSELF
    ]


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser on this machine: looked for {', '.join(NAMES)}")
    return Browser(program, tmp_path)


def test_the_watch_sees_requests_and_complaints(browser: Browser) -> None:
    visit = browser.visit(
        '<!doctype html><img src="http://example.invalid/x.png"><script>console.error("oh")</script>'
    )
    assert visit.requests == ["http://example.invalid/x.png"]
    assert len(visit.console) == 1


def test_the_report_renders_quietly_and_offline(browser: Browser, full: Audit) -> None:
    visit = browser.visit(render_html(full))
    assert visit.console == []
    assert visit.requests == []
    page = read_page(visit.dom)
    assert len(list(page.all("svg"))) == len(charts_of(full)) + 1
    assert "would be found." in page.text


def test_hostile_labels_run_nothing(browser: Browser, hostile: Audit) -> None:
    visit = browser.visit(render_html(hostile))
    assert visit.console == []
    assert visit.requests == []
