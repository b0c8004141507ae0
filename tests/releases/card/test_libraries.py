"""The code in the card for recommender libraries, run with those that are installed.

``make test-peers`` installs all of them. It says so by RECLOAK_PEERS, and then a missing one fails.
RecBole needs older packages than recloak: RECLOAK_RECBOLE names an interpreter that has it.
"""

from __future__ import annotations

import importlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recloak.core.ratings import Ratings
from recloak.releases.base import open_release
from tests.releases.card.samples import KINDS, card, code_under, published, run

MODULES = {"LensKit": "lenskit.data", "Surprise": "surprise", "implicit": "implicit.als"}


def _needs(library: str) -> None:
    """Skip unless the library can be had here; warnings of its own are not ours."""
    try:
        importlib.import_module(MODULES[library])
    except ImportError as problem:
        _missing(f"{library} is not installed, so the card's code for it is not run: {problem}")


def _missing(reason: str) -> None:
    if os.environ.get("RECLOAK_PEERS"):
        pytest.fail(reason)
    pytest.skip(reason)


def _loaded(library: str, kind: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder = published(kind, place)
    text = card(folder)
    first = code_under(text, "How to load it")[1]
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


@pytest.mark.parametrize("kind", KINDS)
def test_the_code_for_recbole_loads_every_rating(kind: str, tmp_path: Path) -> None:
    interpreter = os.environ.get("RECLOAK_RECBOLE", "")
    if not Path(interpreter).is_file():
        _missing("RECLOAK_RECBOLE names no interpreter that has RecBole")
    folder = published(kind, tmp_path)
    text, files = card(folder), sorted(folder.iterdir())
    pieces = [code_under(text, "How to load it")[1], *code_under(text, "RecBole")]
    code = "\n".join([*pieces, "print(len(dataset))"])
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [interpreter, "-c", code], cwd=folder, env=clean, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) == open_release(folder).as_ratings().n_ratings
    assert sorted(folder.iterdir()) == files  # a file more would be a release that was changed


def _expected(library: str, ratings: Ratings) -> int:
    if library != "implicit" or ratings.scale.implicit:
        return ratings.n_ratings
    return int((ratings.values >= ratings.scale.middle).sum())


COUNTS = {
    "LensKit": lambda names: names["dataset"].interaction_count,
    "Surprise": lambda names: names["trainset"].n_ratings,
    "implicit": lambda names: names["matrix"].nnz,
}
