"""Asked people: members and outsiders of a control group, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._co_occurrence import CoOccurrence, PairCounts
from recloak.attacks._implicit_model import ImplicitModel
from recloak.attacks._row_posterior import (
    AttackedRows,
    RowPosteriors,
    levels_of,
)
from recloak.core.arrays import Indices, Integers, Mask, match_labels, offsets_from
from recloak.core.progress import Progress, Task
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import ControlGroup, control_groups_of
from recloak.evaluation.published_cells import PublishedCells

ALL = 0


@dataclass(frozen=True, eq=False)
class AskedPeople:
    """Matched members first, then as many outsiders, with all their ratings.

    ``known`` marks the ratings that the adversary knows. ``pair`` is the same number for a member
    and the outsider whom they are compared with.
    """

    ratings: Ratings
    known: Mask
    member: Mask
    pair: Indices

    def __len__(self) -> int:
        return len(self.member)

    @property
    def known_ratings(self) -> Ratings:
        return self.ratings.keep(self.known)


@dataclass(frozen=True, eq=False)
class AskedGroup:
    """A control group, the people asked about, and which rows fit what is known of them."""

    group: ControlGroup
    people: AskedPeople
    attacked: AttackedRows
    posteriors: RowPosteriors
    owned_offsets: Indices
    owned: Indices

    @property
    def implicit_model(self) -> ImplicitModel:
        """The recommender that the adversary trains on the release; made once."""
        kept = self.group.kept
        if "implicit model" not in kept:
            kept["implicit model"] = ImplicitModel.of(self.attacked.rows)
        model: ImplicitModel = kept["implicit model"]
        return model

    @property
    def has_several_rows(self) -> bool:
        """Has anyone more than one row?"""
        return bool((np.diff(self.owned_offsets) > 1).any())

    @property
    def co_occurrence(self) -> CoOccurrence:
        """How often ratings of one person stand in one row; counted once.

        Who has both items of a pair is known of the people from whom the adversary learnt.
        """
        kept = self.group.kept
        if "co-occurrence" not in kept:
            known = self.group.rehearsed.original.take_users(self.attacked.teachers)
            kept["co-occurrence"] = PairCounts.of(known).in_rows(self.attacked.rows)
        pairs: CoOccurrence = kept["co-occurrence"]
        return pairs

    def own(self) -> Mask:
        """Which of the rows found for each person are theirs; outsiders have none."""
        rows = self.posteriors.rows
        is_own = np.zeros(rows.shape, np.bool_)
        for place, user in enumerate(self.group.matched):
            mine = self.owned[self.owned_offsets[user] : self.owned_offsets[user + 1]]
            is_own[place] = np.isin(rows[place], mine)
        return is_own


def asked_groups(
    context: AuditContext,
    known: int,
    seed: int,
    progress: Progress,
    draw: int = 0,
    choice: int = 0,
) -> list[AskedGroup]:
    """Everybody asked about, fold by fold; what was computed before is taken from there.

    Of each person ``known`` ratings are known, but no more than half; `ALL` knows all of them.
    Each ``choice`` knows others. Raises `NoControlGroupError` if there is no control group.
    """
    groups = control_groups_of(context, progress, draw)
    with progress.task("Looking for rows of members and outsiders") as task:
        found = []
        for fold, group in enumerate(groups):
            key = ("asked", known, seed, draw, choice)
            if key not in group.kept:
                drawn = Randomness.from_seed(seed).child("asked people", draw, fold)
                group.kept[key] = _asked(context, group, (known, choice), drawn, task)
            found.append(group.kept[key])
            task.advance()
    return found


def quarters_of(groups: list[AskedGroup], seed: int) -> list[Integers]:
    """In which quarter of the people each person is, from 0; pairs stay together.

    Quarters 0 and 1 are tried by what was learnt from 2 and 3, and the other way round.
    """
    last = max(int(asked.people.pair.max(initial=0)) for asked in groups)
    order = Randomness.from_seed(seed).generator("halves").permutation(last + 1)
    people = np.unique(np.concatenate([asked.people.pair for asked in groups]))
    quarter = np.zeros(last + 1, np.int64)
    quarter[people[np.argsort(order[people])]] = np.arange(len(people)) * 4 // len(people)
    return [quarter[asked.people.pair] for asked in groups]


def _asked(
    context: AuditContext,
    group: ControlGroup,
    known_choice: tuple[int, int],
    drawn: Randomness,
    task: Task,
) -> AskedGroup:
    """Each draw has a generator of its own, so that it does not matter what was drawn before."""
    known, choice = known_choice
    key = ("attacked", drawn.root)
    if key not in group.kept:
        group.kept[key] = AttackedRows.of(group, drawn.generator("teachers"))
    attacked: AttackedRows = group.kept[key]
    which = (known, choice) if choice else (known,)
    people = _people(context, group, known, drawn.generator("known", *which))
    known_ratings = people.known_ratings
    levels = levels_of(known_ratings.values, known_ratings.scale)
    posteriors = attacked.posteriors(known_ratings.offsets, known_ratings.items, levels, task)
    published = PublishedCells.of(group.rehearsed)
    return AskedGroup(group, people, attacked, posteriors, published.offsets, published.owned)


def _people(
    context: AuditContext, group: ControlGroup, known: int, rng: np.random.Generator
) -> AskedPeople:
    ratings = joined_people([group.members, group.outsiders])
    count = group.outsiders.n_users
    pair = match_labels(ratings.user_labels, context.original.user_labels)
    if group.folds == 1:
        pair[:count] = pair[count:]
    member = np.arange(2 * count) < count
    return AskedPeople(ratings, _drawn(ratings, known, rng), member, pair)


def joined_people(parts: list[Ratings]) -> Ratings:
    """The people of all parts, whose item codes are the same."""
    return Ratings(
        offsets=offsets_from(np.concatenate([one.user_counts for one in parts])),
        items=np.concatenate([one.items for one in parts]),
        values=np.concatenate([one.values for one in parts]),
        scale=parts[0].scale,
        user_labels=np.concatenate([one.user_labels for one in parts]),
        item_labels=parts[0].item_labels,
    )


def _drawn(ratings: Ratings, known: int, rng: np.random.Generator) -> Mask:
    """Which ratings are known: a uniform choice of so many of each person, at most half."""
    if known == ALL:
        return np.ones(len(ratings), np.bool_)
    users: Integers = ratings.user_codes().astype(np.int64)
    order = np.lexsort((rng.random(len(ratings)), users))
    places = np.arange(len(ratings)) - ratings.offsets[users[order]]
    limit = np.minimum(known, (ratings.user_counts + 1) // 2)
    mask = np.zeros(len(ratings), np.bool_)
    mask[order] = places < limit[users[order]]
    return mask
