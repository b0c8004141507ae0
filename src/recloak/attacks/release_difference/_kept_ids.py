"""Rows that keep their ids from one release to the next: rows that change together are linked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from recloak.attacks._adversary_training import adversary_training
from recloak.attacks._joined_rows import NamedRows, joined_figures
from recloak.attacks._logistic import chances
from recloak.attacks._pair_scorer import PairScorer, PairTable, co_rating_vectors, owners_of
from recloak.attacks._postings import rows_of
from recloak.attacks.release_difference._changed_rows import RowChanges, recent_contexts
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.progress import Progress, Task
from recloak.evaluation.context import AuditContext, EarlierRelease
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import mean_figure, share_figure

PartnerChances = tuple[Indices, Floats]

PAIRS_AT_MOST = 4e8
FEWEST_ROWS = 20
NO_FACTORS = np.empty((0, 0), dtype=np.float32)
NOTHING = "No row changed between the two releases: not measured."
SOURCES = {
    "random": "The partner of a changed row was drawn at random from all rows that changed",
    "newer": "Knowing which rows changed did not help more than comparing the rows",
    "changed": "Partners of a changed row were sought among those that changed too",
    "unchanged": (
        "Rows that change together are of different people here, so partners of a changed row were "
        "sought among those that did not change"
    ),
}


class ChangeScorer(NamedTuple):
    """A pair scorer trained on ``trained_on`` rows, for all rows (``table``) and changed ones."""

    pairs: PairScorer
    table: PairTable
    changed: PairTable
    trained_on: int


@dataclass(frozen=True)
class ChangedRowAttacker:
    """An adversary who sees which rows of a release changed since an earlier one."""

    context: AuditContext
    previous: EarlierRelease
    trials: int
    share: float
    known: int
    recent: int
    seed: int
    rng: np.random.Generator

    def run(self, progress: Progress) -> tuple[tuple[Figure, ...], int, tuple[str, ...]]:
        """Figures, on how many rows, and how it was done."""
        changes = RowChanges.between(self.previous.rows, self.context.rows)
        if len(changes.rows) == 0:
            return (), 0, (NOTHING,)
        training = adversary_training(self.context, self.share, self.seed, progress)
        owners = owners_of(self.context)
        fair = (owners[changes.rows] >= 0) & training.targets[owners[changes.rows]]
        rows = np.sort(self.rng.permutation(changes.rows[fair])[: self._affordable()])
        if len(rows) == 0:
            return (), 0, (NOTHING,)
        with progress.task("Looking at rows that changed") as task:
            scorer = self._scorer(training.context, changes, progress, task)
            figures, source = self._linked(scorer, changes, rows, owners, task)
            if scorer is not None:
                figures += self._joined(scorer, changes, training.targets, source, task)
        figures += self._recent(changes, training.targets, progress)
        return figures, len(rows), (training.note, f"{SOURCES[source]}.", changes.summary())

    def _affordable(self) -> int:
        limit = max(int(PAIRS_AT_MOST / max(self.context.rows.n_users, 1)), FEWEST_ROWS)
        return min(self.trials, limit)

    def _scorer(
        self, rehearsal: AuditContext | None, changes: RowChanges, progress: Progress, task: Task
    ) -> ChangeScorer | None:
        if rehearsal is None:
            return None
        both = (rehearsal, self.context)
        vectors = co_rating_vectors(rehearsal, both, self.seed, progress)
        mine, theirs = (
            PairTable.of(one, each, NO_FACTORS) for one, each in zip(both, vectors, strict=True)
        )
        pairs = PairScorer.trained(mine, self.rng, task)
        if pairs is None:
            return None
        return ChangeScorer(pairs, theirs, _only(theirs, changes.rows), rehearsal.rows.n_users)

    def _linked(
        self,
        scorer: ChangeScorer | None,
        changes: RowChanges,
        rows: Indices,
        owners: Indices,
        task: Task,
    ) -> tuple[tuple[Figure, ...], str]:
        """How often a partner is right, and by which source: the one that is right most often."""
        everyone, watched = (
            np.bincount(owners[some][owners[some] >= 0], minlength=int(owners.max()) + 1)
            for some in (np.arange(len(owners)), changes.rows)
        )
        anywhere = (everyone[owners[rows]] - 1) / max(len(owners) - 1, 1)
        blind = (watched[owners[rows]] - 1) / max(len(changes.rows) - 1, 1)
        found = {"random": blind}
        if scorer is not None:
            whole = scorer.pairs.partners(scorer.table, rows, task)
            found |= {
                "changed": _is_right(_among_changed(scorer, changes, rows, task), owners, rows),
                "unchanged": _is_right(_among_unchanged(whole, changes), owners, rows),
                "newer": _is_right(whole, owners, rows),
            }
        source = max(found, key=lambda one: found[one].mean())
        what = "changed rows for which another row of the same person is named"
        figures = [
            share_figure("linked", found[source], what),
            share_figure("linked_random", anywhere, "the same for a row taken at random"),
        ]
        if scorer is not None:
            meaning = "the same from the later release alone"
            figures.append(share_figure("linked_newer", found["newer"], meaning))
        changed = np.zeros(len(owners))
        changed[changes.rows] = 1
        figures.append(share_figure("changed_rows", changed, "rows that are new or grew"))
        return tuple(figures), source

    def _joined(
        self,
        scorer: ChangeScorer,
        changes: RowChanges,
        targets: Mask,
        source: str,
        task: Task,
    ) -> tuple[Figure, ...]:
        """The gain from rows joined to one that Scoreboard-RH names, of people with new ratings."""
        touched = np.zeros(len(targets), dtype=np.bool_)
        owners = owners_of(self.context)[changes.rows]
        touched[owners[owners >= 0]] = True
        trials = min(max(self.trials // 3, 2), self._affordable())
        named = NamedRows.by_scoreboard(
            self.context, self.known, targets & touched, trials, self.rng, task
        )
        if named is None:
            return ()

        def by_features(rows: Indices) -> PartnerChances:
            return scorer.pairs.partners(scorer.table, rows, task)

        def by_both(rows: Indices) -> PartnerChances:
            partners, likely = by_features(rows)
            seen = changes.is_changed[rows]
            if source == "newer":
                return partners, likely
            if source == "unchanged":
                other = _among_unchanged((partners[seen], likely[seen]), changes)
            else:
                other = _among_changed(scorer, changes, rows[seen], task)
            partners[seen], likely[seen] = other
            return partners, likely

        newer = named.outcome(by_features).gain
        meaning = "the same with rows joined by the later release alone"
        joined, single, precision = _three(joined_figures(named.outcome(by_both), named.alone()))
        beside = mean_figure("gain_newer", newer, "count", meaning)
        return (*joined, *beside, *single, *precision)

    def _recent(self, changes: RowChanges, targets: Mask, progress: Progress) -> tuple[Figure, ...]:
        """How often a few of a person's new ratings find a row: the better of searching what is
        new and searching all, and the latter by itself.
        """
        contexts = recent_contexts(self.context, changes, targets)
        attack = ScoreboardRH(known=self.recent)
        figures = [
            figure
            for context in contexts
            if (figure := attack.run(context, self.seed, progress).figure("success"))
        ]
        if len(figures) < len(contexts):
            return ()
        best = max(figures, key=lambda figure: figure.value)
        known = f"tries that find a row of the person by {self.recent} new ratings, among"
        where = (
            "all that is new" if best is figures[0] else "all, which does better than what is new"
        )
        return (
            replace(best, name="found_recent", meaning=f"{known} {where}"),
            replace(
                figures[1], name="found_recent_newer", meaning=f"{known} all of the later release"
            ),
        )


def _three(figures: tuple[Figure, ...]) -> tuple[tuple[Figure, ...], ...]:
    names = ("gain_joined", "gain_single", "precision_joined")
    return tuple(tuple(one for one in figures if one.name == name) for name in names)


def _only(table: PairTable, rows: Indices) -> PairTable:
    """Some rows of a table, with the traits that they have among all."""
    traits = table.traits
    timed = len(traits.times) > 0
    taken = replace(table.context.rows, times=traits.times if timed else None).take_users(rows)
    times = traits.times if taken.times is None else taken.times
    context = replace(table.context, rows=replace(taken, times=None))
    own = traits._replace(
        numbers=traits.numbers[rows],
        rarest=traits.rarest[rows],
        directions=traits.directions[rows],
        times=times,
    )
    return PairTable(context, rows_of(taken), own)


def _among_changed(
    scorer: ChangeScorer, changes: RowChanges, rows: Indices, task: Task
) -> PartnerChances:
    """Partners among changed rows. They are fewer than all, so that each is as much likelier."""
    place = np.searchsorted(changes.rows, rows)
    partners, likely = scorer.pairs.partners(scorer.changed, place, task)
    known = np.clip(likely, 1e-12, 1 - 1e-12)
    ahead = np.log(max(scorer.trained_on - 1, 1) / max(len(changes.rows) - 1, 1))
    sure = chances(np.log(known / (1 - known)) + ahead)
    return np.where(partners >= 0, changes.rows[partners], -1), np.where(partners >= 0, sure, -1.0)


def _among_unchanged(found: PartnerChances, changes: RowChanges) -> PartnerChances:
    """Partners among the rows that did not change, best first."""
    partners, likely = found
    out = (partners < 0) | changes.is_changed[partners]
    order = np.argsort(out, axis=1, kind="stable")
    kept = np.where(out, -1, partners), np.where(out, -1.0, likely)
    return np.take_along_axis(kept[0], order, 1), np.take_along_axis(kept[1], order, 1)


def _is_right(found: PartnerChances, owners: Indices, rows: Indices) -> Floats:
    """Is the first partner of each row the same person's?"""
    first = found[0][:, 0]
    right = (first >= 0) & (owners[first] == owners[rows])
    return np.asarray(right, dtype=np.float64)
