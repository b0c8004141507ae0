"""What all methods share that publish a table with one row for each person."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.methods.base import Applied, Method
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Labels, Ratings
from recloak.release import RatingsRelease
from recloak.secret import Secret

_UNITS = {"year": "1y", "quarter": "1q", "month": "1mo"}


class TableParameters(Parameters):
    """Parameters of every method that publishes a table of ratings."""

    times: Literal["drop", "year", "quarter", "month"] = "drop"
    """What becomes of the times of ratings: dropped, or coarsened to the start of the year,
    quarter or month. Even coarse times help an adversary."""


class TableMethod(Method):
    """Changes values, gives new names and publishes one row for each person."""

    Parameters: ClassVar[type[Parameters]] = TableParameters
    parameters: TableParameters

    @abstractmethod
    def changed(self, ratings: Ratings, randomness: Randomness, progress: Progress) -> Ratings:
        """The ratings with their new values, people still in the original order."""

    def names(self, ratings: Ratings, randomness: Randomness) -> Labels:
        """A new name for each person: random, unrelated to the old one and to its place."""
        return randomness.stream("pseudonyms").pseudonyms(ratings.n_users)

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        drawn = randomness or Randomness.from_entropy()
        times = self._coarse_times(ratings)
        changed = self.changed(ratings.without_times(), drawn, progress)
        names = self.names(ratings, drawn)
        with progress.task("Ordering rows by their new names", 1) as task:
            tidy = changed.with_values(changed.scale.canonical(changed.values))
            rows = _with_times(tidy, times).relabel_users(names)
            task.advance()
        said = "dropped" if times is None else f"coarsened to the {self.parameters.times}"
        manifest = self.manifest(rows, drawn, RatingsRelease.kind, said)
        secret = Secret(
            release_id=manifest.release_id,
            root=drawn.root,
            user_labels=ratings.user_labels,
            owners=np.arange(ratings.n_users),
            pseudonyms=names,
        )
        return Applied(RatingsRelease(manifest, rows), secret)

    def _coarse_times(self, ratings: Ratings) -> NDArray[np.int64] | None:
        if ratings.times is None or self.parameters.times == "drop":
            return None
        moments = pl.from_epoch(pl.Series(ratings.times), time_unit="s")
        return moments.dt.truncate(_UNITS[self.parameters.times]).dt.epoch("s").to_numpy()


def _with_times(ratings: Ratings, times: NDArray[np.int64] | None) -> Ratings:
    return ratings if times is None else replace(ratings, times=times)
