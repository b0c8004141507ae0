"""Scenes of lists for attacks, measures and reports: the paper's figure 1 and small histories."""

from __future__ import annotations

from functools import cache
from typing import Any

from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.list_context import ListContext, context_of
from recloak.lists.replay import replay
from recloak.releases.lists.unprotected import raw_at
from tests.lists.samples import N_AFTER, N_BEFORE, figure_1, timed_ratings


def figure_1_context() -> ListContext:
    """Figure 1 unprotected: i6 enters or climbs in the lists of i2, i3, i7 and i8."""
    ratings = figure_1()
    history = raw_at(Timeline(ratings), (N_BEFORE, N_AFTER), 3)
    return context_of(history, ratings)


@cache
def busy_ratings() -> Ratings:
    return timed_ratings(3, n_users=60, n_items=14, density=0.3)


@cache
def busy_context(algorithm: str = "constructive", **parameters: Any) -> ListContext:
    """A small protected history in which lists keep changing."""
    settings = {"delta": "0.4", "window": 3, "top": 3, **parameters}
    history = replay(busy_ratings(), algorithm, start="0.4", gap="0.2", releases=3, **settings)
    return context_of(history, busy_ratings())


def raw_context() -> ListContext:
    """The same releases unprotected."""
    cuts = [release.n_ratings for release in busy_context().history.releases]
    return context_of(raw_at(Timeline(busy_ratings()), cuts, 3), busy_ratings())
