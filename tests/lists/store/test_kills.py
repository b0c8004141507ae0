"""A scripted shop of 30 nights whose runs are killed at random moments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recloak.lists.store.checking import check_chain, verify_store
from recloak.lists.store.store import Store
from tests.lists.store.scripted_shop import ratings_of_nights

NIGHTS = 30


def test_thirty_nights_with_kills_and_every_window_verifies(url: str, tmp_path: Path) -> None:
    seed = 2026
    words = [
        "-m",
        "tests.lists.store.scripted_shop",
        url,
        str(seed),
        str(NIGHTS),
        str(tmp_path / "warm.db"),
    ]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=900, env=os.environ
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[-1]) >= 10, "hardly any run was killed"
    store = Store.at(url)
    assert [record.number for record in check_chain(store)] == list(range(NIGHTS))
    verdicts = verify_store(store, ratings_of_nights(seed, NIGHTS))
    assert [verdict.status for verdict in verdicts] == ["holds"] * NIGHTS


@pytest.mark.parametrize("seed", [1])
def test_the_shop_is_the_same_for_the_same_seed(seed: int) -> None:
    for one, two in zip(ratings_of_nights(seed, 3), ratings_of_nights(seed, 3), strict=True):
        assert one.equals(two)
