"""Scenes of lists for attacks, measures and reports: the paper's figure 1 and small histories."""

from __future__ import annotations

from functools import cache
from typing import Any

from recloak.lists.replaying import replay
from recloak.lists.scene import ListScene, scene_of
from recloak.lists.timeline import Timeline
from recloak.lists.unprotected import raw_at
from recloak.ratings import Ratings
from tests.lists.samples import N_AFTER, N_BEFORE, figure_1, timed_ratings


def figure_1_scene() -> ListScene:
    """Figure 1 unprotected: i6 enters or climbs in the lists of i2, i3, i7 and i8."""
    ratings = figure_1()
    history = raw_at(Timeline(ratings), (N_BEFORE, N_AFTER), 3)
    return scene_of(history, ratings)


@cache
def busy_ratings() -> Ratings:
    return timed_ratings(3, n_users=60, n_items=14, density=0.3)


@cache
def busy_scene(algorithm: str = "constructive", **parameters: Any) -> ListScene:
    """A small protected history in which lists keep changing."""
    settings = {"delta": "0.4", "window": 3, "top": 3, **parameters}
    history = replay(busy_ratings(), algorithm, start="0.4", gap="0.2", releases=3, **settings)
    return scene_of(history, busy_ratings())


def raw_scene() -> ListScene:
    """The same releases unprotected."""
    cuts = [release.n_ratings for release in busy_scene().history.releases]
    return scene_of(raw_at(Timeline(busy_ratings()), cuts, 3), busy_ratings())
