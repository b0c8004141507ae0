"""The control group of an audit: the same method on nine of ten people, the rest as outsiders."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np

from recloak.core.arrays import Indices
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.control_group import Control, ControlGroup, matched_by_count
from recloak.evaluation.sampled_people import MOST_RATINGS, sampled_people
from recloak.methods.base import Method

OUTSIDER_SHARE = 0.1
MOST_OUTSIDERS = 2000
ENOUGH_OUTSIDERS = 400
MOST_FOLDS = 5


def control_group(
    original: Ratings,
    method: Method,
    seed: int = 0,
    *,
    most_ratings: int = MOST_RATINGS,
    most_outsiders: int = MOST_OUTSIDERS,
) -> Control:
    """How to rehearse ``method`` without some people; each draw of each fold is made once.

    Of more than ``most_ratings`` ratings only so many, of people drawn at random, are rehearsed.
    The same people are left out in every draw, which differs in the method's random numbers.
    """
    left_out = _OutsiderFolds.of(original, seed, most_ratings, most_outsiders)
    made: dict[tuple[int, int], ControlGroup] = {}
    lock = Lock()

    def control(draw: int, fold: int, progress: Progress) -> ControlGroup:
        with lock:
            if (draw, fold) not in made:
                drawn = Randomness.from_seed(seed).child(f"control {draw} {fold}")
                made[draw, fold] = _rehearsed(left_out, method, fold, drawn, progress)
            return made[draw, fold]

    return control


@dataclass(frozen=True)
class _OutsiderFolds:
    """Who takes part, in random order, and how many of them are left out in each fold."""

    original: Ratings
    people: Indices
    count: int
    folds: int
    seed: int

    @classmethod
    def of(
        cls, original: Ratings, seed: int, most_ratings: int, most_outsiders: int
    ) -> _OutsiderFolds:
        rng = Randomness.from_seed(seed).generator("control group")
        people = sampled_people(original, most_ratings, rng)
        count = min(most_outsiders, int(OUTSIDER_SHARE * len(people)))
        folds = min(MOST_FOLDS, -(-ENOUGH_OUTSIDERS // max(count, 1)))
        return cls(original, people, count, folds, seed)

    def outsiders(self, fold: int) -> Indices:
        return np.sort(self.people[fold * self.count : (fold + 1) * self.count])

    def matched(self, fold: int, members: Indices) -> Indices:
        """Places among ``members``: the outsiders of the next fold, or people of equal count."""
        if self.folds > 1:
            return np.searchsorted(members, self.outsiders((fold + 1) % self.folds))
        counts = self.original.user_counts
        rng = Randomness.from_seed(self.seed).generator("matched members")
        return matched_by_count(counts[members], counts[self.outsiders(fold)], rng)


def _rehearsed(
    left_out: _OutsiderFolds, method: Method, fold: int, drawn: Randomness, progress: Progress
) -> ControlGroup:
    outsiders = left_out.outsiders(fold)
    members = np.setdiff1d(left_out.people, outsiders)
    known = left_out.original.take_users(members)
    # made-up people take the list of items as public: it stays whoever is left out
    applied = method.apply(known if method.made_up else known.compact(), drawn, progress)
    rows = applied.release.as_ratings()
    rehearsed = AuditContext(
        known,
        rows,
        applied.secret.linkage(known, rows),
        match_items(known, rows),
        release=applied.release,
    )
    return ControlGroup(
        rehearsed,
        left_out.matched(fold, members),
        left_out.original.take_users(outsiders),
        _note(left_out),
        left_out.folds,
    )


def _note(left_out: _OutsiderFolds) -> str:
    among, everybody, people = "", left_out.original.n_users, len(left_out.people)
    if people < everybody:
        among = (
            f" Of {everybody:,} people {people:,} took part, drawn at random; fewer people "
            "to be mistaken for make an adversary look stronger."
        )
    if left_out.folds > 1:
        return (
            f"Measured on {left_out.folds} rehearsals, each without {left_out.count:,} other "
            f"people, the outsiders; they are members in the rehearsal before.{among}"
        )
    return (
        f"Measured on a rehearsal without {left_out.count:,} people, the outsiders; each is "
        f"compared with a member who has about as many ratings.{among}"
    )
