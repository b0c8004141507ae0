"""Releases to extend, and what is in them before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.ratings import Ratings
from recloak.publishing.extend import extend
from recloak.publishing.published import Published
from recloak.releases.base import open_release
from recloak.releases.secret import Lock, Secret, open_secret

KEY = Lock("key file", b"k" * 32)
MANY = {"fragments": 3, "target_support": 12}


def later_ones(ratings: Ratings) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """A fifth of the ratings of every third person, and all of every tenth."""
    user = ratings.user_codes()
    drawn = np.random.default_rng(8).random(len(ratings)) < 0.2
    return np.asarray(((user % 3 == 0) & drawn) | (user % 10 == 5))


def secret_of(folder: Path, name: str = "r") -> Secret:
    return open_secret(folder / f"{name}.secret", KEY)


def extended(folder: Path, fresh: Ratings, **options: Any) -> Published:
    given: dict[str, Any] = {
        "out": folder / "n",
        "keep_secret": folder / "n.secret",
        "lock": KEY,
        "seed": 2,
    }
    given |= {"audited": False, "at_least": 1, "rows_per_person": 0, "secret": secret_of(folder)}
    return extend(folder / "r", fresh, **(given | options))


def by_row(ratings: Ratings) -> dict[int, dict[Any, float]]:
    return {
        int(name): dict(zip(ratings.item_labels[items], values.tolist(), strict=True))
        for at, name in enumerate(ratings.user_labels)
        for items, values in [ratings.row(at)]
    }


def rows_before_and_after(
    folder: Path, made: Published
) -> tuple[dict[int, dict[Any, float]], dict[int, dict[Any, float]]]:
    return by_row(open_release(folder / "r").as_ratings()), by_row(made.release.as_ratings())


def by_person(rows: Ratings, secret: Secret) -> pl.DataFrame:
    """The ratings of a release under the people's own names."""
    names = secret.table().rename({"pseudonym": "user", "user": "person"})
    joined = rows.to_polars().join(names, on="user")
    return joined.select(pl.col("person").alias("user"), "item", "rating").sort("user", "item")
