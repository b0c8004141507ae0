"""The browser for the page of a comparison."""

from __future__ import annotations

from tests.support.browsing import browser, visit

__all__ = ["browser", "visit"]
