"""A method for tests that gives people several rows: each part of the items is a row of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.base import Applied, Method
from recloak.releases.ratings import RatingsRelease
from recloak.releases.secret import Secret


class SplitByItem(Method):
    """Splits each row into ``parts`` by item; an item's own part predicts for it."""

    name = "split-by-item"
    summary = "Rows split by item."
    promise = "None."

    def __init__(self, parts: int = 2) -> None:
        super().__init__()
        self.parts = parts

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        drawn = randomness or Randomness.from_seed(0)
        part_of = part_of_items(ratings, self.parts)
        keys = ratings.user_codes().astype(np.int64) * self.parts + part_of[ratings.items]
        pieces, owner_of = np.unique(keys, return_inverse=True)
        names = drawn.stream("pseudonyms").pseudonyms(len(pieces))
        rows = Ratings.from_columns(
            names[owner_of], ratings.item_labels[ratings.items], ratings.values, scale=ratings.scale
        )
        manifest = self.manifest(rows, drawn, RatingsRelease.kind)

        def chooser(users: Any, items: Any) -> Any:
            wanted = users * self.parts + part_of[items]
            at = np.minimum(np.searchsorted(pieces, wanted), len(pieces) - 1)
            return np.where((pieces[at] == wanted) & (items >= 0), at, -1)

        secret = Secret(
            manifest.release_id,
            drawn.root,
            ratings.user_labels,
            pieces // self.parts,
            names,
            chooser,
        )
        return Applied(RatingsRelease(manifest, rows), secret)


def part_of_items(ratings: Ratings, parts: int) -> Any:
    """The part that each item belongs to, by its name."""
    return np.array([int(label) % parts for label in ratings.item_labels], dtype=np.int64)
