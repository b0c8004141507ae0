"""Ratings, those of them that come later, and a release of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.publishing.run import publish
from recloak.testing import random_ratings
from tests.publishing.extend.samples import KEY, MANY, later_ones


@pytest.fixture
def whole() -> Ratings:
    return random_ratings(60, 40, 0.4, seed=4)


@pytest.fixture
def fresh(whole: Ratings) -> Ratings:
    return whole.keep(later_ones(whole)).compact()


@pytest.fixture
def folder(tmp_path: Path, whole: Ratings) -> Path:
    before = whole.keep(~later_ones(whole)).compact()
    publish(
        before,
        method("fragmentation", **MANY),
        out=tmp_path / "r",
        keep_secret=tmp_path / "r.secret",
        split_secret=tmp_path / "wallets",
        lock=KEY,
        seed=1,
        audited=False,
    )
    return tmp_path
