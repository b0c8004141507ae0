"""Attack `record-linkage`: take the row nearest to what is known about a person."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.targets import Knowledge, Targets, draw_targets, worst_tenth
from recloak.findings import Figure, Finding
from recloak.identical import identical_groups
from recloak.kernels.nearest import learned, nearest
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.scene import Scene
from recloak.statistics import mean_figure, share_figure

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


class _Outcome(NamedTuple):
    """One number for each target."""

    success: NDArray[np.float64]
    tied: NDArray[np.float64]
    gain: NDArray[np.float64]
    gain_values: NDArray[np.float64]
    false_items: NDArray[np.float64]


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
        outcomes: list[_Outcome] = []
        with progress.task(
            f"Linking records, {known or 'all'} known", len(rounds) * len(targets)
        ) as task:
            for _ in rounds:
                parts = []
                for block in targets.blocks(TARGETS_PER_BLOCK):
                    parts.append(self._attack(scene, block, block.knowledge(known, rng), groups))
                    task.advance(len(block))
                outcomes.append(_joined(parts))
        return self._finding(targets, outcomes, seed)

    def _attack(
        self, scene: Scene, targets: Targets, knowledge: Knowledge, groups: NDArray[np.int64]
    ) -> _Outcome:
        index = scene.rows.by_item
        ties, own, alike, example = nearest(
            knowledge.offsets,
            knowledge.items,
            knowledge.values,
            *targets.own_rows(),
            groups,
            index.offsets,
            index.users,
            index.values,
            scene.rows.user_counts,
            *self._costs(scene),
            self.parameters.values,
        )
        told = _told(scene, targets, knowledge, example) * (alike / ties)[:, None]
        return _Outcome(own / ties, (ties > 1).astype(np.float64), *told.T)

    def _costs(self, scene: Scene) -> tuple[float, float]:
        """What a missing and what a surplus item costs."""
        span = max(scene.original.scale.span, scene.rows.scale.span)
        miss = span**2 if self.parameters.values and span > 0 else 1.0
        return miss, 0.0 if self.parameters.known else miss

    def _finding(self, targets: Targets, outcomes: list[_Outcome], seed: int) -> Finding:
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

    def _figures(self, outcomes: list[_Outcome]) -> tuple[Figure, ...]:
        success = np.array([outcome.success for outcome in outcomes])
        per_person = success.mean(axis=0)
        figures = [
            share_figure("success", per_person, "people whose row was found"),
            share_figure("wrong", 1 - per_person, "attacks that named another row"),
            share_figure("tied", _mean("tied", outcomes), "attacks with several nearest rows"),
            share_figure("worst_tenth", worst_tenth(success), "success on the worst-off tenth"),
        ]
        if self.parameters.known:
            meanings = {
                "gain": "further items of the person that the row gave away",
                "gain_values": "of these, with a rating within half a step",
                "false_items": "items in the row that the person never rated",
            }
            for name, meaning in meanings.items():
                figures.append(mean_figure(name, _mean(name, outcomes), "count", meaning))
        return tuple(figures)


def _mean(name: str, outcomes: list[_Outcome]) -> NDArray[np.float64]:
    rounds = np.array([getattr(outcome, name) for outcome in outcomes], dtype=np.float64)
    return np.asarray(rounds.mean(axis=0))


def _joined(parts: list[_Outcome]) -> _Outcome:
    if not parts:
        return _Outcome(*(np.empty(0) for _ in _Outcome._fields))
    return _Outcome(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _told(
    scene: Scene, targets: Targets, knowledge: Knowledge, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For each target what the row tells: true items, true values, false items."""
    told = np.zeros((len(targets), 3))
    tolerance = scene.original.scale.tolerance
    for at in np.flatnonzero(rows >= 0):
        user = targets.users[at]
        start, end = scene.original.offsets[user], scene.original.offsets[user + 1]
        items = scene.item_in_release[scene.original.items[start:end]].astype(np.int32)
        order = np.argsort(items, kind="stable")
        known = np.zeros(end - start, dtype=np.bool_)
        mine = knowledge.positions[knowledge.offsets[at] : knowledge.offsets[at + 1]]
        known[mine - start] = True
        told[at] = learned(
            *scene.rows.row(rows[at]),
            items[order],
            scene.original.values[start:end][order],
            known[order],
            tolerance,
        )
    return told
