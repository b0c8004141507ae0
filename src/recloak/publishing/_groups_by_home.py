"""Groups by home: who shares a profile is decided home by home, wherever the ratings are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from recloak.clustering import Sketch
from recloak.clustering.binned import BinPlan
from recloak.core.arrays import Indices, Integers
from recloak.core.parallel import in_threads
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import PeopleBlock, RatingsElsewhere, StagedRatings
from recloak.core.staged_ratings.staging import BUCKETS
from recloak.methods import Applied, GroupProfiles, HomeGroups, joined_profiles, sample_of
from recloak.methods.microaggregation import Microaggregation
from recloak.methods.predictive import Predictive, PredictivePlan
from recloak.publishing._regrouping import regrouped

Grouping = Microaggregation | Predictive
"""Methods that publish groups."""


class FoundHome(NamedTuple):
    """The people of a home (codes), and their groups."""

    people: Indices
    groups: HomeGroups


class Homes(Protocol):
    """Puts people together who are grouped together, wherever their ratings are."""

    def bins(self, recipe: Microaggregation, plan: BinPlan) -> Iterable[FoundHome]:
        """The groups of bin after bin."""

    def places(self, recipe: Predictive, plan: PredictivePlan) -> Sketch:
        """Where the padded row of everyone lies."""

    def predicted(
        self, recipe: Predictive, plan: PredictivePlan, labels: Integers
    ) -> Iterable[FoundHome]:
        """The profiles of groups, of which ``labels`` says who is in which."""


def apply_to_groups(
    recipe: Grouping,
    staged: RatingsElsewhere,
    homes: Homes,
    people: PeopleDraws,
    randomness: Randomness,
    progress: Progress,
) -> Applied:
    """As ``recipe.apply``, of ratings that are not in memory; profiles are."""
    recipe.refuse(staged)
    sample = sample_of(staged, people)
    if isinstance(recipe, Microaggregation):
        bins = recipe.learn(sample, staged.n_users, randomness, progress)
        labels, profiles = _joined(homes.bins(recipe, bins), staged.n_users)
        return recipe.grouped(staged, labels, profiles, bins.space.base, randomness)
    if sample.n_users == staged.n_users:  # then all had to be read to learn from them
        return recipe.apply(sample, randomness, progress)
    plan = recipe.learn(sample, randomness, progress)
    labels = recipe.labels(homes.places(recipe, plan), people, progress)
    labels, profiles = _joined(homes.predicted(recipe, plan, labels), staged.n_users)
    return recipe.grouped(staged, labels, profiles, randomness)


def _joined(homes: Iterable[FoundHome], n_users: int) -> HomeGroups:
    """The groups of all people, who were grouped home by home."""
    labels, groups = np.full(n_users, -1, np.int64), 0
    parts: list[GroupProfiles] = []
    for people, found in homes:
        labels[people] = groups + found.labels
        groups += len(found.profiles.offsets) - 1
        parts.append(found.profiles)
    if (labels < 0).any():
        raise RuntimeError("somebody has no home")
    return HomeGroups(labels, joined_profiles(parts))


def in_order(places: Sequence[tuple[Indices, Sketch]]) -> Sketch:
    """Where everyone lies, in the order of people, of whom codes are given."""
    width = places[0][1].shape[1]
    rows: Sketch = np.empty((sum(len(one) for one, _ in places), width), np.float32)
    for codes, here in places:
        rows[codes] = here
    return rows


def homes_of_groups(labels: Integers, most: int) -> Integers:
    """For each person a home that holds their whole group, of so many homes at most."""
    count = int(labels.max()) + 1
    return labels * min(count, most) // count


def profiles_of_groups(
    recipe: Predictive, ratings: Ratings, labels: Integers, plan: PredictivePlan
) -> HomeGroups:
    """The profiles of whole groups, by labels that count from anywhere."""
    inside = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return HomeGroups(inside, recipe.profiles_of(ratings, inside, plan))


@dataclass(frozen=True)
class HomesOnDisk:
    """Puts people together in files, in a folder."""

    staged: StagedRatings
    folder: Path
    progress: Progress

    def bins(self, recipe: Microaggregation, plan: BinPlan) -> Iterator[FoundHome]:
        home = np.empty(self.staged.n_users, np.int64)
        with self.progress.task("Seeking the bin of everyone", len(self.staged.files)) as task:
            for block in self.staged.blocks():
                home[block.people] = recipe.homes(block.ratings, plan)
                task.advance()
        return self._grouped(home, lambda rows, _: recipe.groups_of_home(rows, plan))

    def places(self, recipe: Predictive, plan: PredictivePlan) -> Sketch:
        found = []
        with self.progress.task("Comparing padded rows", len(self.staged.files)) as task:
            for block in self.staged.blocks():
                found.append((block.people, recipe.places(block.ratings, plan)))
                task.advance()
        return in_order(found)

    def predicted(
        self, recipe: Predictive, plan: PredictivePlan, labels: Integers
    ) -> Iterator[FoundHome]:
        return self._grouped(
            homes_of_groups(labels, BUCKETS),
            lambda rows, codes: profiles_of_groups(recipe, rows, labels[codes], plan),
        )

    def _grouped(
        self, home: Integers, grouped: Callable[[Ratings, Indices], HomeGroups]
    ) -> Iterator[FoundHome]:
        """What is made of each home; homes of one block are worked on side by side."""
        count = int(home.max()) + 1
        block_of = home * min(count, BUCKETS) // count
        blocks = regrouped(self.staged, block_of, self.folder / "homes", self.progress)
        with self.progress.task("Grouping people home by home", count) as task:
            for block in blocks.blocks():
                here = _split(block, home[block.people])

                def one(at: int, _: int, here: list[PeopleBlock] = here) -> FoundHome:
                    codes, ratings = here[at]
                    return FoundHome(codes, grouped(ratings, codes))

                yield from in_threads(one, [(at, at + 1) for at in range(len(here))], task)


def _split(block: PeopleBlock, home: Integers) -> list[PeopleBlock]:
    """The block, home by home."""
    places = [np.flatnonzero(home == one) for one in np.unique(home)]
    return [PeopleBlock(block.people[here], block.ratings.take_users(here)) for here in places]
