"""Methods by blocks of people: what everyone shares is learnt once, the rest is made part by part.

An engine only moves blocks. One that holds all ratings in memory hands them over as a single part.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.methods._tables import OwnedRows, TableMethod

SAMPLE_RATINGS = 1 << 25
"""What is learnt from ratings comes from the people of a keyed sample with so many at most."""


@dataclass(frozen=True)
class Statistics:
    """What is known of all ratings together; sums of whole numbers, so that no order shows."""

    scale: Scale
    item_support: Integers
    n_users: int
    n_ratings: int

    @classmethod
    def of(cls, ratings: Ratings) -> Statistics:
        """Those of ratings in memory."""
        return cls(ratings.scale, ratings.item_support, ratings.n_users, ratings.n_ratings)


class BlockMethod(TableMethod):
    """A method whose rows follow, for each person, from what all share and from their own ratings.

    It implements `learn` and `part`. Both must be pure: an engine may call `part` for any people
    together, in any order and again. As many ratings are published as are given.
    """

    needs_sample: ClassVar[bool] = False
    """Does `learn` look at the sample? Else an engine may hand over one of nobody."""

    @abstractmethod
    def learn(
        self, statistics: Statistics, sample: Ratings, randomness: Randomness, progress: Progress
    ) -> Any:
        """What all parts share, from what is known of all ratings and from a sample of people.

        The sample is everyone where ratings are not so many, or the method needs all people.
        """

    @abstractmethod
    def part(
        self, rows: Ratings, shared: Any, people: PeopleDraws, progress: Progress
    ) -> OwnedRows:
        """The rows to be published of some people; ``people`` is where their draws come from."""

    def why_not_by_blocks(self) -> str | None:
        """Why it needs all people at once with these parameters; None if it does not."""
        return None

    def split_rows(self, ratings: Ratings, randomness: Randomness, progress: Progress) -> OwnedRows:
        people = PeopleDraws.of(randomness, ratings.user_labels)
        sample = ratings if self.why_not_by_blocks() else sample_of(ratings, people)
        shared = self.learn(Statistics.of(ratings), sample, randomness, progress)
        return self.part(ratings, shared, people, progress)


def sample_of(
    ratings: Ratings | RatingsElsewhere, people: PeopleDraws, most: int | None = None
) -> Ratings:
    """The ratings of a keyed sample of people, or all if they are no more; in memory then."""
    most = SAMPLE_RATINGS if most is None else most
    whole = ratings.n_ratings <= most
    if isinstance(ratings, Ratings) and whole:
        return ratings
    sampled = np.arange(ratings.n_users) if whole else people.sample(ratings.user_counts, most)
    if isinstance(ratings, Ratings):
        return ratings.take_users(sampled)
    return ratings.of_people(sampled)
