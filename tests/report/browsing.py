"""A real browser for the tests of the report: what it showed, complained of and asked for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
WIDE = {"viewport": {"width": 1200, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}}
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

    @property
    def findings(self) -> list[str]:
        """What axe-core complains of, each with the first element that it concerns."""
        from axe_playwright_python.sync_playwright import Axe

        broken: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in broken]


@contextmanager
def visiting(browser: Browser, content: str, folder: Path, **context: Any) -> Iterator[Visit]:
    """Open a page from a file and watch it; ``context`` are settings such as ``color_scheme``."""
    path = folder / "page.html"
    path.write_text(content, encoding="utf-8")
    # axe-core is put into the page from outside, which the page itself forbids.
    opened = browser.new_context(bypass_csp=context.pop("bypass_csp", False), **context)
    visit = Visit(opened.new_page())
    visit.page.on("console", lambda said: visit.console.append(said.text))
    visit.page.on("pageerror", lambda said: visit.console.append(str(said)))
    visit.page.on("request", lambda asked: visit.requests.append(asked.url))
    visit.page.goto(path.as_uri())
    visit.requests.remove(path.as_uri())
    try:
        yield visit
    finally:
        opened.close()
