"""The control group of an audit: the same method on nine of ten people, the rest as outsiders."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Indices
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.control import Control, ControlGroup, matched_by_count
from recloak.methods.base import Method

OUTSIDER_SHARE = 0.1
MOST_OUTSIDERS = 2000
MOST_RATINGS = 20_000_000


def control_group(
    original: Ratings,
    method: Method,
    seed: int = 0,
    *,
    most_ratings: int = MOST_RATINGS,
    most_outsiders: int = MOST_OUTSIDERS,
) -> Control:
    """How to rehearse ``method`` without some people; each draw is made once.

    Of more than ``most_ratings`` ratings only so many, of people drawn at random, are rehearsed.
    The same people are left out in every draw, which differs in the method's random numbers.
    """
    made: dict[int, ControlGroup] = {}

    def control(draw: int, progress: Progress) -> ControlGroup:
        if draw not in made:
            made[draw] = _rehearsed_without_some(
                original, method, seed, draw, most_ratings, most_outsiders, progress
            )
        return made[draw]

    return control


def _rehearsed_without_some(
    original: Ratings,
    method: Method,
    seed: int,
    draw: int,
    most_ratings: int,
    most_outsiders: int,
    progress: Progress,
) -> ControlGroup:
    rng = Randomness.from_seed(seed).generator("control group")
    people = _sampled(original, most_ratings, rng)
    count = min(most_outsiders, int(OUTSIDER_SHARE * len(people)))
    outsiders, members = np.sort(people[:count]), np.sort(people[count:])
    known, left_out = original.take_users(members), original.take_users(outsiders)
    applied = method.apply(
        known.compact(), Randomness.from_seed(seed).child(f"control {draw}"), progress
    )
    rows = applied.release.as_ratings()
    rehearsed = AuditContext(
        known,
        rows,
        applied.secret.linkage(known, rows),
        match_items(known, rows),
        release=applied.release,
    )
    matched = matched_by_count(known.user_counts, left_out.user_counts, rng)
    return ControlGroup(rehearsed, matched, left_out, _note(original, len(people), count))


def _sampled(original: Ratings, most_ratings: int, rng: np.random.Generator) -> Indices:
    """The people who take part, in random order."""
    people = rng.permutation(original.n_users)
    share = min(1.0, most_ratings / max(original.n_ratings, 1))
    return people[: max(2, int(share * len(people)))]


def _note(original: Ratings, people: int, outsiders: int) -> str:
    among = ""
    if people < original.n_users:
        among = (
            f" Of {original.n_users:,} people {people:,} took part, drawn at random; fewer people "
            "to be mistaken for make an adversary look stronger."
        )
    return (
        f"Measured on a rehearsal without {outsiders:,} people, the outsiders; each is compared "
        f"with a member who has about as many ratings.{among}"
    )
