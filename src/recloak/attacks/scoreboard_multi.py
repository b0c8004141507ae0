"""Attack `scoreboard-multi`: take all rows that fit together, for what is known links them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.comparing import Way, asked, ways_of
from recloak.attacks.crowd import Crowd, Tries
from recloak.attacks.gains import Outcome, joined
from recloak.attacks.knowing_people import Rehearsal, has_several_rows, rehearsal
from recloak.attacks.multi_figures import multi_figures, outcome_of_many
from recloak.attacks.row_scorer import Ground, Look, RowScorer
from recloak.attacks.scoreboard_rh import ScoreboardRH
from recloak.attacks.scoring import (
    TRIES_AT_ONCE,
    Table,
    bare,
    in_blocks,
    outcome_of,
)
from recloak.attacks.scoring_figures import still_needed
from recloak.attacks.togetherness import Pairs
from recloak.attacks.try_parameters import TryParameters
from recloak.findings import Figure, Finding
from recloak.kernels.taking_rows import take_apart, take_outstanding
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress, Task
from recloak.randomness import Randomness
from recloak.scene import Scene

MOST_ROWS = 64
LIKELY = 0.5
TRAINING_TRIES = 1024
_ALONE = "Nobody has several rows here: there is nothing to join, and nothing was learnt."


class ScoreboardMultiParameters(TryParameters):
    """What the adversary knows of a person and of other people, and when a score stands out."""

    share: float = Field(default=0.5, ge=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    from; the rest are attacked. 0: he learns nothing and takes rows that stand out."""

    phi: float = Field(default=1.5, ge=0, le=1e6)
    """By how many deviations a score must exceed the second best to stand out."""


class Variants(NamedTuple):
    """The same tries by different adversaries; ``learned`` holds none if nothing was learnt."""

    learned: Outcome
    repeated: Outcome
    single: Outcome
    before: Outcome


@dataclass(frozen=True)
class Setting:
    """What tries are made with: the release and the original as tables, and what was learnt."""

    table: Table
    original: Table
    way: Way
    scorer: RowScorer | None
    ground: Ground | None


