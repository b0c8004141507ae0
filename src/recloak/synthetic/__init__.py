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
"""

from __future__ import annotations

import difflib

import numpy as np

from recloak.errors import ParameterError
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.synthetic.blocks import Scorer, draw_block, make_scorer
from recloak.synthetic.likes import LIKES, Like, Rhythm
from recloak.synthetic.plan import Plan, make_plan
from recloak.synthetic.sizes import check_memory, resize

__all__ = ["LIKES", "Like", "Rhythm", "synthesize"]

_BLOCK_USERS = 4096


def synthesize(
    like: str,
    *,
    users: int | None = None,
    items: int | None = None,
    ratings: int | None = None,
    seed: int | str | None = None,
    progress: Progress = SILENT,
) -> Ratings:
    """Make up ratings like those of a known data set.

    ``like`` names the model (`LIKES`). Sizes that are left out follow those that are given:
    ratings per user stay as they are, items grow more slowly than ratings. The numbers of users,
    items and ratings are met exactly; everyone rates something, and where there are as many
    ratings as items, everything is rated. The same seed makes the same ratings.

    >>> synthesize("ml-100k", users=50, seed=1).n_users
    50
    """
    sized = resize(_named(like), users, items, ratings)
    randomness = Randomness.from_seed(seed)
    check_memory(sized)
    plan = make_plan(sized, randomness)
    return _run(plan, make_scorer(plan, randomness), randomness, progress)


def _named(name: str) -> Like:
    if name in LIKES:
        return LIKES[name]
    near = difflib.get_close_matches(name, LIKES, n=1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    raise ParameterError(
        f"there is nothing to be like called '{name}'",
        where="like",
        hint=f"{guess}Known: {', '.join(LIKES)}.",
    )


def _run(plan: Plan, scorer: Scorer, randomness: Randomness, progress: Progress) -> Ratings:
    """Fill the ratings block by block; each block has a random stream of its own."""
    like = plan.like
    items = np.empty(like.ratings, np.int32)
    values = np.empty(like.ratings, np.float32)
    times = np.empty(like.ratings if like.rhythm else 0, np.int64)
    with progress.task("making ratings", like.ratings) as task:
        for block, first in enumerate(range(0, like.users, _BLOCK_USERS)):
            last = min(first + _BLOCK_USERS, like.users)
            drawn = draw_block(plan, first, last, randomness.generator("block", block))
            here = slice(plan.offsets[first], plan.offsets[last])
            items[here], values[here] = drawn.items, scorer.values(drawn.scores)
            if like.rhythm:
                times[here] = drawn.times
            task.advance(len(drawn.items))
    return Ratings(
        offsets=plan.offsets,
        items=items,
        values=values,
        scale=like.scale,
        user_labels=np.arange(1, like.users + 1),
        item_labels=np.arange(1, like.items + 1),
        times=times if like.rhythm else None,
    )
