"""What the studies of a stronger adversary share: one half to learn from, one to attack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from recloak.attacks import attack
from recloak.auditing.rehearsal import probe_of
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Finding
from recloak.methods.fragmentation import Fragmentation
from recloak.methods.fragmentation.item_features import Features
from recloak.releases.linkage import Linkage
from recloak.studies.base import Study
from recloak.studies.goncalves import REFERENCE

Part = Literal["mine", "theirs", "rehearsal"]

LEVELS = (4.74, 10.53, 18.95)
TARGET_SUPPORT = 250.0  # half of the paper's, for half of the people
# All people of the attacked half are attacked, but for a hundredth, and all of the other known.
NEARLY_ALL = "share=0.01"
PROTOCOL = (
    "People are split into halves at random, once for each seed. The adversary knows one half in "
    "full, makes a release of it by the same method and learns from that; the release of the "
    "other half is attacked. They learn only from their own half."
)


class StrongerStudy(Study):
    """A study beyond the paper; beside it stand the figures of a prototype."""

    reference: ClassVar[str] = REFERENCE
    data_sets: ClassVar[tuple[str, ...]] = ("ml-1m", "ml-100k")


def halves(ratings: Ratings, seed: int) -> tuple[Ratings, Ratings]:
    """The people whom the adversary knows, and those whom they attack."""
    order = np.random.default_rng(seed).permutation(ratings.n_users)
    half = ratings.n_users // 2
    mine, theirs = np.sort(order[:half]), np.sort(order[half:])
    return ratings.take_users(mine), ratings.take_users(theirs)


class HalfSplit:
    """One split: both halves, with item features learnt once for all releases of each."""

    def __init__(self, ratings: Ratings, seed: int) -> None:
        self.seed = seed
        self.mine, self.theirs = halves(ratings, seed)
        probe = probe_of(self.theirs, seed)
        self._of = {
            "mine": self.mine,
            "theirs": self.theirs,
            "rehearsal": self.theirs.keep(~probe).compact(),
        }
        self._learnt: dict[tuple[str, str], Features] = {}

    def recipe(self, of: Part, progress: Progress, **given: Any) -> Fragmentation:
        """A fragmentation that goes by the features of the ratings it is for."""
        made = Fragmentation(target_support=TARGET_SUPPORT, **given)
        key = of, made.parameters.training
        if key not in self._learnt:
            randomness = Randomness.from_seed(self.seed)
            self._learnt[key] = made.features(self._of[of], randomness, progress)
        return made.using(self._learnt[key])

    def context(self, progress: Progress, *, timed: bool = False, **given: Any) -> AuditContext:
        """The release of the attacked half, before an adversary who has one of their own."""
        release = _timed if timed else _released
        parts: tuple[Part, Part] = ("mine", "theirs")
        mine, theirs = (
            release(self._of[one], self.recipe(one, progress, **given), self.seed, progress)
            for one in parts
        )
        return replace(theirs, rehearse=lambda users, seed, progress: mine)

    def attacked(self, context: AuditContext, spec: str, progress: Progress) -> Finding:
        """What an attack of this split finds."""
        return attack(spec).run(context, self.seed, progress)


def _released(
    ratings: Ratings, recipe: Fragmentation, seed: int, progress: Progress
) -> AuditContext:
    randomness = Randomness.from_seed(seed)
    applied = recipe.apply(ratings, randomness, progress)
    rows = applied.release.as_ratings()
    linkage, code = applied.secret.linkage(ratings, rows), match_items(ratings, rows)
    features = recipe.features(ratings, randomness, progress)[match_items(rows, ratings)]
    return AuditContext(ratings, rows, linkage, code, factors=lambda progress: features)


def _timed(ratings: Ratings, recipe: Fragmentation, seed: int, progress: Progress) -> AuditContext:
    """The same rows with their times to the second, which no method of ours publishes."""
    split = recipe.split_rows(ratings, Randomness.from_seed(seed), progress)
    every = np.arange(split.rows.n_users)
    linkage = Linkage.from_pairs(split.owners, every, ratings.n_users, "mapping", "As cut.")
    return AuditContext(ratings, split.rows, linkage, match_items(ratings, split.rows))
