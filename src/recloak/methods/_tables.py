"""What all methods share that publish a table of ratings, with one row or more for each person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl

from recloak.core.arrays import Indices, Integers, Labels
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.base import Applied, Method
from recloak.releases.ratings import RatingsRelease
from recloak.releases.secret import Secret

_UNITS = {"year": "1y", "quarter": "1q", "month": "1mo"}


class TableParameters(Parameters):
    """Parameters of every method that publishes a table of ratings."""

    times: Literal["drop", "year", "quarter", "month"] = "drop"
    """What becomes of the times of ratings: dropped, or coarsened to the start of the year,
    quarter or month. Even coarse times help an adversary."""


class OwnedRows(NamedTuple):
    """Rows before they get their names, and the person (code) that owns each, ascending.

    ``chooser`` gives the row that predicts for each person and item where a person has several.
    ``founders`` are the items (codes) that the rows were made around, if there are such.
    """

    rows: Ratings
    owners: Integers
    chooser: Callable[[Indices, Indices], Indices] | None = None
    founders: Indices | None = None


def one_row_each(rows: Ratings) -> OwnedRows:
    """Rows of which each is that of one person, in their order."""
    return OwnedRows(rows, np.arange(rows.n_users))


class TableMethod(Method):
    """Changes values or splits rows, gives new names and publishes the table.

    A method with one row for each person implements `changed`, any other `split_rows`; one that can
    run by blocks of people inherits `BlockMethod` instead.
    """

    Parameters: ClassVar[type[Parameters]] = TableParameters
    parameters: TableParameters

    def changed(self, ratings: Ratings, randomness: Randomness, progress: Progress) -> Ratings:
        """The ratings with their new values, people still in the original order."""
        raise NotImplementedError

    def split_rows(self, ratings: Ratings, randomness: Randomness, progress: Progress) -> OwnedRows:
        """The rows to be published, in an order that follows from the original."""
        return one_row_each(self.changed(ratings, randomness, progress))

    def names(self, ratings: Ratings, owners: Integers, randomness: Randomness) -> Labels:
        """A new name for each row: random, unrelated to its person and to its place."""
        counts = np.bincount(owners, minlength=ratings.n_users)
        return PeopleDraws.of(randomness, ratings.user_labels).pseudonyms(counts, "pseudonyms")

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        drawn = randomness or Randomness.from_entropy()
        coarse = self.coarse(ratings)
        rows, owners, chooser, founders = self.split_rows(coarse, drawn, progress)
        names = self.names(ratings, owners, drawn)
        with progress.task("Ordering rows by their new names", 1) as task:
            rows = rows.with_values(rows.scale.canonical(rows.values)).relabel_users(names)
            task.advance()
        manifest = self.manifest(rows, drawn, RatingsRelease.kind, self.times_of(rows))
        secret = Secret(
            release_id=manifest.release_id,
            root=drawn.root,
            user_labels=ratings.user_labels,
            owners=owners,
            pseudonyms=names,
            chooser=chooser,
            founders=None if founders is None else ratings.item_labels[founders],
        )
        return Applied(RatingsRelease(manifest, rows), secret)

    def coarse(self, ratings: Ratings) -> Ratings:
        """The ratings with their times as they are published."""
        return replace(ratings, times=self.coarse_times(ratings))

    def times_of(self, rows: Ratings) -> str:
        """What the manifest says of the times of the rows."""
        return "dropped" if rows.times is None else f"coarsened to the {self.parameters.times}"

    def coarse_times(self, ratings: Ratings) -> Integers | None:
        """The times of ratings as they are published; None if they are dropped or not known."""
        if ratings.times is None or self.parameters.times == "drop":
            return None
        moments = pl.from_epoch(pl.Series(ratings.times), time_unit="s")
        return moments.dt.truncate(_UNITS[self.parameters.times]).dt.epoch("s").to_numpy()
