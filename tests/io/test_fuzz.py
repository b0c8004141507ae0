"""Some two thousand damaged files of all formats; `python -m tests.io.fuzz N` for more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.io.fuzz import MAKERS, try_one

CASES = 100


@pytest.mark.parametrize("kind", MAKERS)
def test_damaged_files_are_read_or_refused(tmp_path: Path, kind: str) -> None:
    for seed in range(CASES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert try_one(kind, seed, folder) in ("read", "refused")
