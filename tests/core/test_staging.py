"""Ratings on disk are those in memory, block by block, and what is wrong is said alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.building import DuplicatePairs, OffScale
from recloak.core.errors import InputError
from recloak.core.files import temporary_folder
from recloak.core.id_encoder import ids_of
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.staged_ratings import StagedRatings
from recloak.core.staged_ratings.staging import Stager
from recloak.testing import random_ratings


def staged(
    folder: Path,
    columns: dict[str, Any],
    *,
    scale: Scale | None = None,
    duplicates: Any = "error",
    excluded: tuple[Any, ...] = (),
    pieces: int = 3,
) -> StagedRatings:
    import polars as pl

    stager = Stager(folder, buckets=4)
    for at in np.array_split(np.arange(len(columns["users"])), pieces):
        batch = {name: np.asarray(column)[at] for name, column in columns.items()}
        users, items = (ids_of(pl.Series(batch[name].tolist())) for name in ("users", "items"))
        values = batch["values"].astype(np.float32) if "values" in batch else None
        stager.add(users, items, values, batch.get("times"), scale)
    return stager.staged(scale, duplicates, excluded, SILENT)


def shuffled(ratings: Ratings, seed: int, *, text: bool) -> dict[str, Any]:
    order = np.random.default_rng(seed).permutation(ratings.n_ratings)
    named = (lambda codes: np.array([f"n{code}" for code in codes])) if text else np.asarray
    return {
        "users": named(ratings.user_labels[ratings.user_codes()])[order],
        "items": named(ratings.item_labels[ratings.items])[order],
        "values": ratings.values[order],
        "times": np.arange(ratings.n_ratings)[order],
    }


def everyone(found: StagedRatings) -> Ratings:
    return found.of_people(np.arange(found.n_users))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_blocks_together_are_the_ratings(seed: int, text: bool, timed: bool) -> None:
    columns = shuffled(random_ratings(30, 20, 0.2, seed), seed, text=text)
    if not timed:
        del columns["times"]
    whole = Ratings.from_columns(**columns)
    with temporary_folder() as folder:
        found = staged(folder, columns)
        assert everyone(found).equals(whole)
        assert found.item_support.tolist() == whole.item_support.tolist()
        assert found.user_counts.tolist() == whole.user_counts.tolist()
        seen = [block.ratings.user_labels for block in found.blocks()]
        assert sorted(np.concatenate(seen)) == whole.user_labels.tolist()
        some = np.arange(0, whole.n_users, 3)
        assert found.of_people(some).equals(whole.take_users(some))


@pytest.mark.parametrize("duplicates", ["last", "mean", "max"])
def test_repeated_pairs_are_merged_alike(tmp_path: Path, duplicates: Any) -> None:
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 15, 300) for name in ("users", "items", "values", "times")}
    whole = Ratings.from_columns(**columns, duplicates=duplicates)
    assert everyone(staged(tmp_path, columns, duplicates=duplicates)).equals(whole)


def test_repeated_pairs_are_refused_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 15, 300) for name in ("users", "items", "values")}
    with pytest.raises(DuplicatePairs) as in_memory:
        Ratings.from_columns(**columns)
    with pytest.raises(DuplicatePairs) as on_disk:
        staged(tmp_path, columns)
    assert on_disk.value.what == in_memory.value.what


def test_a_value_off_the_scale_is_refused_with_its_place(tmp_path: Path) -> None:
    columns = {"users": [1, 2, 3], "items": [1, 1, 1], "values": [5, 9, 3]}
    with pytest.raises(OffScale, match="rating 9 is not on the scale 1..5") as refused:
        staged(tmp_path, columns, scale=Scale(1, 5))
    assert refused.value.position == 1


def test_excluded_people_are_gone_and_their_scale_with_them(tmp_path: Path) -> None:
    columns = {"users": [1, 1, 2, 3], "items": [7, 8, 8, 9], "values": [2, 3, 4, 10]}
    whole = Ratings.from_columns(**columns).without_users([3])
    found = staged(tmp_path, columns, excluded=("3",))
    assert everyone(found).equals(whole)
    assert str(found.scale) == str(whole.scale)
    (tmp_path / "more").mkdir()
    with pytest.raises(InputError, match="1 of 2 users are not in the data, first 'x'"):
        staged(tmp_path / "more", columns, excluded=("x", 1))


def test_data_without_values_are_implicit(tmp_path: Path) -> None:
    columns = {"users": [1, 1, 2], "items": [7, 8, 8]}
    assert everyone(staged(tmp_path, columns)).equals(Ratings.from_columns(**columns))
