"""Memory that an evaluation freed goes back to the system before the next one begins."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import recloak
from recloak.auditing import _evaluation_runs as runs
from recloak.auditing._allocator import give_back_memory
from recloak.simulation import synthesize


def resident() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="as Linux and glibc have it")
def test_what_is_freed_between_what_stays_is_given_back() -> None:
    give_back_memory()
    pieces = [bytes(64_000) for _ in range(2_000)]
    held = resident()
    stays = pieces[::50]
    del pieces
    give_back_memory()
    assert len(stays) == 40
    assert resident() < held - 90_000_000


@pytest.mark.parametrize(("least", "expected"), [(0, True), (10**6, False)])
def test_after_each_evaluation_of_very_many_ratings(
    monkeypatch: pytest.MonkeyPatch, least: int, expected: bool
) -> None:
    given: list[None] = []
    monkeypatch.setattr(runs, "give_back_memory", lambda: given.append(None))
    monkeypatch.setattr(runs, "GIVEN_BACK", least)
    ratings = synthesize("ml-1m", users=60, items=50, ratings=1_200, seed=1)
    recloak.audit(ratings, ratings, attacks=["label"], measures=["density"])
    assert (len(given) >= 2) is expected  # the policy asks for more than these two
