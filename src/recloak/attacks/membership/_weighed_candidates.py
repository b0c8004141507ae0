"""How likely some group or fragment is somebody's at all, as `bayes-linkage` weighs them.

It knows how the method makes profiles and fragments of people's ratings. A row that fits best is
not enough: what counts is how much better rows explain what is known than people in general would.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from recloak.attacks._asked_people import AskedGroup
from recloak.attacks.bayes_linkage._choice import candidates_of, shares_lines
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel
from recloak.attacks.bayes_linkage._weigher import Weigher
from recloak.core.arrays import Floats
from recloak.core.ratings import Ratings
from recloak.releases.disassociated import DisassociatedRelease
from recloak.releases.grouped import GroupedRelease

MOST_GROUPS_WEIGHED = 1_000_000_000  # once for each known rating
MOST_FRAGMENTS_WEIGHED = 300_000_000
MOST_COMPARED = 60_000_000  # those cut along shared lines, which are compared with each other
MOST_LOG_ODDS = 200.0
MOST_LEAD = 50.0
LEAST = 1e-12
TOO_MANY = (
    "There are too many rows to weigh each by all that is known of everybody: the attack did not "
    "compute how likely it is that some row is somebody's, so an adversary may tell a few more "
    "members."
)


def weighed_candidates(asked: AskedGroup, known: Ratings) -> list[Floats]:
    """The odds that some candidate is somebody's, and how far the best one stands out.

    Nothing where this adds nothing: where a row is all that one person rated, or fragments hold
    nothing but what is known. Nor where weighing takes too long.
    """
    if not _are_weighed(asked) or too_many(asked, known):
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


def weighed_groups(asked: AskedGroup) -> list[Floats]:
    """Of each of the best rows how likely that group holds the person, beside the likeliest.

    The last column is how likely any does. Nothing if rows are no groups, or if these are too many.
    """
    known, best = asked.people.known_ratings, asked.posteriors.rows
    release = asked.group.rehearsed.release
    if not isinstance(release, GroupedRelease) or too_many(asked, known):
        return []
    weigher, rng = _weigher(asked, known), np.random.default_rng(0)  # nothing is left to draw
    found = np.empty((*best.shape, 3))
    for person in range(known.n_users):
        told = weigher.model.draw(known, person, rng)
        logs = weigher.log_weights(told)
        weights = weigher.normalised(told, logs) * weigher.candidates.people
        here = np.maximum(best[person], 0)
        found[person, :, 0] = np.log(weights[here] + LEAST)
        found[person, :, 1] = np.maximum(logs[here] - logs.max(), -MOST_LEAD)
        found[person, :, 2] = np.log(min(float(weights.sum()), 1.0) + LEAST)
    return [found]


def too_many(asked: AskedGroup, known: Ratings) -> bool:
    """Are there groups or fragments that would be weighed, but too many?"""
    context = asked.group.rehearsed
    if isinstance(context.release, GroupedRelease):
        return known.n_ratings * context.release.profiles.n_users > MOST_GROUPS_WEIGHED
    most = MOST_COMPARED if shares_lines(context.public) else MOST_FRAGMENTS_WEIGHED
    return _are_weighed(asked) and known.n_ratings * context.rows.n_users > most


def _are_weighed(asked: AskedGroup) -> bool:
    """Is it a release of groups, or of several rows of each person, who is known in part?"""
    release = asked.group.rehearsed.release
    if isinstance(release, GroupedRelease):
        return True
    if isinstance(release, DisassociatedRelease) or asked.people.known.all():
        return False
    return asked.has_several_rows


def _weigher(asked: AskedGroup, known: Ratings) -> Weigher:
    """The weigher of `bayes-linkage`; that of groups is kept, with what it counted of ratings.

    What it counts of groups does not depend on how much is known of people.
    """
    if not isinstance(asked.group.rehearsed.release, GroupedRelease):
        return _new_weigher(asked, int(known.user_counts.max(initial=1)))
    kept, key = asked.group.kept, ("weigher of groups", asked.attacked)
    if key not in kept:
        kept[key] = _new_weigher(asked, 0)
    weigher: Weigher = kept[key]
    return weigher


def _new_weigher(asked: AskedGroup, known: int) -> Weigher:
    """One who knows values of people whom nobody asks about."""
    context = asked.group.rehearsed
    model = KnowledgeModel.of(context, "uniform", known, 0.0, values=True)
    taught = context.original.take_users(asked.attacked.teachers)
    values = model.units.converted(taught.values).astype(np.float64)
    weights = model.weights_in_release(context.rows.n_items)
    return Weigher(candidates_of(context, values, weights), model)


def _two_best(logs: Floats) -> tuple[float, float]:
    """The highest two, or the only one twice."""
    highest = np.partition(logs, max(len(logs) - 2, 0))
    return float(highest[-1]), float(highest[max(len(logs) - 2, 0)])
