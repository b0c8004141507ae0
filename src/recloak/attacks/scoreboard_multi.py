"""Attack `scoreboard-multi`: take all rows that fit together, for what is known links them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.comparing import ways_of
from recloak.attacks.crowd import Crowd
from recloak.attacks.gains import Outcome
from recloak.attacks.hands import Hand, Variants, strongest, worth
from recloak.attacks.knowing_people import Rehearsal, has_several_rows, rehearsal
from recloak.attacks.multi_figures import multi_figures
from recloak.attacks.row_scorer import Lesson
from recloak.attacks.scoring import TRIES_AT_ONCE
from recloak.attacks.scoring_figures import still_needed
from recloak.attacks.togetherness import Pairs
from recloak.attacks.try_parameters import TryParameters
from recloak.findings import Figure, Finding
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress, Task
from recloak.randomness import Randomness
from recloak.scene import Scene

TRAINING_TRIES = 1024
RARELY = 0.02
_DOES_BEST = "Reported is Scoreboard-RH, {}."
_ALONE = "Nobody has several rows here: there is nothing to join, and nothing was learnt."


class ScoreboardMultiParameters(TryParameters):
    """What the adversary knows of a person and of other people, and when a score stands out."""

    share: float = Field(default=0.5, ge=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    from; the rest are attacked. 0: he learns nothing and takes rows that stand out."""

    phi: float = Field(default=1.5, ge=0, le=1e6)
    """By how many deviations a score must exceed the second best to stand out."""


class ScoreboardMulti(Attack):
    """Takes several rows, where `scoreboard-rh` takes one: what is known touches many of them.

    An adversary who knows other people makes a release of these by the same method and learns from
    it how likely a row is the person's: by how many known ratings it has, how rare they are, which
    contradict it, its size and habits, and the rows that claim the same ratings. He takes all rows
    that are likelier than not and share no item, the likeliest first. Unless his rehearsal shows
    that ratings come out as he knows them, he also compares within the noise that the release
    states and by items alone. Beside it the same tries by Scoreboard-RH, once (`_single`) and again
    for what is left of the known ratings (`_repeated`). Reported is the adversary who gets most
    true items, less the false ones that he takes along.
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
        with progress.task(f"Taking rows together, {told.known} known") as task:
            helped = self._rehearsal(scene, seed, progress)
            crowd = Crowd.of(scene, told.known, told.upto, told.popular, helped.targets)
            if len(crowd) == 0:
                return self._finding(scene, seed, (), 0, (helped.note, self._nobody()))
            rng = Randomness.from_seed(seed).generator(self.name, told.known)
            hands = self._hands(scene, helped, rng, task)
            found = self._tries(hands, crowd, rng, task)
        best = strongest(found)
        reported, note = _reported(best)
        notes = [helped.note, *note]
        if helped.scene and not any(hand.scorer for hand in hands):
            notes.append("His own release told him nothing that could be learnt.")
        if len(hands) > 1:
            ways = ", by ".join(str(hand.way) for hand in hands)
            notes.append(f"Compared by {ways}; reported is what serves each adversary best.")
        figures = multi_figures(reported, best.repeated, best.single, best.before)
        return self._finding(scene, seed, figures, len(reported.success), tuple(notes))

    def _rehearsal(self, scene: Scene, seed: int, progress: Progress) -> Rehearsal:
        if has_several_rows(scene):
            return rehearsal(scene, self.parameters.share, seed, progress)
        return Rehearsal(None, np.ones(scene.original.n_users, dtype=np.bool_), _ALONE)

    def _hands(
        self, scene: Scene, helped: Rehearsal, rng: np.random.Generator, task: Task
    ) -> list[Hand]:
        """One for each way to compare, the closest first, until one finds ratings as known."""
        lesson = self._lesson(helped, rng)
        hands: list[Hand] = []
        ways = ways_of(scene, "strongest" if has_several_rows(scene) else "values")
        for way in ways:
            scorer = lesson.learnt(way, task) if lesson else None
            hands.append(Hand.of(scene, way, self.parameters.phi, scorer))
            if scorer and scorer.contradicted < RARELY:
                break
        return hands

    def _lesson(self, helped: Rehearsal, rng: np.random.Generator) -> Lesson | None:
        """What he learns from, if he can make a release of his own and tries in it."""
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
        return Lesson(helped.scene, tries, told.wrong, pairs)

    def _tries(
        self, hands: list[Hand], crowd: Crowd, rng: np.random.Generator, task: Task
    ) -> list[Variants]:
        """Tries until the rates are sure enough, those of the strongest adversary foremost."""
        told = self.parameters
        parts: list[list[Variants]] = [[] for _ in hands]
        missing = told.at_least
        while missing:
            tries = crowd.draw(min(missing, TRIES_AT_ONCE), told.wrong, rng)
            for hand, part in zip(hands, parts, strict=True):
                part.append(hand.variants(tries, task))
            so_far = [Variants.joined(part) for part in parts]
            rates = [rate for one in so_far for rate in (one.repeated, one.learned)]
            done = (rate for rate in rates if len(rate.success))
            missing = still_needed(done, told.width, told.at_least)
        return so_far

    def _nobody(self) -> str:
        known = self.parameters.known
        return f"Nobody who is attacked has {known} such ratings and a known row: not measured."

    def _finding(
        self,
        scene: Scene,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"The adversary {self.label}. {self.summary}"
        return self.finding(summary, figures, sample, seed, (scene.linkage.note, *notes))


def _reported(found: Variants) -> tuple[Outcome, tuple[str, ...]]:
    """The adversary who does best: the one who learnt, or Scoreboard-RH, repeated or not."""
    if worth(found.learned) >= max(worth(found.repeated), worth(found.single)):
        return found.learned, ()
    if worth(found.repeated) >= worth(found.single):
        return found.repeated, (_DOES_BEST.format("repeated for what is left"),)
    return found.single, (
        _DOES_BEST.format("once: more rows bring more false items than true ones"),
    )
