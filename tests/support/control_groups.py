"""Control groups for tests: of a method, and of a release that holds nobody who is asked about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import recloak
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import ControlGroup
from recloak.releases.linkage import Linkage
from recloak.testing import context_of


def people_like_movielens(users: int, seed: int = 0) -> Ratings:
    """So many made-up people with about 35 ratings each."""
    return recloak.synthesize(
        "ml-100k", users=users, items=200, ratings=35 * users, seed=seed
    ).without_times()


def of_other_people(seed: int, count: int = 100) -> AuditContext:
    """Members and outsiders alike are not in the release, which holds other people's rows."""
    everybody = people_like_movielens(4 * count, seed)
    places = np.random.default_rng(seed).permutation(4 * count)
    asked, others = np.sort(places[: 2 * count]), np.sort(places[2 * count :])
    members = everybody.take_users(asked[:count])
    rows = everybody.take_users(others)
    nobody = Linkage(np.zeros(count + 1, np.int64), np.empty(0, np.int64), "mapping", "")
    rehearsed = AuditContext(members, rows, nobody, np.arange(rows.n_items))
    group = ControlGroup(rehearsed, np.arange(count), everybody.take_users(asked[count:]), "")

    def control(draw: int, fold: int, progress: Progress) -> ControlGroup:
        return group

    return replace(context_of(everybody), control=control)
