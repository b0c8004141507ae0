"""What a release with differential privacy may depend on: noisy answers and public facts alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.methods.synthetic._private_data import Queryable
from recloak.publishing.run import publish
from recloak.releases.sealing import Lock
from tests.methods.synthetic.fits import ask_everything

ITEMS = [f"item {number}" for number in range(30)]
SEED = "0x" + "5" * 32
LOCK = Lock("key file", bytes(range(32)))


def crowd(seed: int, people: int, most: int, *, backwards: bool = False) -> Ratings:
    """People of whom everything differs with the seed: how many, how much, what, how, when."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"{seed}-{person}", ITEMS[item], float(rng.integers(1, 6)), int(rng.integers(10**9)))
        for person in range(people)
        for item in rng.choice(len(ITEMS), int(rng.integers(1, most)), replace=False)
    ]
    users, items, values, times = zip(*(rows[::-1] if backwards else rows), strict=True)
    return Ratings.from_columns(users, items, values, times=times, scale="1..5")


class Replayed:
    """Stands in for the answers of a queryable: those of the first fit, whatever is asked later."""

    def __init__(self) -> None:
        self.answers: list[Floats] = []
        self.at: int | None = None
        self._real = Queryable._answer

    def replay(self) -> None:
        self.at = 0

    def __call__(self, queryable: Queryable, query: Any, sums: Any, sigma: float) -> Floats:
        if self.at is None:
            self.answers.append(self._real(queryable, query, sums, sigma))
            return self.answers[-1]
        self.at += 1
        return self.answers[self.at - 1]


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> Replayed:
    stand_in = Replayed()
    monkeypatch.setattr(
        Queryable,
        "_answer",
        lambda queryable, query, sums, sigma: stand_in(queryable, query, sums, sigma),
    )
    return stand_in


def published(people: Ratings, folder: Path, **given: Any) -> dict[str, bytes]:
    """All bytes that are handed out, by the names of their files."""
    publish(
        people,
        "synthetic",
        epsilon=4.0,
        out=folder,
        audited=False,
        seed=SEED,
        public_items=ITEMS,
        **given,
    )
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")}


@pytest.mark.parametrize("given", [{}, {"times": "year"}, {"data": "survey"}])
@pytest.mark.parametrize("table_format", ["csv", "parquet"])
@pytest.mark.parametrize("asked", [True, False])
def test_other_people_under_the_same_answers_give_the_same_bytes(
    given: dict[str, Any],
    table_format: str,
    asked: bool,
    replayed: Replayed,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Whether every query is asked, or the noisy numbers decide which are."""
    if asked:
        ask_everything(monkeypatch)
    first = published(crowd(1, 200, 20), tmp_path / "one", table_format=table_format, **given)
    replayed.replay()
    others = crowd(2, 31, 6, backwards=True)
    second = published(others, tmp_path / "two", table_format=table_format, **given)
    assert replayed.at == len(replayed.answers)
    assert first == second


def test_the_kept_model_is_made_of_answers_alone(replayed: Replayed, tmp_path: Path) -> None:
    from recloak.methods.synthetic.model import open_model

    kept = [tmp_path / name for name in ("one.model", "two.model")]
    published(crowd(1, 200, 20), tmp_path / "one", keep_model=kept[0], lock=LOCK)
    replayed.replay()
    published(crowd(3, 17, 9), tmp_path / "two", keep_model=kept[1], lock=LOCK)
    one, two = (open_model(path, LOCK) for path in kept)
    for name, array in one.traits.arrays().items():
        assert np.array_equal(array, two.traits.arrays()[name]), name
    assert one.account == two.account
    assert one.item_labels.tolist() == two.item_labels.tolist()
    assert kept[0].stat().st_size == kept[1].stat().st_size
