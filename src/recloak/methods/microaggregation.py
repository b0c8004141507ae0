"""Method `microaggregation`: people in groups of at least k, each group published as its mean."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.clustering import CLUSTERINGS, Clustering, Groups, Imputation, Points
from recloak.core.arrays import offsets_from
from recloak.core.claim import Claim
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods._groups import (
    GroupParameters,
    GroupProfiles,
    grouped,
    most_ratings_of_groups,
    on_grid,
    published_scale,
    refuse_impossible,
    refuse_without_values,
    without_cells,
)
from recloak.methods.base import Applied, Method


class MicroaggregationParameters(GroupParameters):
    """How people are put into groups, and what the profiles look like."""

    clustering: Literal["refined", "mdav", "variable", "binned"] = "refined"
    """refined starts from mdav and moves people between groups while the loss falls, in bins of
    people near each other if there are more than 30,000; mdav is the paper's; variable lets groups
    grow (V-MDAV); binned makes bins of any number of people and is faster."""

    gamma: float = Field(default=0.2, ge=0, le=100)
    """With clustering variable: how readily groups grow; 0 keeps them at k."""

    imputation: Imputation = "midpoint"
    """What stands for a missing rating while people are compared and averaged."""

    rounding: Literal["none", "step"] = "none"
    """Publish means as they are, or rounded to the steps of the scale."""


class Microaggregation(Method):
    """Replaces everyone's ratings by the mean of their group of at least k people.

    Missing ratings count as the middle of the scale (or what ``imputation`` says); a cell of a
    profile that nobody in the group rated is implied and not stored.
    """

    name: ClassVar[str] = "microaggregation"
    summary: ClassVar[str] = "Groups of at least k people share one profile, the mean of theirs."
    promise: ClassVar[str] = (
        "k-anonymity: nobody can be told from k − 1 others. A profile tells of its group; "
        "yet a cell that one member rated can be read back unless floor and grid hide it."
    )
    reference: ClassVar[str] = (
        "Casino, Domingo-Ferrer, Patsakis, Puig, Solanas: A k-Anonymous Approach to Privacy "
        "Preserving Collaborative Filtering. JCSS 2015."
    )
    Parameters: ClassVar[type[Parameters]] = MicroaggregationParameters
    parameters: MicroaggregationParameters

    def claims(self) -> list[Claim]:
        return [Claim("k-anonymity", {"k": self.parameters.k})]

    def most_ratings(self, ratings: Ratings) -> int:
        return most_ratings_of_groups(ratings, self.parameters.k)

    def clustering(self) -> Clustering:
        """The chosen way to put people into groups."""
        chosen = CLUSTERINGS.get(self.parameters.clustering)
        if self.parameters.clustering == "variable":
            return chosen(gain_factor=self.parameters.gamma)
        return chosen()

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        given, drawn = self.parameters, randomness or Randomness.from_entropy()
        refuse_without_values(ratings, self.name)
        refuse_impossible(ratings, given)
        points = Points.of(ratings, given.imputation, progress, least=given.k)
        labels = self.clustering().partition(points, given.k, progress)
        profiles = self._profiles(ratings, points, Groups.of(labels), progress)
        scale = published_scale(ratings.scale, profiles.values, self._grid(ratings))
        implied = points.base if given.imputation != "user-mean" else None
        return grouped(self, ratings, labels, profiles, implied, scale, given.publish, drawn)

    def _grid(self, ratings: Ratings) -> float:
        if self.parameters.grid:
            return self.parameters.grid
        step = ratings.scale.step
        return step if self.parameters.rounding == "step" and step is not None else 0.0

    def _profiles(
        self, ratings: Ratings, points: Points, groups: Groups, progress: Progress
    ) -> GroupProfiles:
        """The means of the groups as they are published; what is implied is left out."""
        parts, blocks = [], groups.blocks(points)
        with progress.task("Averaging the groups", len(blocks)) as task:
            for first, end in blocks:
                found = groups.profiles(points, first, end)
                values = on_grid(found.values, ratings.scale, self._grid(ratings))
                published = found.raters >= self.parameters.floor
                if self.parameters.imputation != "user-mean":
                    published &= values != points.base[found.items].astype(np.float32)
                parts.append(
                    without_cells(GroupProfiles(found.offsets, found.items, values), published)
                )
                task.advance()
        return _joined(parts)


def _joined(parts: list[GroupProfiles]) -> GroupProfiles:
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return GroupProfiles(
        offsets_from(counts),
        np.concatenate([part.items for part in parts]),
        np.concatenate([part.values for part in parts]),
    )
