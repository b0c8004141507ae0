"""Rows that keep their ids from one release to the next: those that change together are linked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.changed_rows import Changes, recent_scenes
from recloak.attacks.joining import Named, joined_figures
from recloak.attacks.knowing_people import rehearsal
from recloak.attacks.logistic import chances
from recloak.attacks.pair_scorer import PairScorer, PairTable, co_rating_vectors, owners_of
from recloak.attacks.postings import rows_of
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.findings import Figure
from recloak.progress import Progress, Task
from recloak.scene import Previous, Scene
from recloak.statistics import mean_figure, share_figure

Codes = NDArray[np.int64]
Found = tuple[Codes, NDArray[np.float64]]

PAIRS_AT_MOST = 4e8
FEWEST_ROWS = 20
NO_FACTORS = np.empty((0, 0), dtype=np.float32)
NOTHING = "No row changed between the two releases: not measured."
WAYS = {
    "": "A partner of a changed row was taken at random among all that changed",
    "newer": "Which rows changed told no more than how they look",
    "together": "Partners of a changed row were sought among those that changed too",
    "apart": "Rows that change together are of different people here, so that partners of a "
    "changed row were sought among those that did not change",
}


class Scorer(NamedTuple):
    """What judges pairs: learnt on ``learnt_on`` rows, applied to ``table`` and its ``changed``."""

    pairs: PairScorer
    table: PairTable
    changed: PairTable
    learnt_on: int


@dataclass(frozen=True)
class Watcher:
    """An adversary who sees which rows of a release changed since an earlier one."""

    scene: Scene
    previous: Previous
    tries: int
    share: float
    known: int
    recent: int
    seed: int
    rng: np.random.Generator

    def learnt(self, progress: Progress) -> tuple[tuple[Figure, ...], int, tuple[str, ...]]:
        """Figures, on how many rows, and how it was done."""
        changes = Changes.between(self.previous.rows, self.scene.rows)
        if len(changes.rows) == 0:
            return (), 0, (NOTHING,)
        helped = rehearsal(self.scene, self.share, self.seed, progress)
        owners = owners_of(self.scene)
        fair = (owners[changes.rows] >= 0) & helped.targets[owners[changes.rows]]
        rows = np.sort(self.rng.permutation(changes.rows[fair])[: self._affordable()])
        if len(rows) == 0:
            return (), 0, (NOTHING,)
        with progress.task("Looking at rows that changed") as task:
            scorer = self._scorer(helped.scene, changes, progress, task)
            figures, way = self._linked(scorer, changes, rows, owners, task)
            if scorer is not None:
                figures += self._joined(scorer, changes, helped.targets, way, task)
        figures += self._recent(changes, helped.targets, progress)
        return figures, len(rows), (helped.note, f"{WAYS[way]}.", changes.told())

    def _affordable(self) -> int:
        limit = max(int(PAIRS_AT_MOST / max(self.scene.rows.n_users, 1)), FEWEST_ROWS)
        return min(self.tries, limit)

    def _scorer(
        self, shadow: Scene | None, changes: Changes, progress: Progress, task: Task
    ) -> Scorer | None:
        if shadow is None:
            return None
        both = (shadow, self.scene)
        vectors = co_rating_vectors(shadow, both, self.seed, progress)
        mine, theirs = (
            PairTable.of(one, each, NO_FACTORS) for one, each in zip(both, vectors, strict=True)
        )
        pairs = PairScorer.trained(mine, self.rng, task)
        if pairs is None:
            return None
        return Scorer(pairs, theirs, _only(theirs, changes.rows), shadow.rows.n_users)

    def _linked(
        self, scorer: Scorer | None, changes: Changes, rows: Codes, owners: Codes, task: Task
    ) -> tuple[tuple[Figure, ...], str]:
        """How often a partner is right, and the way by which: the one that is right most often."""
        everyone, watched = (
            np.bincount(owners[some][owners[some] >= 0], minlength=int(owners.max()) + 1)
            for some in (np.arange(len(owners)), changes.rows)
        )
        anywhere = (everyone[owners[rows]] - 1) / max(len(owners) - 1, 1)
        blind = (watched[owners[rows]] - 1) / max(len(changes.rows) - 1, 1)
        found = {"": blind}
        if scorer is not None:
            whole = scorer.pairs.partners(scorer.table, rows, task)
            found |= {
                "together": _right(_together(scorer, changes, rows, task), owners, rows),
                "apart": _right(_apart(whole, changes), owners, rows),
                "newer": _right(whole, owners, rows),
            }
        way = max(found, key=lambda one: found[one].mean())
        said = "changed rows for which another row of the same person is named"
        figures = [
            share_figure("linked", found[way], said),
            share_figure("linked_random", anywhere, "the same for a row taken at random"),
        ]
        if scorer is not None:
            told = "the same from the later release alone"
            figures.append(share_figure("linked_newer", found["newer"], told))
        changed = np.zeros(len(owners))
        changed[changes.rows] = 1
        figures.append(share_figure("changed_rows", changed, "rows that are new or grew"))
        return tuple(figures), way

    def _joined(
        self, scorer: Scorer, changes: Changes, targets: NDArray[np.bool_], way: str, task: Task
    ) -> tuple[Figure, ...]:
        """What the rows joined to one that Scoreboard-RH names then tell, of people of whom
        something is new.
        """
        touched = np.zeros(len(targets), dtype=np.bool_)
        owners = owners_of(self.scene)[changes.rows]
        touched[owners[owners >= 0]] = True
        tries = min(max(self.tries // 3, 2), self._affordable())
        named = Named.by_scoreboard(
            self.scene, self.known, targets & touched, tries, self.rng, task
        )
        if named is None:
            return ()

        def by_looks(rows: Codes) -> Found:
            return scorer.pairs.partners(scorer.table, rows, task)

        def by_both(rows: Codes) -> Found:
            partners, likely = by_looks(rows)
            seen = changes.is_changed[rows]
            if way == "newer":
                return partners, likely
            if way == "apart":
                other = _apart((partners[seen], likely[seen]), changes)
            else:
                other = _together(scorer, changes, rows[seen], task)
            partners[seen], likely[seen] = other
            return partners, likely

        newer = named.outcome(by_looks).gain
        said = "the same with rows joined by the looks of the later release alone"
        joined, single, precision = _three(joined_figures(named.outcome(by_both), named.alone()))
        beside = mean_figure("gain_newer", newer, "count", said)
        return (*joined, *beside, *single, *precision)

    def _recent(
        self, changes: Changes, targets: NDArray[np.bool_], progress: Progress
    ) -> tuple[Figure, ...]:
        """How often a few of a person's new ratings find a row: the better of searching what is
        new and searching all, and the latter by itself.
        """
        scenes = recent_scenes(self.scene, changes, targets)
        attack = ScoreboardRH(known=self.recent)
        found = [attack.run(scene, self.seed, progress).figure("success") for scene in scenes]
        told = [figure for figure in found if figure is not None]
        if len(told) < len(scenes):
            return ()
        best = max(told, key=lambda figure: figure.value)
        known = f"tries that find a row of the person by {self.recent} new ratings, among"
        where = "all that is new" if best is told[0] else "all, which does better than what is new"
        return (
            replace(best, name="found_recent", meaning=f"{known} {where}"),
            replace(
                told[1], name="found_recent_newer", meaning=f"{known} all of the later release"
            ),
        )


def _three(figures: tuple[Figure, ...]) -> tuple[tuple[Figure, ...], ...]:
    names = ("gain_joined", "gain_single", "precision_joined")
    return tuple(tuple(one for one in figures if one.name == name) for name in names)


def _only(table: PairTable, rows: Codes) -> PairTable:
    """Some rows of a table, with the traits that they have among all."""
    traits = table.traits
    timed = len(traits.times) > 0
    taken = replace(table.scene.rows, times=traits.times if timed else None).take_users(rows)
    times = traits.times if taken.times is None else taken.times
    scene = replace(table.scene, rows=replace(taken, times=None))
    own = traits._replace(
        numbers=traits.numbers[rows],
        rarest=traits.rarest[rows],
        directions=traits.directions[rows],
        times=times,
    )
    return PairTable(scene, rows_of(taken), own)


def _together(scorer: Scorer, changes: Changes, rows: Codes, task: Task) -> Found:
    """Partners among changed rows. They are fewer than all, so that each is as much likelier."""
    place = np.searchsorted(changes.rows, rows)
    partners, likely = scorer.pairs.partners(scorer.changed, place, task)
    known = np.clip(likely, 1e-12, 1 - 1e-12)
    ahead = np.log(max(scorer.learnt_on - 1, 1) / max(len(changes.rows) - 1, 1))
    sure = chances(np.log(known / (1 - known)) + ahead)
    return np.where(partners >= 0, changes.rows[partners], -1), np.where(partners >= 0, sure, -1.0)


def _apart(found: Found, changes: Changes) -> Found:
    """Partners among the rows that did not change, best first."""
    partners, likely = found
    out = (partners < 0) | changes.is_changed[partners]
    order = np.argsort(out, axis=1, kind="stable")
    kept = np.where(out, -1, partners), np.where(out, -1.0, likely)
    return np.take_along_axis(kept[0], order, 1), np.take_along_axis(kept[1], order, 1)


def _right(found: Found, owners: Codes, rows: Codes) -> NDArray[np.float64]:
    """Is the first partner of each row the same person's?"""
    first = found[0][:, 0]
    right = (first >= 0) & (owners[first] == owners[rows])
    return np.asarray(right, dtype=np.float64)
