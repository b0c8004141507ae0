"""Low-rank tables beside a whole singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks import _low_rank


@pytest.mark.parametrize("cells", [50, 4_000_000])
def test_the_nearest_table_by_blocks(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_low_rank, "CELLS_PER_BLOCK", cells)
    rng = np.random.default_rng(0)
    table = (rng.normal(size=(40, 3)) @ rng.normal(size=(3, 20)) * 5).astype(np.float32)
    table += rng.normal(0, 0.01, table.shape).astype(np.float32)
    apart = table - table.mean(axis=0)
    left, strengths, right = np.linalg.svd(apart, full_matrices=False)
    wanted = table.mean(axis=0) + (left[:, :3] * strengths[:3]) @ right[:3]
    assert _low_rank.low_rank(table, factors=3) == pytest.approx(wanted, abs=1e-4)
