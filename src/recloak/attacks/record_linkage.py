"""Attack `record-linkage`: take the row nearest to what is known about a person."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.gains import Outcome, Units, gain_figures, joined, told
from recloak.attacks.targets import Knowledge, Targets, draw_targets
from recloak.attacks.worst_tenth import worst_tenth
from recloak.findings import Figure, Finding
from recloak.identical import identical_groups
from recloak.kernels.nearest import nearest
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.scene import Scene
from recloak.statistics import share_figure

TARGETS_PER_BLOCK = 32


class RecordLinkageParameters(Parameters):
    """What the adversary knows, and how many people are attacked."""

    known: int = Field(default=0, ge=0)
    """How many of a person's ratings the adversary knows, picked at random; 0 means all."""

    values: bool = True
    """Does he know the ratings themselves (yes), or only which items were rated (no)?"""

    targets: int = Field(default=1000, ge=1)
    """How many people to attack; all of them if there are fewer."""

    repeats: int = Field(default=4, ge=1, le=100)
    """How often each is attacked, with other known items each time; once if all are known."""


class RecordLinkage(Attack):
    """Takes the row that lies nearest to what is known.

    A known item that a row lacks counts as much as the widest possible difference of ratings. An
    adversary who knows all of a person's ratings also minds what a row has beyond them. Among
    equally near rows he guesses: the right one in a tie of three is a third of a success.
    """

    name: ClassVar[str] = "record-linkage"
    summary: ClassVar[str] = "Finds the row nearest to what is known about a person."
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Torra: Disclosure risk assessment and data distortion by record linkage."
    )
    figures: ClassVar[tuple[str, ...]] = (
        "success",
        "inconclusive",
        "wrong",
        "worst_tenth",
        "gain",
        "gain_values",
        "false_items",
    )
    Parameters: ClassVar[type[Parameters]] = RecordLinkageParameters
    parameters: RecordLinkageParameters

    @property
    def label(self) -> str:
        what = "ratings" if self.parameters.values else "items"
        return f"knows {self.parameters.known or 'all'} {what}"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known, repeats = self.parameters.known, self.parameters.repeats
        rng = Randomness.from_seed(seed).generator(self.name, known)
        targets = draw_targets(scene, self.parameters.targets, max(known, 1), rng)
        groups, _ = identical_groups(scene.rows, values=True)
        rounds = range(repeats if known else 1)
        outcomes: list[Outcome] = []
        with progress.task(
            f"Linking records, {known or 'all'} known", len(rounds) * len(targets)
        ) as task:
            for _ in rounds:
                parts = []
                for block in targets.blocks(TARGETS_PER_BLOCK):
                    parts.append(self._attack(scene, block, block.knowledge(known, rng), groups))
                    task.advance(len(block))
                outcomes.append(joined(parts))
        return self._finding(targets, outcomes, seed)

    def _attack(
        self, scene: Scene, targets: Targets, knowledge: Knowledge, groups: NDArray[np.int64]
    ) -> Outcome:
        index = scene.rows.by_item
        units = Units.between(scene.original.scale, scene.rows.scale)
        ties, own, alike, example, other = nearest(
            knowledge.offsets,
            knowledge.items,
            units.converted(knowledge.values),
            *targets.own_rows(),
            groups,
            index.offsets,
            index.users,
            index.values,
            scene.rows.user_counts,
            *self._costs(scene),
            self.parameters.values and units.comparable,
        )
        known = (targets.users, knowledge.offsets, knowledge.positions)
        right, share = told(scene, *known, example), alike / ties
        mistaken = told(scene, *known, other)
        return Outcome(
            success=own / ties,
            inconclusive=np.where(own > 0, 1 - own / ties, 0.0),
            wrong=(own == 0).astype(np.float64),
            gain=share * right[:, 0],
            gain_values=share * right[:, 1],
            false_items=share * right[:, 2] + (1 - share) * mistaken[:, 2],
        )

    def _costs(self, scene: Scene) -> tuple[float, float]:
        """What a missing and what a surplus item costs."""
        span = scene.rows.scale.span
        miss = span**2 if self.parameters.values and span > 0 else 1.0
        return miss, 0.0 if self.parameters.known else miss

    def _finding(self, targets: Targets, outcomes: list[Outcome], seed: int) -> Finding:
        notes: tuple[str, ...] = (targets.linkage.note,)
        if len(targets) == 0:
            notes += (f"Nobody has {self.parameters.known} ratings and a known row: not measured.",)
        return Finding(
            family="attack",
            name=self.name,
            parameters=self.parameters.public(),
            summary=self._summary(),
            label=self.label,
            figures=self._figures(outcomes) if len(targets) else (),
            sample=len(targets) * len(outcomes),
            seed=seed,
            notes=notes,
        )

    def _summary(self) -> str:
        known = self.parameters.known
        what = "ratings" if self.parameters.values else "rated items, without the ratings"
        return f"The adversary knows {f'{known} of' if known else 'all'} a person's {what}."

    def _figures(self, outcomes: list[Outcome]) -> tuple[Figure, ...]:
        success = np.array([outcome.success for outcome in outcomes])
        per_person = success.mean(axis=0)
        figures = [
            share_figure("success", per_person, "people whose row was found"),
            share_figure(
                "inconclusive",
                _mean("inconclusive", outcomes),
                "tries where the person's row was among several, and the guess fell on another",
            ),
            share_figure("wrong", _mean("wrong", outcomes), "tries that led to someone else's row"),
            worst_tenth(success),
        ]
        if self.parameters.known:
            per_target = Outcome(*(_mean(name, outcomes) for name in Outcome._fields))
            figures += gain_figures(per_target)
        return tuple(figures)


def _mean(name: str, outcomes: list[Outcome]) -> NDArray[np.float64]:
    rounds = np.array([getattr(outcome, name) for outcome in outcomes], dtype=np.float64)
    return np.asarray(rounds.mean(axis=0))
