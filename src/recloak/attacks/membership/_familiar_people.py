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
from recloak.attacks.membership._leading_directions import (
    MadeUpRows,
    counted_by_people,
    weights_of,
)
from recloak.attacks.membership._two_explanations import TwoExplanations
from recloak.core.arrays import Floats, Indices, Mask, match_labels
from recloak.core.ratings import Ratings

FEW = 5.0  # people as the release says, beside whom familiar people count


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
        own_ratings = self._own_ratings(known, own)
        columns.append(self._more_famous(model, known, own_ratings))
        if known.scale.span > 0:
            both = TwoExplanations.of(model.values, model.rows, self.ratings)
            columns += both.compared(known, own_ratings)
        return np.column_stack(columns)

    def _more_famous(self, model: MadeUpRows, known: Ratings, own: Indices) -> Floats:
        """Are the known items rated more in the release than by familiar people?

        About the logarithm of how much likelier that is if somebody is a member (as Homer et al.
        2008 tell of somebody's genes whether they are in a mixture), in standard deviations.
        """
        items, people, rows = known.items, known.user_codes(), model.rows.n_users
        there = own >= 0
        theirs = counted_by_people(self.ratings)[items]
        theirs[there] -= weights_of(self.ratings)[own[there]]
        count = self.ratings.n_users - there
        released = model.fame[items]
        expected = rows * (theirs + FEW * released / rows) / (count + FEW)
        spread = released + expected * (1 + rows / (count + FEW))
        weight = np.where(released > 0, 1 / np.maximum(spread, LEAST), 0.0)
        gained = np.bincount(people, weight * (released - expected), known.n_users)
        return np.asarray(gained / np.sqrt(np.bincount(people, weight, known.n_users) + LEAST))

    def _own_ratings(self, known: Ratings, own: Indices) -> Indices:
        """Where each known rating is among those of familiar people; -1 for that of somebody else.

        ``own`` is each person among the familiar ones, -1 for none.
        """
        cells = self.ratings.user_codes().astype(np.int64) * known.n_items + self.ratings.items
        mine = own[known.user_codes()]
        wanted = mine * known.n_items + known.items
        at = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
        return np.where((mine >= 0) & (cells[at] == wanted), at, -1)
