"""What made-up rows have in common with somebody, beside what people whom one knows have.

Whoever agrees with most people agrees with most releases. So the adversary compares how somebody
agrees with a release and how they agree with people whom the adversary knows (as Watson, Guo,
Cormode and Sablayrolles 2022 do with other models): what is left does not come from being typical.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._asked_people import AskedGroup, joined_people
from recloak.attacks.membership._centred_rows import LEAST
from recloak.attacks.membership._leading_directions import MadeUpRows
from recloak.attacks.membership._tastes import departing
from recloak.core.arrays import Floats, Indices, Integers, Mask, match_labels
from recloak.core.ratings import Ratings

SPREAD_OF_ITEMS = 0.1  # the variance of what items depart by from what is usual
FEW = 2.0  # ratings of what is usual, beside which those of the release count


@dataclass(frozen=True, eq=False)
class FamiliarPeople:
    """People of whom the adversary knows all ratings, each once."""

    ratings: Ratings

    @classmethod
    def of(cls, groups: list[AskedGroup], taught: list[Mask]) -> FamiliarPeople:
        """Those of each group from whom is learnt."""
        some = [
            asked.people.ratings.take_users(np.flatnonzero(here))
            for asked, here in zip(groups, taught, strict=True)
        ]
        labels = np.concatenate([one.user_labels for one in some])
        _, first = np.unique(labels, return_index=True)
        return cls(joined_people(some).take_users(np.sort(first)))

    def features(self, asked: AskedGroup) -> Floats:
        """A row for each person asked; no columns if the release has rows of people.

        Nobody is compared with themselves.
        """
        model, known = MadeUpRows.of(asked), asked.people.known_ratings
        if model is None:
            return np.zeros((len(asked.people), 0))
        own = match_labels(asked.people.ratings.user_labels, self.ratings.user_labels)
        others = np.maximum(self.ratings.n_users - (own >= 0), 1)
        items = model.items_of(known)
        together = items.agreement(model.items_of(self.ratings), own) / others
        columns = [together, together / np.maximum(items.squares, LEAST)]
        theirs = model.tastes_of(self.ratings)
        for tastes, of_others in zip(model.tastes_of(known), theirs, strict=True):
            whole = np.maximum(tastes.squares, LEAST) * others
            columns.append(tastes.agreement(of_others, own) / whole)
        if theirs:
            columns += self._of_item_means(model, known, own)
        return np.column_stack(columns)

    def _of_item_means(self, model: MadeUpRows, known: Ratings, own: Indices) -> list[Floats]:
        """Whether items get of the release what the person gave, more than of familiar people.

        The first is about the logarithm of how much likelier that is for a member; the second by
        how much less the release errs than familiar people do.
        """
        rows, people = model.rows, known.user_codes().astype(np.int64)
        liked = departing(known, model.usual)
        released = np.bincount(rows.items, departing(rows, model.usual), rows.n_items)
        count = np.maximum(rows.item_support[known.items], 1)
        mean = released[known.items] / count
        spread = max(float(np.square(liked).mean()), LEAST)
        sums, counts = self._without_own(model, known, own[people])
        weight = counts + spread / SPREAD_OF_ITEMS
        expected, unsure = sums / weight, spread / weight
        here = rows.item_support[known.items] > 0
        moved, apart = np.where(here, mean - expected, 0.0), liked - expected
        weights = 1 / (spread + count * unsure)
        gained = np.bincount(people, apart * moved * weights, known.n_users)
        length = np.bincount(people, np.square(apart) * weights, known.n_users)
        closer = np.square(apart) - np.square(liked - mean * count / (count + FEW))
        each = np.bincount(people, closer, known.n_users) / np.maximum(known.user_counts, 1)
        return [gained / np.sqrt(length + LEAST), each]

    def _without_own(
        self, model: MadeUpRows, known: Ratings, own: Indices
    ) -> tuple[Floats, Integers]:
        """What familiar people depart by for each known rating, summed, and how many they are."""
        liked = departing(self.ratings, model.usual)
        sums = np.bincount(self.ratings.items, liked, self.ratings.n_items)[known.items]
        counts = self.ratings.item_support[known.items]
        cells = self.ratings.user_codes().astype(np.int64) * known.n_items + self.ratings.items
        wanted = own * known.n_items + known.items
        at = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
        mine = (own >= 0) & (cells[at] == wanted)
        return np.asarray(sums - np.where(mine, liked[at], 0.0), np.float64), counts - mine
