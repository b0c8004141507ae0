"""The code in the card for recommender libraries, run with those that are installed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.core.ratings import Ratings
from recloak.releases.base import open_release
from tests.releases.card.samples import KINDS, card, code_under, published, run

MODULES = {
    "LensKit": "lenskit.data",
    "Surprise": "surprise",
    "implicit": "implicit.als",
    "RecBole": "recbole.data",
}


def _needs(library: str) -> None:
    """Skip unless the library can be had here; warnings of its own are not ours."""
    try:
        importlib.import_module(MODULES[library])
    except ImportError as problem:
        pytest.skip(f"{library} is not installed, so the card's code for it is not run: {problem}")
    if library == "RecBole" and not hasattr(np, "float_"):
        pytest.skip(f"RecBole does not work with NumPy {np.__version__}, as the card says")


def _loaded(library: str, kind: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder = published(kind, place)
    text = card(folder)
    first = code_under(text, "How to load it")[1]
    monkeypatch.setattr(sys, "argv", ["python"])  # RecBole reads it
    names = run([first, *code_under(text, library)], folder, monkeypatch)
    return names, open_release(folder).as_ratings()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", MODULES)
def test_the_code_for_a_library_loads_every_rating(
    library: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _needs(library)
    if (library, kind) == ("Surprise", "implicit"):
        folder = published(kind, tmp_path)
        assert "needs ratings, and there are none here" in card(folder)
        return
    names, expected = _loaded(library, kind, tmp_path, monkeypatch)
    assert COUNTS[library](names) == _expected(library, expected)


def _expected(library: str, ratings: Ratings) -> int:
    if library != "implicit" or ratings.scale.implicit:
        return ratings.n_ratings
    return int((ratings.values >= ratings.scale.middle).sum())


COUNTS = {
    "LensKit": lambda names: names["dataset"].interaction_count,
    "Surprise": lambda names: names["trainset"].n_ratings,
    "implicit": lambda names: names["matrix"].nnz,
    "RecBole": lambda names: len(names["dataset"]),
}
