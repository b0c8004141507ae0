"""A real browser for tests of pages: what it showed, complained of and asked for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
WIDE = {"viewport": {"width": 1200, "height": 900}}
TABLET = {"viewport": {"width": 768, "height": 1000}}
PHONE = {"viewport": {"width": 360, "height": 740}}
WIDTHS = (390, 768, 1280)
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
# Texts whose end is out of sight: wider than a box that hides or scrolls what is beyond it.
# Commands are there to be copied and stay on one line; what is to be skipped is heard, not seen.
CLIPPED = """(besides) => [...document.querySelectorAll('main *')].filter((one) => {
  const style = getComputedStyle(one);
  const hides = style.overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1;
  const cut = style.textOverflow === 'ellipsis';
  const box = one.getBoundingClientRect();
  const outside = one.children.length === 0 && one.textContent.trim() && box.width > 0
    && (box.right > window.innerWidth + 1 || box.left < -1) && !one.closest('thead');
  return (hides || cut || outside) && one.textContent.trim() && box.height > 0
    && !one.closest(besides);
}).map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 60)}`)"""
# Frames are left out: axe-core is not put into them, and would wait for an answer.
VIOLATIONS = """axe.run({ resultTypes: ["violations"], iframes: false })
  .then((found) => found.violations)"""
FOCUSED = """() => {
  const one = document.activeElement;
  return [one.className || one.tagName, getComputedStyle(one).outlineStyle];
}"""


def program() -> str | None:
    """The browser of this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@dataclass
class Visit:
    """A page that is open."""

    page: Page
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def figure(self, title: str) -> Locator:
        """The chart with that heading."""
        heading = self.page.get_by_role("heading", name=title)
        return self.page.locator("figure").filter(has=heading)

    def was_quiet(self) -> None:
        """Nothing was complained of, and nothing asked for."""
        assert self.console == []
        assert self.requests == []

    def reached_by_tab(self) -> list[str]:
        """What the tab key reaches from here, each with a ring around it."""
        reached: list[str] = []
        while True:
            self.page.keyboard.press("Tab")
            name, ring = self.page.evaluate(FOCUSED)
            if name == "BODY":
                return reached
            assert ring != "none", name
            reached.append(name)

    def fits_its_width_with_tips(self) -> None:
        """Nothing is wider than the window, whichever chart shows its tip."""
        for stage in self.page.locator(".stage").all():
            stage.press("ArrowRight")
            assert self.page.evaluate("document.body.scrollWidth <= window.innerWidth + 1")

    def clipped(self, besides: str = "") -> list[str]:
        """Texts whose end is out of sight, with everything unfolded; not what is ``besides``."""
        self.page.evaluate(UNFOLD)
        left_out = f".command, .skip, {besides}" if besides else ".command, .skip"
        found: list[str] = self.page.evaluate(CLIPPED, left_out)
        return found

    def printed_pages(self) -> int:
        """How many pages it takes on paper."""
        return len(re.findall(rb"/Type\s*/Page\b", self.page.pdf(prefer_css_page_size=True)))

    @property
    def findings(self) -> list[str]:
        """What axe-core complains of, each with the first element that it concerns."""
        from axe_playwright_python.sync_playwright import Axe

        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(Axe().axe_script)
        broken: list[dict[str, Any]] = self.page.evaluate(VIOLATIONS)
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in broken]


@contextmanager
def visiting(browser: Browser, content: str, folder: Path, **context: Any) -> Iterator[Visit]:
    """Open a page from a file and watch it; ``context`` are settings such as ``color_scheme``."""
    path = folder / "page.html"
    path.write_text(content, encoding="utf-8")
    with watching(browser, **context) as visit:
        visit.page.goto(path.as_uri())
        visit.requests.remove(path.as_uri())
        yield visit


@contextmanager
def watching(browser: Browser, **context: Any) -> Iterator[Visit]:
    """An empty page that is watched; axe-core is put in from outside, which pages forbid."""
    opened = browser.new_context(bypass_csp=context.pop("bypass_csp", False), **context)
    try:
        yield watched(opened.new_page())
    finally:
        opened.close()


def watched(page: Page) -> Visit:
    """A page whose complaints and requests are noted from here on."""
    visit = Visit(page)
    page.on("console", lambda said: visit.console.append(said.text))
    page.on("pageerror", lambda said: visit.console.append(str(said)))
    page.on("request", lambda asked: visit.requests.append(asked.url))
    return visit


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    for name in ("playwright", "axe_playwright_python"):
        pytest.importorskip(name, reason=f"{name} is missing, which drives the browser")
    found = program()
    if found is None:
        pytest.skip(f"no browser on this machine: looked for {', '.join(NAMES)}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Browser, shown: str, tmp_path: Path) -> Iterator[Visit]:
    """The page that a module's fixture ``shown`` gives; it must stay quiet."""
    with visiting(browser, shown, tmp_path, **WIDE) as opened:
        yield opened
        opened.was_quiet()
