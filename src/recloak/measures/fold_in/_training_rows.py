"""What a recipient trains on: the rows of a release, or of the original, each with its weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.releases.grouped import GroupedRelease


@dataclass(frozen=True)
class TrainingRows:
    """Rows, how many people each stands for, and the codes that items of the original have there.

    The profile of a group is one row with the weight of all members: what is learnt from it is
    the same as from its copies.
    """

    rows: Ratings
    weights: Floats
    item_code: Indices

    @classmethod
    def of_release(cls, rehearsed: AuditContext) -> TrainingRows:
        """What the rehearsed release lists."""
        if isinstance(rehearsed.release, GroupedRelease):
            profiles, sizes = rehearsed.release.profiles, rehearsed.release.sizes
            codes = match_items(rehearsed.original, profiles)
            return cls(profiles, sizes.astype(np.float64), codes)
        return cls.unweighted(rehearsed.rows, rehearsed.item_in_release)

    @classmethod
    def of_original(cls, known: Ratings) -> TrainingRows:
        """The members' own ratings, as they are."""
        rows = known.compact()
        return cls.unweighted(rows, match_items(known, rows))

    @classmethod
    def unweighted(cls, rows: Ratings, item_code: Indices) -> TrainingRows:
        return cls(rows, np.ones(rows.n_users), item_code)

    @property
    def rating_weights(self) -> Floats:
        """The weight of each rating."""
        return np.repeat(self.weights, self.rows.user_counts)
