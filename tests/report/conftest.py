"""A browser, and audits to render: a full one, an empty one, one whose every text is hostile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from recloak.findings import Audit
from tests.report.browsing import FLAGS, NAMES, program
from tests.report.samples import full_audit, hostile_audit, minimal_audit

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = program()
    if found is None:
        pytest.skip(f"no browser on this machine: looked for {', '.join(NAMES)}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def full() -> Audit:
    return full_audit()


@pytest.fixture
def minimal() -> Audit:
    return minimal_audit()


@pytest.fixture
def hostile() -> Audit:
    return hostile_audit()


@pytest.fixture(
    params=[full_audit, minimal_audit, hostile_audit], ids=["full", "minimal", "hostile"]
)
def any_audit(request: pytest.FixtureRequest) -> Audit:
    made: Audit = request.param()
    return made
