"""Method `identity`: the data as they are, to measure the others against."""

from __future__ import annotations

from typing import ClassVar, Literal

from recloak.core.arrays import Integers, Labels
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods._tables import TableMethod


class Identity(TableMethod):
    """Publishes the ratings unchanged, under the original user ids."""

    name: ClassVar[str] = "identity"
    summary: ClassVar[str] = (
        "The data as they are: the baseline that everything is measured against."
    )
    promise: ClassVar[str] = "None. Everyone can be found by name."
    row_ids: ClassVar[Literal["random", "original"]] = "original"
    caveat: ClassVar[str | None] = "the method 'identity' keeps the original user ids"

    def changed(self, ratings: Ratings, randomness: Randomness, progress: Progress) -> Ratings:
        return ratings

    def names(self, ratings: Ratings, owners: Integers, randomness: Randomness) -> Labels:
        return ratings.user_labels
