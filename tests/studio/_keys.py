"""Somebody without a pointer, who sees where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MOST = 300  # keys from one place of a page to another
BEHIND = """(one) => document.activeElement !== document.body
  && Boolean(one.compareDocumentPosition(document.activeElement) & 4)"""  # it follows
ARRIVED = """(one) => {
  const now = document.activeElement;
  const seen = ["BODY", "MAIN", "IFRAME"].includes(now.tagName)  // a frame shows what is in it
    || getComputedStyle(now).outlineStyle !== "none";
  return [now === one, seen ? "" : now.outerHTML.slice(0, 200)];
}"""


@dataclass(frozen=True)
class Keys:
    """Goes by tab from one element to the next; each on the way has a ring around it."""

    page: Page

    def to(self, target: Locator) -> None:
        """Go to an element, forwards or backwards."""
        target.wait_for()
        key = "Shift+Tab" if target.evaluate(BEHIND) else "Tab"
        for _ in range(MOST):
            self.page.keyboard.press(key)
            arrived, unseen = target.evaluate(ARRIVED)
            assert unseen == "", unseen
            if arrived:
                return
        raise AssertionError(f"keys do not lead to {target}")

    def press(self, target: Locator, key: str = "Enter") -> None:
        """Go to an element and press a key there."""
        self.to(target)
        self.page.keyboard.press(key)

    def type(self, target: Locator, text: str) -> None:
        """Go to a field and write over what it holds, or choose what begins so."""
        self.to(target)
        if target.evaluate("(one) => one.tagName") != "SELECT":
            self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)
