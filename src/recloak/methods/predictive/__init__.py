"""Method `predictive`: people in groups of at least k by what they would rate, one profile each."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from recloak.clustering import Groups, Sketch
from recloak.core.arrays import Integers
from recloak.core.claim import Claim
from recloak.core.errors import InputError
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
    grouped,
    most_ratings_of_groups,
    on_grid,
    published_scale,
    refuse_impossible,
    refuse_without_values,
)
from recloak.methods.base import Applied, Method
from recloak.methods.predictive._cells import GroupCells, all_cells, rated_cells
from recloak.methods.predictive._diversity import DiversityCost, diversified
from recloak.methods.predictive._folding import LearntItems
from recloak.methods.predictive.bounded_groups import bounded_groups
from recloak.methods.predictive.padding import Directions, Padding, pad
from recloak.recommenders.factorization import factorized

USUAL_FLOOR = 3
CELLS_PER_BLOCK = 10_000_000


class PredictiveParameters(GroupParameters):
    """How many share a profile, what it tells, and how far few items may point to a group."""

    mode: Literal["pure", "padded"] = "pure"
    """pure lists the items that any member rated, with the mean of those who did; padded lists
    every item, with the mean of what the members rated or would have rated."""

    floor: int = Field(default=USUAL_FLOOR, ge=0)
    """With mode pure: where fewer members rated an item, the value is the mean of what all
    members rated or would have rated; 0 and 1 publish single ratings as they are. Not given: 3,
    or k if that is less."""

    grid: float | None = Field(default=None, ge=0, le=1e6)
    """Round all values of profiles to one grid of this step, so that a value does not tell how
    many people it is the mean of; 0 publishes them as they are. Not given: half a step of the
    scale, or a hundredth of a continuous one."""

    l: int = Field(default=1, ge=1)  # noqa: E741 - the paper's name
    """Any b items that someone rated are those of at least this many groups; 1 requires nothing."""

    b: int = Field(default=1, ge=1)
    """For how many items at once that holds. From 2 on groups are given common items, which
    multiplies what is published."""

    most_density: float = Field(default=1.0, gt=0, le=1)
    """Refuse if diversity would fill more than this share of all cells of people and items."""

    centres: Literal["virtual", "real"] = "virtual"
    """What neighbourhoods are built around: means of people, or people; the latter makes
    neighbourhoods of very different sizes."""

    @model_validator(mode="before")
    @classmethod
    def _floor_within_k(cls, values: Any) -> Any:
        """So that a release states the floor that was used."""
        if isinstance(values, dict) and values.get("floor") is None:
            return {**values, "floor": _usual_floor(values.get("k", USUAL_FLOOR))}
        return values


class PredictivePlan(NamedTuple):
    """What people of a release share where they are too many to learn from all of them.

    Directions follow from the items, and are the same for all who compare people by them.
    """

    items: LearntItems
    directions: Directions


class Predictive(Method):
    """Replaces everyone's ratings by the profile of their group of k to 2k − 1 people.

    A factorisation predicts what everyone would have rated; people whose predicted rows lie near
    each other form a group. All members get the same items with the same values.

    The paper also promises that nobody learns with a confidence above 1 / k that a person rated
    an item of their profile. That rests on independence, which ratings do not have, and is not
    claimed here: the attack `link-existence` measures it.
    """

    name: ClassVar[str] = "predictive"
    summary: ClassVar[str] = "Groups of people with like predicted ratings share one profile."
    promise: ClassVar[str] = (
        "k-anonymity: nobody can be told from k − 1 others. With l above 1 also diversity: b items "
        "alone do not point to fewer than l groups. How likely a member rated an item of the "
        "profile is not bounded; a missing item shows that no member rated it."
    )
    reference: ClassVar[str] = (
        "Chang, Thompson, Wang, Yao: Towards Publishing Recommendation Data With Predictive "
        "Anonymization. ASIACCS 2010."
    )
    Parameters: ClassVar[type[Parameters]] = PredictiveParameters
    parameters: PredictiveParameters

    def claims(self) -> list[Claim]:
        given = self.parameters
        claimed = [Claim("k-anonymity", {"k": given.k})]
        if given.l > 1:
            claimed.append(Claim("diversity", {"b": given.b, "l": given.l}))
        return claimed

    def most_ratings(self, ratings: Ratings) -> int:
        if self.parameters.mode == "padded" or self.parameters.l > 1:
            return ratings.n_users * ratings.n_items
        return most_ratings_of_groups(ratings, self.parameters.k)

    def why_not_by_blocks(self) -> str | None:
        if self.parameters.mode == "padded":
            return "mode = padded lists every item of every group"
        if self.parameters.l > 1:
            return f"diversity (l = {self.parameters.l}) gives groups items of others"
        return None

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        drawn = randomness or Randomness.from_entropy()
        self.refuse(ratings)
        people = PeopleDraws.of(drawn, ratings.user_labels)
        sample = sample_of(ratings, people)
        if sample is ratings or self.why_not_by_blocks():
            padding = pad(ratings, _seed(drawn), progress)
        else:
            learnt = self.learn(sample, drawn, progress)
            padding = Padding.folded(ratings, learnt.items, progress)
        rows = padding.rows(progress)
        labels = self.labels(rows, people, progress)
        groups = Groups.of(labels)
        cells, notes = self._cells(ratings, groups, rows, people, progress)
        profiles = self._profiles(cells, padding, groups, ratings.scale, progress)
        return self.grouped(ratings, labels, profiles, drawn)._replace(notes=notes)

    def learn(self, sample: Ratings, drawn: Randomness, progress: Progress) -> PredictivePlan:
        """What is learnt of items, from a sample of people."""
        items = LearntItems.of(factorized(sample, progress, seed=_seed(drawn)), sample)
        nobody = sample.take_users(np.empty(0, np.int64))
        return PredictivePlan(items, Padding.folded(nobody, items).directions)

    def places(self, rows: Ratings, plan: PredictivePlan) -> Sketch:
        """Where the padded rows of people lie, by what was learnt of items from others."""
        return Padding.folded(rows, plan.items).rows(directions=plan.directions)

    def profiles_of(self, rows: Ratings, labels: Integers, plan: PredictivePlan) -> GroupProfiles:
        """The profiles of whole groups, which count from 0; the same as among all people."""
        groups, padding = Groups.of(labels), Padding.folded(rows, plan.items)
        cells = rated_cells(rows, groups, self.parameters.floor, SILENT)
        return self._profiles(cells, padding, groups, rows.scale, SILENT)

    def grouped(
        self,
        ratings: Ratings | RatingsElsewhere,
        labels: Integers,
        profiles: GroupProfiles,
        drawn: Randomness,
    ) -> Applied:
        """The release of groups with these profiles."""
        scale = published_scale(ratings.scale, profiles.values, self.grid_for(ratings.scale))
        publish = self.parameters.publish
        return grouped(self, ratings, labels, profiles, None, scale, publish, drawn)

    def _profiles(
        self,
        cells: GroupCells,
        padding: Padding,
        groups: Groups,
        scale: Scale,
        progress: Progress,
    ) -> GroupProfiles:
        grid, values = self.grid_for(scale), cells.padded(padding, groups, progress)
        for start in range(0, len(values), CELLS_PER_BLOCK):
            here = slice(start, start + CELLS_PER_BLOCK)
            values[here] = on_grid(values[here].astype(np.float64), scale, grid)
        return GroupProfiles(cells.offsets, cells.items, values)

    def labels(self, rows: Sketch, people: PeopleDraws, progress: Progress) -> Integers:
        """The group of each person, by where their padded rows lie."""
        given = self.parameters
        return bounded_groups(rows, given.k, people.order("sample"), given.centres, progress)

    def grid_for(self, scale: Scale) -> float:
        """The step of published values; 0 for none."""
        asked = self.parameters.grid
        return scale.tolerance if asked is None else asked

    def _cells(
        self,
        ratings: Ratings,
        groups: Groups,
        rows: Sketch,
        people: PeopleDraws,
        progress: Progress,
    ) -> tuple[GroupCells, tuple[str, ...]]:
        """Which items each group has, those for diversity included, and notes on their cost.

        The cost is shown and compared with what is allowed before values are computed.
        """
        given = self.parameters
        _refuse_too_few(groups.count, given.l)
        if given.mode == "padded":
            return all_cells(groups, ratings.n_items), ()
        cells = rated_cells(ratings, groups, given.floor, progress)
        if given.l == 1:
            return cells, ()
        items = ratings.item_labels
        wider = diversified(cells, groups, rows, given.b, given.l, items, people, progress)
        cost = DiversityCost.of(cells, wider, groups.sizes, len(items))
        self._refuse_cost(cost)
        with progress.task(f"Diversity: {cost}", 1) as task:
            task.advance()
        return wider, (f"the price of diversity: {cost}",)

    def refuse(self, ratings: Ratings | RatingsElsewhere) -> None:
        """Refuse ratings that cannot be grouped as it is asked for."""
        given = self.parameters
        refuse_without_values(ratings, self.name)
        refuse_impossible(ratings, given)
        if ratings.scale.span == 0:
            raise InputError(
                f"every rating is {ratings.scale.low:g}: there is nothing to predict",
                where=f"method {self.name}",
                hint="If the data only tell who has seen what, choose a method for implicit data.",
            )
        _refuse_too_few(ratings.n_users // given.k, given.l)
        if given.b > 1 and given.l == 1:
            raise InputError(
                f"b = {given.b} has no effect without l",
                where="--b",
                hint="Say with --l how many groups must hold any b items, or leave --b out.",
            )
        longest = int(ratings.user_counts.max(initial=0))
        if given.l > 1 and given.b > longest:
            raise InputError(
                f"nobody rated b = {given.b} items; the most that anyone rated is {longest:,}",
                where="--b",
                hint="Ask for diversity of fewer items.",
            )

    def _refuse_cost(self, cost: DiversityCost) -> None:
        if cost.density > self.parameters.most_density:
            raise InputError(
                f"diversity would cost {cost}; at most {self.parameters.most_density:.1%} is "
                "allowed",
                where="--most-density",
                hint="Ask for a smaller l or b, a larger k, or allow more.",
            )


def _seed(drawn: Randomness) -> int:
    return int(drawn.generator("padding").integers(2**31))


def _usual_floor(k: Any) -> int:
    """The floor if none is asked for; k comes as it was written, and may be no number at all."""
    try:
        return int(min(max(float(k), 0), USUAL_FLOOR))
    except (TypeError, ValueError):
        return USUAL_FLOOR


def _refuse_too_few(groups: int, wanted: int) -> None:
    if wanted > groups > 0:
        raise InputError(
            f"there are {groups:,} groups, fewer than l = {wanted:,}",
            where="--l",
            hint="Ask for a smaller l, or for a smaller k so that there are more groups.",
        )
