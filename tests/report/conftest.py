"""A browser, and audits to render: a full one, an empty one, one whose every text is hostile."""

from __future__ import annotations

import pytest

from recloak.evaluation.findings import Audit
from tests.report.samples import full_audit, hostile_audit, minimal_audit
from tests.support.browsing import browser, visit

__all__ = ["any_audit", "browser", "full", "hostile", "minimal", "visit"]


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
