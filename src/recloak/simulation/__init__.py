"""Realistic made-up ratings of any size, for demonstrations, tests and benchmarks.

Measured at the default sizes with seed 1, real / made up (RMSE on a random tenth held out):

==============================================  ===========  ===========  ===========
figure                                          ml-100k      ml-1m        jester
==============================================  ===========  ===========  ===========
Gini of users                                   .472 / .458  .529 / .522  .171 / .185
Gini of items                                   .629 / .632  .634 / .637  .194 / .189
share of ratings of the top tenth of users      .319 / .330  .381 / .374  .138 / .138
share of ratings of the top tenth of items      .427 / .423  .444 / .433  .138 / .138
RMSE of the item mean                           1.03 / 1.04  .976 / .976  4.99 / 4.93
RMSE of user and item biases                    .937 / .940  .906 / .898  4.34 / 4.30
RMSE of a biased factorisation                  .927 / .931  .861 / .856  4.13 / 4.08
singled out by 4 random items                   .101 / .058  .021 / .017  0 / 0
... with their values                           .899 / .901  .694 / .727  .981 / .992
... with values, times within 14 days           .983 / .981  .924 / .966
... with values, their 4 least rated items      .990 / .995  .983 / .994
==============================================  ===========  ===========  ===========

Of Book-Crossing the sizes and the tails are public: 899 / 978 people with 200 ratings or more, and
a median of one rating for people as for books. Its tastes were not measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Codes, Integers, Values
from recloak.core.errors import ParameterError, did_you_mean
from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.simulation._blocks import LikingScale, draw_block, make_liking_scale
from recloak.simulation._dataset_models import DATASET_MODELS, DatasetModel, TimeModel
from recloak.simulation._plan import SimulationPlan, make_plan
from recloak.simulation._sizes import check_memory, resize

__all__ = ["DATASET_MODELS", "DatasetModel", "MadeUpRatings", "TimeModel", "synthesize"]

_BLOCK_USERS = 4096


def synthesize(
    like: str,
    *,
    users: int | None = None,
    items: int | None = None,
    ratings: int | None = None,
    seed: int | str | None = None,
    progress: Progress = SHOWN,
) -> Ratings:
    """Make up ratings like those of a known data set.

    Parameters
    ----------
    like
        The data set, one of `DATASET_MODELS`: ``ml-100k``, ``ml-1m``, ``netflix``, ``survey``, …
    users, items, ratings
        The sizes wanted, which are met exactly. Those left out follow those given: ratings per
        user stay as they are, items grow more slowly than ratings.
    seed
        The same seed makes the same ratings; without one, they differ from call to call.
    progress
        Where to report how far the work is.

    Returns
    -------
    Ratings
        Everyone rates something; where there are as many ratings as items, every item is rated.

    Raises
    ------
    ParameterError
        For an unknown data set or sizes that cannot go together.
    MachineError
        If the ratings would not fit into memory.

    Examples
    --------
    >>> import recloak
    >>> recloak.synthesize("ml-100k", users=50, seed=1).n_users
    50
    """
    return MadeUpRatings.like(like, users, items, ratings, seed=seed).whole(progress)


@dataclass(frozen=True, repr=False)
class MadeUpRatings:
    """Ratings that are not made up yet: block by block, there may be more than fit into memory."""

    plan: SimulationPlan
    liking_scale: LikingScale
    randomness: Randomness

    @classmethod
    def like(
        cls,
        like: str,
        users: int | None,
        items: int | None,
        ratings: int | None,
        *,
        seed: int | str | None,
        at_once: bool = True,
    ) -> MadeUpRatings:
        """As `synthesize` makes them; `MachineError` if they would not fit into memory.

        Unless all are made ``at_once``, people, items and one block must fit.
        """
        sized = resize(_model(like), users, items, ratings)
        check_memory(sized, sized.ratings if at_once else 0)
        randomness = Randomness.from_seed(seed)
        plan = make_plan(sized, randomness)
        return cls(plan, make_liking_scale(plan, randomness), randomness)

    @property
    def model(self) -> DatasetModel:
        """How many there will be, and what they are like."""
        return self.plan.model

    def __repr__(self) -> str:
        model = self.model
        sizes = f"{model.ratings:,} ratings of {model.items:,} items by {model.users:,} users"
        density = model.ratings / (model.users * model.items)
        timed = ", with times" if model.time_model else ""
        return f"Ratings({sizes}, scale {model.scale}, density {density:.3%}{timed})"

    def blocks(self, progress: Progress) -> Iterator[Ratings]:
        """Some people at a time; each block has a random stream of its own."""
        model = self.model
        with progress.task("making ratings", model.ratings) as task:
            for block, first in enumerate(range(0, model.users, _BLOCK_USERS)):
                last = min(first + _BLOCK_USERS, model.users)
                rng = self.randomness.generator("block", block)
                rows = draw_block(self.plan, first, last, rng)
                values, times = self.liking_scale.values(rows.scores), rows.times
                yield self._ratings(first, last, rows.items, values, times)
                task.advance(len(rows.items))

    def whole(self, progress: Progress) -> Ratings:
        """All of them in memory."""
        model = self.model
        items = np.empty(model.ratings, np.int32)
        values = np.empty(model.ratings, np.float32)
        times = np.empty(model.ratings if model.time_model else 0, np.int64)
        end = 0
        for block in self.blocks(progress):
            here = slice(end, end + block.n_ratings)
            items[here], values[here] = block.items, block.values
            if block.times is not None:
                times[here] = block.times
            end = here.stop
        return self._ratings(0, model.users, items, values, times)

    def _ratings(
        self, first: int, last: int, items: Codes, values: Values, times: Integers
    ) -> Ratings:
        model, offsets = self.model, self.plan.offsets[first : last + 1]
        return Ratings(
            offsets=offsets - offsets[0],
            items=items,
            values=values,
            scale=model.scale,
            user_labels=np.arange(first + 1, last + 1),
            item_labels=np.arange(1, model.items + 1),
            times=times if model.time_model else None,
        )


def _model(name: str) -> DatasetModel:
    if name in DATASET_MODELS:
        return DATASET_MODELS[name]
    guess = did_you_mean(name, DATASET_MODELS)
    raise ParameterError(
        f"there is no data set called '{name}' to imitate",
        where="like",
        hint=f"{guess}Known: {', '.join(DATASET_MODELS)}.",
    )
