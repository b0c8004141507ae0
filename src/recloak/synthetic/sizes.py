"""How many users, items and ratings, and how many ratings each user has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recloak import memory
from recloak.errors import ParameterError
from recloak.synthetic.likes import Like

_MOST = {"users": 2**31 - 1, "items": 2**31 - 1, "ratings": 2**40}
_FILLED = 0.5  # an open catalogue is never filled more than this when ratings may be chosen
_MORE_BLOCKS = 0.6  # how many more blocks than one a respondent who skips leaves out, on average


def resize(like: Like, users: int | None, items: int | None, ratings: int | None) -> Like:
    """``like`` with the sizes that were asked for; those left open are scaled to fit them."""
    for name, size in (("users", users), ("items", items), ("ratings", ratings)):
        if size is not None and not 1 <= size <= _MOST[name]:
            limits = f"Between 1 and {_MOST[name]:,}."
            raise ParameterError(f"{size:,} {name} cannot be made", where=name, hint=limits)
    if users is items is ratings is None:
        return like
    if items is None:
        items = _scaled_items(like, users, ratings)
    mean = _mean_per_user(like, items)
    if ratings is None:
        crowd = users or like.users
        ratings = max(round(crowd * mean), crowd, items)
    if users is None:
        users = min(max(round(ratings / mean), -(-ratings // items)), ratings)
    _check(users, items, ratings)
    return replace(like, users=users, items=items, ratings=ratings)


def _scaled_items(like: Like, users: int | None, ratings: int | None) -> int:
    """Items for the ratings wanted: enough that users need not have rated nearly all of them."""
    wanted = ratings or round(like.ratings * (users or like.users) / like.users)
    if like.item_growth == 0:
        return max(like.items, -(-wanted // (users or wanted)))
    scaled = round(like.items * float((wanted / like.ratings) ** like.item_growth))
    per_user = wanted / users if users else like.ratings / like.users
    return max(min(max(scaled, round(per_user / _FILLED)), wanted), 1)


def _mean_per_user(like: Like, items: int) -> float:
    """Ratings per user: as in the original, or fewer where the catalogue is smaller."""
    mean = like.ratings / like.users
    if like.item_growth == 0:
        return max(1.0, mean * items / like.items)
    return max(1.0, min(mean, _FILLED * items))


def _check(users: int, items: int, ratings: int) -> None:
    if users <= ratings <= users * items:
        return
    raise ParameterError(
        f"{ratings:,} ratings are impossible with {users:,} users and {items:,} items",
        where="ratings",
        hint=f"Everyone rates something and nothing twice: {users:,} to {users * items:,} ratings.",
    )


def check_memory(like: Like) -> None:
    """Refuse before the start what this machine could never hold: the system would kill us."""
    periods = like.rhythm.periods if like.rhythm else 1
    per_item = like.groups * (12 * periods + 32)
    needed = 17 * like.ratings + 150 * like.users + per_item * like.items
    memory.need(needed, f"making {like.ratings:,} ratings")


def user_counts(like: Like, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ratings of each user, in random order; they sum to the ratings wanted."""
    if like.block_size:
        return like.items - _skipped(like, rng)
    least = np.full(like.users, min(like.fewest, like.ratings // like.users, like.items))
    complete = round(like.complete * like.users)
    if complete * like.items + int(least[complete:].sum()) <= like.ratings:
        least[:complete] = like.items
    most = np.full(like.users, like.items)
    counts = whole_shares(weibull(like.users, like.activity, rng), like.ratings, least, most)
    return rng.permutation(counts)


def _skipped(like: Like, rng: np.random.Generator) -> NDArray[np.int64]:
    """How many issues each respondent leaves out: whole blocks while the sum allows it."""
    missing = like.users * like.items - like.ratings
    blocks = (like.items - 1) // like.block_size
    skippers = like.users - round(like.complete * like.users)
    n_blocks = min(missing // like.block_size, like.users * blocks)
    least, most = np.zeros(like.users, np.int64), np.full(like.users, blocks)
    least[: min(skippers, n_blocks)] = min(1, blocks)
    extra = np.where(np.arange(like.users) < skippers, rng.exponential(_MORE_BLOCKS, like.users), 0)
    skipped = whole_shares(extra, n_blocks, least, most) * like.block_size
    rest = missing - int(skipped.sum())
    skipped += whole_shares(skipped.astype(np.float64), rest, 0 * skipped, like.items - 1 - skipped)
    return rng.permutation(skipped)


def weibull(count: int, power: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Evenly spaced quantiles of a power of an exponential variable, in random order."""
    levels = (rng.permutation(count) + 0.5) / count
    return np.asarray((-np.log1p(-levels)) ** power)


def whole_shares(
    wish: NDArray[np.float64], total: int, least: NDArray[np.int64], most: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Whole numbers between ``least`` and ``most`` with the sum ``total``, rising with ``wish``."""
    wish = wish + 1e-9 * max(float(wish.max(initial=0.0)), 1e-9)
    low, high = 0.0, float((most - least).max(initial=0)) / float(wish.min(initial=1.0)) + 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if np.minimum(least + middle * wish, most).sum() < total:
            low = middle
        else:
            high = middle
    exact = np.minimum(least + low * wish, most)
    shares = np.floor(exact).astype(np.int64)
    rest = total - int(shares.sum())
    eager = np.argsort(np.where(shares < most, shares - exact, np.inf), kind="stable")
    shares[eager[:rest]] += 1
    return shares
