"""Made-up people: what publishing them takes beside other methods."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from recloak.core.arrays import match_labels
from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.methods import Applied, Method
from recloak.methods.synthetic.budget import epsilon_for
from recloak.publishing.options import PublishOptions
from recloak.releases.account import Account
from recloak.releases.manifest import Manifest


def refuse_misfit(recipe: Method, options: PublishOptions, *, by_blocks: bool = False) -> None:
    """Refuse options that the method could not follow, or an engine that works by blocks."""
    if by_blocks and recipe.made_up and options.public_items:
        raise ParameterError(
            "a catalogue needs all ratings in memory",
            where=f"--public-items with --engine {options.engine}",
            hint="Leave the ratings of other items out of the data, and the option.",
        )
    for flag in ("keep_secret", "split_secret") if recipe.made_up else ():
        if getattr(options, flag) is not None:
            raise ParameterError(
                "no row is anybody's, so there is no secret",
                where=f"--{flag.replace('_', '-')}",
                hint="--keep-model keeps what more people can be drawn from.",
            )
    for flag in () if recipe.made_up else ("keep_model", "previous", "public_items"):
        if getattr(options, flag):
            raise ParameterError(
                f"the method {recipe.name} draws no made-up people",
                where=f"--{flag.replace('_', '-')}",
                hint="It is for --method synthetic.",
            )


def with_public_items(ratings: Ratings, catalogue: Sequence[Any]) -> Ratings:
    """The ratings of the items in the catalogue; those that nobody rated are items, too."""
    if not catalogue:
        return ratings
    whole = ratings.item_labels.dtype == np.int64
    try:
        names = sorted({int(name) if whole else str(name) for name in catalogue})
    except ValueError:
        raise InputError(
            "holds names, while the items of the data are numbers", where="--public-items"
        ) from None
    labels = np.array(names, dtype=np.int64 if whole else object)
    code = match_labels(ratings.item_labels, labels)
    known = ratings.keep(code[ratings.items] >= 0)
    if known.n_ratings == 0:
        raise InputError("nobody rated anything in it", where="--public-items")
    items = code[known.items].astype(np.int32)
    order = np.lexsort((items, known.user_codes()))
    times = None if known.times is None else known.times[order]
    listed = replace(
        known, items=items[order], values=known.values[order], times=times, item_labels=labels
    )
    return listed.take_users(np.flatnonzero(listed.user_counts > 0))


def with_earlier_budget(applied: Applied, previous: str | Path | None) -> Applied:
    """The account with what an earlier release of the same people spent, and a note of both."""
    if previous is None:
        return applied
    manifest = applied.release.manifest
    earlier = _spent(Path(previous))
    account = manifest.account
    if account is None or (mu := account.mu) is None or (delta := account.delta) is None:
        raise ParameterError(
            "only budgets can be added up: give --epsilon",
            where=f"--previous {previous}",
        )
    account = account.model_copy(update={"earlier": earlier})
    together = math.sqrt(mu**2 + sum(spent**2 for spent in earlier))
    epsilon = epsilon_for(together, delta)
    note = (
        f"With {len(earlier)} earlier of the same people, all releases together satisfy ε = "
        f"{epsilon:.3g} at δ = {delta:g}: budgets of several fits add up. Drawing again "
        "from a kept model would have cost nothing."
    )
    changed = manifest.model_copy(update={"account": account})
    release = replace(applied.release, manifest=changed)
    return applied._replace(release=release, notes=(*applied.notes, note))


def _spent(folder: Path) -> tuple[float, ...]:
    """The budgets of a release and of those before it."""
    account: Account | None = Manifest.read(folder).account
    if account is None or account.mu is None:
        raise InputError(
            "has no budget that could add up: it was not made with --epsilon",
            where=f"--previous {folder}",
            hint="What it gives away of the same people is not bounded by any epsilon.",
        )
    return (*account.earlier, account.mu)
