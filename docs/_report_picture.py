"""Makes docs/report.png from a demo: python docs/_report_picture.py DEMO.

DEMO is the folder that `recloak demo` left. The picture has two verdicts, one that passes and one
that does not, beside each other. It needs Chromium and the extra `dev`.
"""

from __future__ import annotations

import base64
import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

REPORTS = ("report.html", "pseudonymize-report.html")
PICTURE = Path(__file__).parent / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
WIDTH, HEIGHT = 760, 1160
BESIDE = """<style>
body {{ margin: 0; display: flex; gap: 24px; padding: 24px; background: #e9ecef }}
img {{ width: {width}px; height: {height}px; object-fit: cover; object-position: top;
       box-shadow: 0 1px 6px #0003 }}
</style>{images}"""


def verdict(browser: Any, report: Path) -> str:
    """The top of a report as the address of a picture."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.5)
    page.goto(report.resolve().as_uri())
    taken = page.screenshot()
    page.close()
    return f"data:image/png;base64,{base64.b64encode(taken).decode()}"


def draw(demo: Path, picture: Path) -> None:
    """Both verdicts beside each other."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        shown = [verdict(browser, demo / name) for name in REPORTS]
        images = "".join(f'<img src="{one}">' for one in shown)
        page = browser.new_page(viewport={"width": 2 * WIDTH + 72, "height": HEIGHT + 48})
        page.set_content(BESIDE.format(width=WIDTH, height=HEIGHT, images=images))
        page.screenshot(path=str(picture))
        browser.close()


if __name__ == "__main__":
    draw(Path(sys.argv[1]), PICTURE)
    print(f"wrote {PICTURE}")
