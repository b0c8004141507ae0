"""Requests made up from the API's own description: never a 5xx, always what it declares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from recloak.lists.store.store import Store
from tests.lists.service.conftest import served
from tests.lists.store.shop import Shop, protector, release_next

PATHS = {
    "/items/{item}/related": "GET",
    "/lists": "POST",
    "/releases": "GET",
    "/health": "GET",
    "/live": "GET",
    "/ready": "GET",
    "/metrics": "GET",
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    place: Path = tmp_path_factory.mktemp("fuzzed") / "lists.db"
    store = Store.at(str(place), make=True)
    release_next(store, Shop(5).night(), protector())
    with served(store, every=1) as base:
        yield schemathesis.openapi.from_url(f"{base}/openapi.json")


def test_all_that_is_described_is_tried(api: Any) -> None:
    assert set(api) == set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_one_that_is_described(api: Any, path: str) -> None:
    """Checked by all of the tool's checks."""

    @settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
    @given(case=api[path][PATHS[path]].as_strategy())
    def answers(case: Any) -> None:
        case.call_and_validate()

    answers()


@pytest.mark.parametrize("path", list(PATHS)[:3])
def test_what_the_description_forbids_is_never_our_fault(api: Any, path: str) -> None:
    """Odd values may mean an item that is not there; nothing is ever our fault."""
    forbidden = schemathesis.GenerationMode.NEGATIVE

    @settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
    @given(case=api[path][PATHS[path]].as_strategy(generation_mode=forbidden))
    def refused(case: Any) -> None:
        answer = case.call()
        assert 200 <= answer.status_code < 500

    refused()
