"""Which explains better what somebody gave: a release, or people whom the adversary knows?

Both explain it by the same tastes. What the release says of an item was learnt from its members
too, so it is nearer to what a member gave than what other people say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks.membership._value_model import (
    LEAST,
    Seen,
    ValueModel,
    cells_of,
    products,
)
from recloak.core.arrays import Floats, Indices, Integers
from recloak.core.ratings import Ratings

# of the squared span: of what items get and of what tastes make of it, before anybody rates them;
# and of what is left, which is more than in made-up ratings
VARIANCE_OF_USUAL, VARIANCE_OF_LIKES, VARIANCE = 0.00625, 0.001875, 0.225**2
PRODUCTS_PER_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class TwoExplanations:
    """A release's model, and what familiar people say of each item in its terms.

    ``squares`` and ``moved`` are their tastes times themselves and times what they gave beyond
    what is usual, summed over those who rated the item.
    """

    model: ValueModel
    support: Integers
    familiar: Seen
    people: Integers
    squares: Floats
    moved: Floats

    @classmethod
    def of(cls, model: ValueModel, rows: Ratings, familiar: Ratings) -> TwoExplanations:
        seen, width = model.seen(familiar, VARIANCE), model.likes.shape[1]
        squares = cells_of(familiar, np.ones(len(familiar))).T @ products(seen.tastes)
        return cls(
            model,
            rows.item_support,
            seen,
            familiar.user_codes().astype(np.int64),
            squares.reshape(-1, width, width),
            cells_of(familiar, seen.apart).T @ seen.tastes,
        )

    def of_familiar(self, items: Indices, own: Indices) -> tuple[Floats, Floats]:
        """What familiar people say of ``items``, and how unsure that is, as covariances.

        ``own`` is the rating of theirs that does not count, -1 for none.
        """
        there = own >= 0
        tastes = self.familiar.tastes[self.people[own[there]]]
        squares, moved = self.squares[items], self.moved[items]
        squares[there] -= products(tastes).reshape(-1, *squares.shape[1:])
        moved[there] -= tastes * self.familiar.apart[own[there], None]
        before = np.full(squares.shape[1], VARIANCE_OF_LIKES)
        before[0] = VARIANCE_OF_USUAL
        unsure = np.asarray(np.linalg.inv(squares / VARIANCE + np.diag(1 / before)), np.float64)
        means: Floats = np.einsum("nxy,ny->nx", unsure, moved / VARIANCE)
        return means, unsure

    def compared(self, known: Ratings, own: Indices) -> list[Floats]:
        """For each person how much better the release explains what is known."""
        seen = self.model.seen(known, VARIANCE)
        people = known.user_codes()
        step = 1 + PRODUCTS_PER_BLOCK // self.model.likes.shape[1] ** 2
        blocks = [slice(at, at + step) for at in range(0, len(known), step)]
        parts = [self._of_ratings(known, seen, own, block) for block in blocks]
        terms = np.concatenate(parts, axis=1)
        closer, gained, of_likes, of_usual, length, missed, given, along, rarely = (
            np.bincount(people, term, known.n_users) for term in terms
        )
        scale, each = np.sqrt(length + LEAST), np.maximum(known.user_counts, 1)
        return [
            closer,
            closer / each,
            gained / scale,
            of_likes / scale,
            of_usual / scale,
            missed / np.maximum(given, LEAST),
            along / np.maximum(rarely, LEAST),
        ]

    def _of_ratings(self, known: Ratings, seen: Seen, own: Indices, block: slice) -> Floats:
        """What is summed over each person's ratings, a row for each sum."""
        items, apart = known.items[block].astype(np.int64), seen.apart[block]
        tastes = seen.tastes[known.user_codes()[block]]
        said, unsure = self.of_familiar(items, own[block])
        likes = self.model.likes[items].copy()
        likes[:, 0] = 0.0  # what is usual in the release is left out of `apart`
        released, familiar = (likes * tastes).sum(axis=1), (said * tastes).sum(axis=1)
        missed = apart - familiar
        support = np.maximum(self.support[items], 1)
        own_share = np.square(tastes).sum(axis=1) * VARIANCE / support
        error = np.einsum("nx,nxy,ny->n", tastes, unsure, tastes)
        here = (self.support[items] > 0).astype(np.float64)
        weight = here * missed / (support * (error + own_share))
        return np.stack(
            [
                here * (np.square(missed) - np.square(apart - released)),
                weight * (released - familiar),
                weight * (tastes[:, 1:] * (likes - said)[:, 1:]).sum(axis=1),
                -weight * said[:, 0],
                weight * missed * own_share,
                here * np.square(apart - released),
                here * np.square(apart),
                here * apart * released / support,
                here * np.square(apart) / support,
            ]
        )
