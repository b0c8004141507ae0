"""Method `microaggregation`: people in groups of at least k, each group published as its mean."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.clustering import CLUSTERINGS, Clustering, Groups, Imputation, Points
from recloak.clustering.binned import Binned, BinPlan
from recloak.core.arrays import Codes, Floats, Integers
from recloak.core.claim import Claim
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.methods._blocks import sample_of
from recloak.methods._groups import (
    GroupParameters,
    GroupProfiles,
    HomeGroups,
    grouped,
    joined_profiles,
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

    def why_not_by_blocks(self) -> str | None:
        given = self.parameters
        if given.clustering != "binned":
            return f"clustering = {given.clustering} compares all people, binned does not"
        if given.imputation == "user-mean":
            return "imputation = user-mean fills every cell"
        return None

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        given, drawn = self.parameters, randomness or Randomness.from_entropy()
        self.refuse(ratings)
        if given.clustering == "binned":
            sample = sample_of(ratings, PeopleDraws.of(drawn, ratings.user_labels))
            plan = self.learn(sample, ratings.n_users, drawn, progress)
            points = self._points(ratings, plan, progress)
            labels = Binned().cluster_by(plan, points, given.k, progress)
        else:
            points = Points.of(ratings, given.imputation, progress, least=given.k)
            labels = self.clustering().partition(points, given.k, progress)
        profiles = self._profiles(ratings.scale, points, Groups.of(labels), progress)
        return self.grouped(ratings, labels, profiles, points.base, drawn)

    def refuse(self, ratings: Ratings | RatingsElsewhere) -> None:
        """Refuse ratings that cannot be grouped as it is asked for."""
        refuse_without_values(ratings, self.name)
        refuse_impossible(ratings, self.parameters)

    def learn(
        self, sample: Ratings, n_users: int, drawn: Randomness, progress: Progress
    ) -> BinPlan:
        """With clustering binned: where bins lie, from a sample of so many people, or from all."""
        given = self.parameters
        points = Points.of(sample, given.imputation, progress, least=given.k)
        order = PeopleDraws.of(drawn, sample.user_labels).order("bins")
        return Binned().plan(points, n_users, given.k, progress, order)

    def homes(self, rows: Ratings, plan: BinPlan) -> Codes:
        """Where people belong; those of one home are grouped among themselves."""
        return plan.homes(Points.in_space(plan.space, rows))

    def groups_of_home(self, rows: Ratings, plan: BinPlan) -> HomeGroups:
        """The groups of the people of one home, who are in the order of their names."""
        points = Points.in_space(plan.space, rows)
        labels = Binned().cluster_by(plan, points, self.parameters.k, SILENT)
        profiles = self._profiles(rows.scale, points, Groups.of(labels), SILENT)
        return HomeGroups(labels, profiles)

    def grouped(
        self,
        ratings: Ratings | RatingsElsewhere,
        labels: Integers,
        profiles: GroupProfiles,
        base: Floats,
        drawn: Randomness,
    ) -> Applied:
        """The release of groups with these profiles; ``base`` is what stands for a missing cell."""
        given = self.parameters
        scale = published_scale(ratings.scale, profiles.values, self._grid(ratings.scale))
        implied = base if given.imputation != "user-mean" else None
        return grouped(self, ratings, labels, profiles, implied, scale, given.publish, drawn)

    def _points(self, ratings: Ratings, plan: BinPlan, progress: Progress) -> Points:
        if self.parameters.imputation == "user-mean":
            return Points.of(ratings, "user-mean", progress, least=self.parameters.k)
        return Points.in_space(plan.space, ratings, progress)

    def _grid(self, scale: Scale) -> float:
        if self.parameters.grid:
            return self.parameters.grid
        step = scale.step
        return step if self.parameters.rounding == "step" and step is not None else 0.0

    def _profiles(
        self, scale: Scale, points: Points, groups: Groups, progress: Progress
    ) -> GroupProfiles:
        """The means of the groups as they are published; what is implied is left out."""
        parts, blocks = [], groups.blocks(points)
        with progress.task("Averaging the groups", len(blocks)) as task:
            for first, end in blocks:
                found = groups.profiles(points, first, end)
                values = on_grid(found.values, scale, self._grid(scale))
                published = found.raters >= self.parameters.floor
                if self.parameters.imputation != "user-mean":
                    published &= values != points.base[found.items].astype(np.float32)
                parts.append(
                    without_cells(GroupProfiles(found.offsets, found.items, values), published)
                )
                task.advance()
        return joined_profiles(parts)
