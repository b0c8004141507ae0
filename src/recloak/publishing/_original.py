"""The original: what is published of the ratings that were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.publishing._made_up import with_public_items
from recloak.publishing.options import PublishOptions


def original_of(ratings: Ratings, options: PublishOptions) -> Ratings:
    """The ratings of all who did not opt out, on the items of the catalogue if one is given."""
    original = compacted(without(ratings, options.exclude_users))
    return with_public_items(original, options.public_items)


def without(ratings: Ratings, excluded: Sequence[Any]) -> Ratings:
    """The ratings of all others; `InputError` for an unknown name, or if nobody is left."""
    if not excluded:
        return ratings
    try:
        others = ratings.without_users(list(excluded))
    except InputError as problem:
        raise InputError(problem.what, where="--exclude-users", hint=problem.hint) from None
    refuse_nobody(others.n_users)
    return others


def refuse_nobody(n_users: int) -> None:
    """Refuse to publish when all have opted out."""
    if n_users == 0:
        raise InputError("nobody is left to publish", where="--exclude-users")


def compacted(ratings: Ratings) -> Ratings:
    """Without users and items that have no rating: a part of a table still knows those of all."""
    gaps = (ratings.item_support == 0).any() or (ratings.user_counts == 0).any()
    return ratings.compact() if gaps else ratings
