"""The figures of the specification on MovieLens 1M, and that building lists anew beats them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.formats import read
from recloak.lists.history import History
from recloak.lists.replaying import replay
from recloak.ratings import Ratings

EXPECTED = {"suppression": (0.226, 97_965), "permutation": (0.311, 81_654)}


@pytest.fixture(scope="module")
def ml_1m(real_data: Path) -> Ratings:
    return read(real_data / "ml-1m")


def recalls(history: History) -> list[float]:
    """The share of raw entries that each protected release shows, whatever their slots."""
    shares = []
    for release in history.releases[1:]:
        assert release.raw is not None
        raw, shown = release.raw.slots, release.lists.slots
        kept = (raw[:, :, None] == shown[:, None, :]).any(axis=2) & (raw >= 0)
        shares.append(float(kept.sum() / (raw >= 0).sum()))
    return shares


@pytest.mark.real
@pytest.mark.parametrize("delta", ["0.1", "0.2", "0.5"])
def test_ml_1m_from_a_tenth_on(ml_1m: Ratings, delta: str) -> None:
    recall = {}
    for name in ("suppression", "permutation", "constructive"):
        history = replay(ml_1m, name, delta=delta, releases=7)  # each release is verified
        recall[name] = float(np.mean(recalls(history)))
        changes = [one.changes for one in history.releases[1:] if one.changes]
        assert not any(one.emptied for one in changes)
        if delta == "0.1" and name in EXPECTED:
            share, suppressed = EXPECTED[name]
            assert recall[name] == pytest.approx(share, abs=0.01)
            assert sum(one.suppressed for one in changes) == pytest.approx(suppressed, rel=0.07)
    assert recall["constructive"] > recall["permutation"] > recall["suppression"]
