"""Nothing twice on the way of advice: what is hashed, parsed and looked up, counted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.cli import main
from recloak.comparison import run, settings, trials
from recloak.core import registry
from recloak.core.ratings import Ratings
from recloak.io import write

GRID = """
[[method]]
name = "gaussian-noise"
sigma = [0.5, 1.0]
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The arguments that compare and advise share."""
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((40, 30)) < 0.3)
    write(
        Ratings.from_columns(users, items, rng.integers(1, 6, len(users))), tmp_path / "ratings.csv"
    )
    (tmp_path / "grid.toml").write_text(GRID)
    out = ["--out", str(tmp_path / "out"), "--jobs", "1"]
    return [str(tmp_path / "ratings.csv"), "--grid", str(tmp_path / "grid.toml"), *out]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often what is costly was called."""
    calls: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def counting(*given: Any, **options: Any) -> Any:
            calls[name] += 1
            return plain(*given, **options)

        monkeypatch.setattr(owner, name, counting)

    count(run, "digest_of_ratings")
    count(trials, "audit_from")
    count(settings, "read_grid")
    count(registry, "entry_points")
    return calls


def test_advice_hashes_parses_and_looks_up_once(words: list[str], counted: Counter[str]) -> None:
    main(["compare", *words, "--quiet"])
    assert counted == {
        "digest_of_ratings": 1, "audit_from": 2, "read_grid": 1, "entry_points": 1
    }  # fmt: skip
    counted.clear()
    main(["advise", *words, "--require", "success<=1", "--quiet"])
    assert counted == {"digest_of_ratings": 1, "audit_from": 2, "read_grid": 1}
    finished = list(Path(words[4], "trials").glob("*.json"))
    assert len(finished) == 2
    assert all(json.loads(file.read_text())["audit"] for file in finished)