class ScoreboardMulti(Attack):
    """Takes several rows, where `scoreboard-rh` takes one: what is known touches many of them.

    An adversary who knows other people makes a release of these by the same method and learns from
    it how likely a row is the person's: by how many known ratings it has, how rare they are, which
    contradict it, its size and habits, and the rows that claim the same ratings. He takes all rows
    that are likelier than not and share no item, the likeliest first. Beside it the same tries by
    Scoreboard-RH, once (`_single`) and again for what is left of the known ratings (`_repeated`).
    A try succeeds if one of the rows is the person's. Gain counts true new items of all rows taken.
    """

    name: ClassVar[str] = "scoreboard-multi"
    summary: ClassVar[str] = "Takes all rows that are likely the person's and share no item."
    figures: ClassVar[tuple[str, ...]] = (
        "success",
        "inconclusive",
        "wrong",
        "gain",
        "gain_values",
        "false_items",
        "item_precision",
        "success_repeated",
        "gain_repeated",
        "success_single",
        "gain_single",
        "success_original",
        "gain_original",
        "gain_kept",
    )
    Parameters: ClassVar[type[Parameters]] = ScoreboardMultiParameters
    parameters: ScoreboardMultiParameters

    @property
    def label(self) -> str:
        told = self.parameters
        return ", ".join([f"knows {told.amount} ratings", *told.limits, "takes many rows"])

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        told = self.parameters
        way = ways_of(scene, "values")[0]
        with progress.task(f"Taking rows together, {told.known} known") as task:
            helped = self._rehearsal(scene, seed, progress)
            crowd = Crowd.of(scene, told.known, told.upto, told.popular, helped.targets)
            if len(crowd) == 0:
                return self._finding(scene, seed, (), 0, (self._nobody(),))
            rng = Randomness.from_seed(seed).generator(self.name, told.known)
            scorer = self._trained(helped, way, rng, task)
            release, original = (Table.of(one, [way], 0) for one in (scene, bare(scene)))
            ground = Ground.of(release, way, scorer.pairs.in_rows(scene)) if scorer else None
            setting = Setting(release, original, way, scorer, ground)
            found = self._tries(setting, crowd, rng, task)
        best, notes = _strongest(found)
        notes = (helped.note, *notes)
        figures = multi_figures(best, found.repeated, found.single, found.before)
        return self._finding(scene, seed, figures, len(found.single.success), notes)

    def _rehearsal(self, scene: Scene, seed: int, progress: Progress) -> Rehearsal:
        if has_several_rows(scene):
            return rehearsal(scene, self.parameters.share, seed, progress)
        return Rehearsal(None, np.ones(scene.original.n_users, dtype=np.bool_), _ALONE)

    def _trained(
        self, helped: Rehearsal, way: Way, rng: np.random.Generator, task: Task
    ) -> RowScorer | None:
        told = self.parameters
        if helped.scene is None:
            return None
        counted = np.arange(helped.scene.original.n_users) % 2 == 0
        crowd = Crowd.of(helped.scene, told.known, told.upto, told.popular, ~counted)
        if len(crowd) == 0:
            return None
        tries = crowd.draw(TRAINING_TRIES, told.wrong, rng)
        # of other people than those he trains with, as those whom he attacks are others, too
        pairs = Pairs.of(helped.scene.original.take_users(np.flatnonzero(counted)))
        return RowScorer.trained(Table.of(helped.scene, [way], 0), way, tries, pairs, task)

    def _tries(
        self, setting: Setting, crowd: Crowd, rng: np.random.Generator, task: Task
    ) -> Variants:
        """Tries until the rates are sure enough, those of the strongest adversary foremost."""
        told = self.parameters
        parts: list[Variants] = []
        missing = told.at_least
        while missing:
            tries = crowd.draw(min(missing, TRIES_AT_ONCE), told.wrong, rng)
            parts.append(self._variants(setting, tries, task))
            so_far = Variants(*(joined(one) for one in zip(*parts, strict=True)))
            rates = [so_far.repeated, *([so_far.learned] if setting.scorer else [])]
            missing = still_needed(rates, told.width, told.at_least)
        return so_far

    def _variants(self, setting: Setting, tries: Tries, task: Task) -> Variants:
        table, original = setting.table, setting.original
        learned = np.empty((0, MOST_ROWS), np.int64)
        if setting.scorer and setting.ground:
            look = Look.at(setting.ground, tries, task)
            learned = _likely(table, look, tries, setting.scorer, task)
        repeated = self._outstanding(table, setting.way, tries, task)
        return Variants(
            outcome_of_many(table, tries, learned),
            outcome_of_many(table, tries, repeated),
            self._single(table, setting.way, tries, task),
            self._single(original, setting.way, tries, task),
        )

    def _outstanding(self, table: Table, way: Way, tries: Tries, task: Task) -> NDArray[np.int64]:
        taken = np.full((len(tries), MOST_ROWS), -1, np.int64)
        known = asked(table.scene, tries, way, 0)
        given = (table.postings, table.rows, known, table.scene.rows.n_items, self.parameters.phi)
        in_blocks(lambda start, end: take_outstanding(*given, start, end, taken), tries, task)
        return taken

    def _single(self, table: Table, way: Way, tries: Tries, task: Task) -> Outcome:
        known = asked(table.scene, tries, way, 0)
        named = ScoreboardRH(phi=self.parameters.phi)
        guess = named.guesses(table, known, tries, ("one",), task)["one"]
        return outcome_of(table.scene, tries, guess)

    def _nobody(self) -> str:
        return f"Nobody has {self.parameters.known} such ratings and a known row: not measured."

    def _finding(
        self,
        scene: Scene,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"The adversary {self.label}. {self.summary}"
        return self.reported(summary, figures, sample, seed, (scene.linkage.note, *notes))


def _likely(
    table: Table, look: Look, tries: Tries, scorer: RowScorer, task: Task
) -> NDArray[np.int64]:
    """The candidates that are likelier than not and share no item."""
    chances = scorer.chances(look, tries, task)
    order = np.argsort(-chances, axis=1, kind="stable")
    picked = np.take_along_axis(look.picked, order, 1)
    chances = np.take_along_axis(chances, order, 1)
    taken = np.full(picked.shape, -1, np.int64)
    given = (table.postings, table.rows, table.scene.rows.n_items)

    def take(start: int, end: int) -> None:
        take_apart(*given, start, end, picked, chances, LIKELY, taken)

    in_blocks(take, tries, task)
    return taken


def _strongest(found: Variants) -> tuple[Outcome, tuple[str, ...]]:
    """The adversary who gains most: the one who learnt, or the one who repeats Scoreboard-RH."""
    if len(found.learned.success) == 0:
        return found.repeated, ("Reported is Scoreboard-RH, repeated for what is left.",)
    if found.learned.gain.mean() >= found.repeated.gain.mean():
        return found.learned, ()
    return found.repeated, ("Scoreboard-RH, repeated, gains more than what was learnt: reported.",)
