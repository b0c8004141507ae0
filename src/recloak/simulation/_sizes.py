"""How many users, items and ratings, and how many ratings each user has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.core import memory
from recloak.core.arrays import Floats, Integers
from recloak.core.errors import ParameterError
from recloak.simulation._dataset_models import DatasetModel

_MOST = {"users": 2**31 - 1, "items": 2**31 - 1, "ratings": 2**40}
_FILLED = 0.5  # an open catalogue is never filled more than this when ratings may be chosen
_MORE_BLOCKS = 0.6  # how many more blocks than one a respondent who skips leaves out, on average


def resize(
    model: DatasetModel, users: int | None, items: int | None, ratings: int | None
) -> DatasetModel:
    """``like`` with the sizes that were asked for; those left open are scaled to fit them."""
    for name, size in (("users", users), ("items", items), ("ratings", ratings)):
        if size is not None and not 1 <= size <= _MOST[name]:
            limits = f"Between 1 and {_MOST[name]:,}."
            raise ParameterError(f"{size:,} {name} cannot be made", where=name, hint=limits)
    if users is items is ratings is None:
        return model
    if items is None:
        items = _scaled_items(model, users, ratings)
    mean = _mean_per_user(model, items)
    if ratings is None:
        n_users = users or model.users
        ratings = max(round(n_users * mean), n_users, items)
    if users is None:
        users = min(max(round(ratings / mean), -(-ratings // items)), ratings)
    _check(users, items, ratings)
    return replace(model, users=users, items=items, ratings=ratings)


def _scaled_items(model: DatasetModel, users: int | None, ratings: int | None) -> int:
    """Items for the ratings wanted: enough that users need not have rated nearly all of them."""
    wanted = ratings or round(model.ratings * (users or model.users) / model.users)
    if model.item_growth == 0:
        return max(model.items, -(-wanted // (users or wanted)))
    scaled = round(model.items * float((wanted / model.ratings) ** model.item_growth))
    per_user = wanted / users if users else model.ratings / model.users
    return max(min(max(scaled, round(per_user / _FILLED)), wanted), 1)


def _mean_per_user(model: DatasetModel, items: int) -> float:
    """Ratings per user: as in the original, or fewer where the catalogue is smaller."""
    mean = model.ratings / model.users
    if model.item_growth == 0:
        return max(1.0, mean * items / model.items)
    return max(1.0, min(mean, _FILLED * items))


def _check(users: int, items: int, ratings: int) -> None:
    if users <= ratings <= users * items:
        return
    raise ParameterError(
        f"{ratings:,} ratings are impossible with {users:,} users and {items:,} items",
        where="ratings",
        hint=f"Everyone rates something and nothing twice: {users:,} to {users * items:,} ratings.",
    )


def check_memory(model: DatasetModel, ratings: int) -> None:
    """Refuse before the start what this machine could never hold: the system would kill us.

    People and items are held, and so many ratings at a time.
    """
    periods = model.time_model.periods if model.time_model else 1
    per_item = model.groups * (12 * periods + 32)
    needed = 17 * ratings + 150 * model.users + per_item * model.items
    memory.require_memory(needed, f"making {model.ratings:,} ratings")


def user_counts(model: DatasetModel, rng: np.random.Generator) -> Integers:
    """Ratings of each user, in random order; they sum to the ratings wanted."""
    if model.block_size:
        return model.items - _skipped(model, rng)
    least = np.full(model.users, min(model.fewest, model.ratings // model.users, model.items))
    complete = round(model.complete * model.users)
    if complete * model.items + int(least[complete:].sum()) <= model.ratings:
        least[:complete] = model.items
    most = np.full(model.users, model.items)
    counts = whole_shares(weibull(model.users, model.activity, rng), model.ratings, least, most)
    return rng.permutation(counts)


def _skipped(model: DatasetModel, rng: np.random.Generator) -> Integers:
    """How many issues each respondent leaves out: whole blocks while the sum allows it."""
    missing = model.users * model.items - model.ratings
    blocks = (model.items - 1) // model.block_size
    skippers = model.users - round(model.complete * model.users)
    n_blocks = min(missing // model.block_size, model.users * blocks)
    least, most = np.zeros(model.users, np.int64), np.full(model.users, blocks)
    least[: min(skippers, n_blocks)] = min(1, blocks)
    extra = np.where(
        np.arange(model.users) < skippers, rng.exponential(_MORE_BLOCKS, model.users), 0
    )
    skipped = whole_shares(extra, n_blocks, least, most) * model.block_size
    rest = missing - int(skipped.sum())
    skipped += whole_shares(
        skipped.astype(np.float64), rest, 0 * skipped, model.items - 1 - skipped
    )
    return rng.permutation(skipped)


def weibull(count: int, power: float, rng: np.random.Generator) -> Floats:
    """Evenly spaced quantiles of a power of an exponential variable, in random order."""
    levels = (rng.permutation(count) + 0.5) / count
    return np.asarray((-np.log1p(-levels)) ** power)


def whole_shares(weights: Floats, total: int, least: Integers, most: Integers) -> Integers:
    """Whole numbers from ``least`` to ``most`` with the sum ``total``, rising with ``weights``."""
    weights = weights + 1e-9 * max(float(weights.max(initial=0.0)), 1e-9)
    low, high = 0.0, float((most - least).max(initial=0)) / float(weights.min(initial=1.0)) + 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if np.minimum(least + middle * weights, most).sum() < total:
            low = middle
        else:
            high = middle
    exact = np.minimum(least + low * weights, most)
    shares = np.floor(exact).astype(np.int64)
    rest = total - int(shares.sum())
    eager = np.argsort(np.where(shares < most, shares - exact, np.inf), kind="stable")
    shares[eager[:rest]] += 1
    return shares
