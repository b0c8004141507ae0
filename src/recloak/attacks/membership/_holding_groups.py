"""How likely somebody is a member of some group at all, as `bayes-linkage` weighs groups.

It knows how the method makes a profile of its members' ratings. A row that fits best is not enough:
what counts is how much better groups explain what is known than people in general would.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks.bayes_linkage._choice import candidates_of
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel
from recloak.attacks.bayes_linkage._weigher import Weigher
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.releases.grouped import GroupedRelease

MOST_WEIGHED = 1_000_000_000  # groups, once for each known rating
MOST_LOG_ODDS = 200.0
MOST_LEAD = 50.0


def holding_groups(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """The odds that some group holds somebody, and how far the best group stands out.

    Nothing of another kind of release, nor of so many groups that weighing them takes too long.
    """
    release = asked.group.rehearsed.release
    if not isinstance(release, GroupedRelease):
        return []
    if known.n_ratings * release.profiles.n_users > MOST_WEIGHED:
        return []
    weigher, rng = _weigher(asked, known), np.random.default_rng(0)  # nothing is left to draw
    several = np.log(weigher.candidates.people)
    found = np.empty((known.n_users, 4))
    for person in range(known.n_users):
        told = weigher.model.draw(known, person, rng)
        logs = weigher.log_weights(told) + several
        best, second = _two_best(logs)
        together = float(logsumexp(logs))
        odds = np.array([together, best]) - weigher.log_elsewhere(told)
        found[person, :2] = np.clip(odds, -MOST_LOG_ODDS, MOST_LOG_ODDS)
        found[person, 2:] = min(best - second, MOST_LEAD), together - best
    each = np.maximum(known.user_counts, 1)
    return [*found.T, found[:, 0] / each, found[:, 1] / each, np.tanh(found[:, 0] / 2)]


def _weigher(asked: AskedGroup, known: Ratings) -> Weigher:
    """The weigher of `bayes-linkage`, who knows values of people whom nobody asks about."""
    context = asked.group.rehearsed
    counts = 0 if asked.people.known.all() else int(known.user_counts.max(initial=1))
    model = KnowledgeModel.of(context, "uniform", counts, 0.0, values=True)
    taught = context.original.take_users(asked.attacked.teachers)
    values = model.units.converted(taught.values).astype(np.float64)
    weights = model.weights_in_release(context.rows.n_items)
    return Weigher(candidates_of(context, values, weights), model)


def _two_best(logs: Floats) -> tuple[float, float]:
    """The highest two, or the only one twice."""
    ordered = np.sort(logs)
    return float(ordered[-1]), float(ordered[max(len(ordered) - 2, 0)])
