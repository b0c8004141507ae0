"""Publishing the same ratings in memory and on disk, for tests that compare the two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.ratings import Ratings
from recloak.publishing.published import Published
from recloak.publishing.run import publish
from recloak.simulation import synthesize
from tests.support.block_recipes import SEED


def timed_ratings() -> Ratings:
    """A few thousand ratings with times."""
    ratings = synthesize("ml-1m", users=150, items=120, ratings=4_000, seed=1)
    times = 978_300_000 + np.random.default_rng(1).integers(0, 10**8, ratings.n_ratings)
    return Ratings.from_columns(*_columns(ratings), times)


def _columns(ratings: Ratings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    users, items = ratings.user_labels[ratings.user_codes()], ratings.item_labels[ratings.items]
    return users, items, ratings.values


def written(ratings: Ratings, folder: Path, *, text: bool) -> Path:
    """A CSV file in no order; names are numbers or text."""
    table = ratings.to_polars().sample(fraction=1, shuffle=True, seed=3)
    if text:
        table = table.with_columns(
            pl.format("u{}", "user").alias("user"), item="i" + pl.col.item.cast(str)
        )
    table.write_csv(folder / "ratings.csv")
    return folder / "ratings.csv"


def both(source: Any, method: str, out: Path, **options: Any) -> tuple[Published, Published]:
    """What memory and disk publish under the same seed."""
    given = {"seed": SEED, "audited": False, **options}
    return (
        publish(source, method, out=out / "memory", engine="memory", **given),
        publish(source, method, out=out / "disk", engine="disk", **given),
    )
