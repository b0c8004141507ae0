"""The Bayesian adversary: what is known is drawn, candidates weighed, a row named."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.attacks.bayes_linkage._all_holders import AllHolders
from recloak.attacks.bayes_linkage._candidates import Candidates
from recloak.attacks.bayes_linkage._fragments import FragmentCandidates
from recloak.attacks.bayes_linkage._holders import HolderWeigher
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel
from recloak.attacks.bayes_linkage._pairs import PairWeigher
from recloak.attacks.bayes_linkage._rows import RowCandidates
from recloak.attacks.bayes_linkage._weigher import Weigher
from recloak.core.arrays import Floats, Indices
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.releases.linkage import Linkage

SURE = 0.9
MOST_WEIGHED = 1_000_000_000  # candidates, once for each known item of each try
FEWEST_TRIED = 100


class LinkageTrials(NamedTuple):
    """A row for each repetition, a column for each person.

    ``success`` is the chance to name the person's row, ``identified`` to name a row of those who
    share one with them, ``confidence`` how sure the adversary is of that. ``nobody`` marks tries
    in which no row was named.
    """

    success: Floats
    identified: Floats
    confidence: Floats
    nobody: Floats


class Adversary:
    """Somebody who knows the method and some ratings of people, and looks for their rows."""

    def __init__(self, candidates: Candidates, model: KnowledgeModel) -> None:
        self._candidates, self._model = candidates, model
        self._weigher = weigher_of(candidates, model)

    @property
    def notes(self) -> list[str]:
        """What a report is to say of how candidates are weighed."""
        return [self._candidates.note] if self._candidates.note else []

    def affordable(self, people: Ratings, able: Indices, wanted: int, repeats: int) -> int:
        """How many of ``able`` can be attacked: as many as are wanted, fewer if rows are many."""
        wanted = min(wanted, self._candidates.most_sought)
        return affordable(self._weigher.work, self._model, people, able, wanted, repeats)

    def attack(
        self,
        people: Ratings,
        users: Indices,
        linkage: Linkage | None,
        repeats: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> LinkageTrials:
        """Attack each of ``users`` among ``people``; without a linkage none of them has a row."""
        found = LinkageTrials(*(np.zeros((repeats, len(users))) for _ in LinkageTrials._fields))
        label = f"Weighing rows, {self._model.known or 'all'} known"
        with progress.task(label, repeats * len(users)) as task:
            for repeat in range(repeats):
                for place, user in enumerate(users.tolist()):
                    own = linkage.rows_of(user) if linkage is not None else _NO_ROWS
                    once = self._once(people, user, own, rng)
                    for table, outcome in zip(found, once, strict=True):
                        table[repeat, place] = outcome
                    task.advance()
        return found

    def _once(
        self, people: Ratings, user: int, own: Indices, rng: np.random.Generator
    ) -> tuple[float, float, float, float]:
        known = self._model.draw(people, user, rng)
        rows, confidence = self._weigher.named(known)
        if len(rows) == 0:
            return 0.0, 0.0, 0.0, 1.0
        success = len(set(own.tolist()).intersection(rows.tolist())) / len(rows)
        sharing = self._candidates.sharing(int(rows[0]))
        return success, min(success * sharing, 1.0), min(confidence * sharing, 1.0), 0.0


def weigher_of(candidates: Candidates, model: KnowledgeModel) -> Weigher | HolderWeigher:
    """Who weighs candidates: all of them, or only rows that hold all that is known.

    Where a known item may be the wrong one, anybody may be the person.
    """
    if isinstance(candidates, RowCandidates) and candidates.only_holders and surely_rated(model):
        return HolderWeigher(candidates, model)
    if isinstance(candidates, FragmentCandidates):
        return PairWeigher(candidates, model)
    return Weigher(candidates, model)


def surely_rated(model: KnowledgeModel) -> bool:
    """Did the person rate every known item? Else nobody can be ruled out."""
    return model.wrong == 0 or model.knows_values


class AdversaryOfAll:
    """Somebody who looks for the rows of people of a sample among the rows of all.

    They know as much of these as `Adversary` does where all rows are in memory.
    """

    def __init__(self, context: AuditContext, holders: AllHolders, model: KnowledgeModel) -> None:
        """``context`` has the people of the sample and their rows."""
        self._context, self._holders, self._model = context, holders, model

    def affordable(self, able: Indices, wanted: int, repeats: int) -> int:
        """As `Adversary.affordable`."""
        return affordable(
            self._holders.work, self._model, self._context.original, able, wanted, repeats
        )

    def attack(
        self, users: Indices, repeats: int, rng: np.random.Generator, progress: Progress
    ) -> LinkageTrials:
        """Attack each of ``users``: all tries are drawn first, and all rows are read once."""
        context, shape = self._context, (repeats, len(users))
        tried = np.tile(users, repeats).tolist()
        known = [self._model.draw(context.original, user, rng) for user in tried]
        names = context.rows.user_labels.astype(np.int64)
        own = [names[context.linkage.rows_of(user)] for user in tried]
        found, confidence = self._holders.named(known, own, progress)
        success = found.own / np.maximum(found.named, 1)
        nobody = (found.named == 0).astype(np.float64)
        columns = (success, success, confidence, nobody)
        return LinkageTrials(*(column.reshape(shape) for column in columns))


def affordable(
    work: int, model: KnowledgeModel, people: Ratings, able: Indices, wanted: int, repeats: int
) -> int:
    """How many of ``able`` can be attacked: as many as are wanted, fewer if rows are many.

    ``work`` is how many candidates are looked at for each known item.
    """
    known = model.known or int(people.user_counts[able].mean()) if len(able) else 0
    each = work * max(known, 8) * repeats
    most = max(FEWEST_TRIED, MOST_WEIGHED // max(each, 1))
    return min(len(able), wanted, most)


_NO_ROWS = np.empty(0, dtype=np.int64)
