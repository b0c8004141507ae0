"""Attack `record-linkage`: take the row nearest to what is known about a person."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recloak.attacks.base import Attack
from recloak.attacks.costs import Costs
from recloak.attacks.gains import Outcome, Units, gain_figures, joined, told
from recloak.attacks.oracle import LABELS, NOTE, SUMMARIES, Direction, disclosure
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

    targets: int = Field(default=1000, ge=0)
    """How many people to attack; all of them if there are fewer, or if 0."""

    repeats: int = Field(default=4, ge=1, le=100)
    """How often each is attacked, with other known items each time; once if all are known."""

    oracle: Literal["no", "to-release", "to-original"] = "no"
    """Does he hold the whole original, and compare whole records over all cells? Then he takes the
    nearest row for each person (to-release) or the nearest person for each row (to-original)."""

    @model_validator(mode="after")
    def _knows_one_thing(self) -> Self:
        if self.oracle != "no" and (self.known or not self.values):
            raise ValueError("an oracle knows all ratings: known and values do not go with it")
        return self


class RecordLinkage(Attack):
    """Takes the row that lies nearest to what is known.

    A known item that a row lacks counts as much as the widest possible difference of ratings, or,
    where the release implies a value for it, as the difference from that and something for its
    absence if it should show. An adversary who knows all of a person's ratings also minds what a
    row has beyond them, less if it is a group's. Among equally near rows he guesses: the right one
    in a tie of three is a third of a success.

    As an ``oracle`` he is the worst case by which the literature measures the disclosure risk: he
    holds the original itself and links its records with the release, over all cells, the missing
    ones as the release implies them. ``success_first`` takes the first of those equally near, in
    the order of the original, as papers do that keep this order in what they publish.
    """

    name: ClassVar[str] = "record-linkage"
    summary: ClassVar[str] = "Finds the row nearest to what is known about a person."
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Torra: Disclosure risk assessment and data distortion by record linkage."
    )
    figures: ClassVar[tuple[str, ...]] = (
        "success",
        "success_first",
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
        if self.parameters.oracle != "no":
            return LABELS[self.parameters.oracle]
        what = "ratings" if self.parameters.values else "items"
        return f"knows {self.parameters.known or 'all'} {what}"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known, repeats = self.parameters.known, self.parameters.repeats
        rng = Randomness.from_seed(seed).generator(self.name, known)
        if self.parameters.oracle != "no":
            return self._as_oracle(scene, self.parameters.oracle, rng, seed, progress)
        wanted = self.parameters.targets or scene.original.n_users
        targets = draw_targets(scene, wanted, max(known, 1), rng)
        groups, _ = identical_groups(scene.rows, values=True)
        costs = Costs.of(scene, values=self.parameters.values, whole=known == 0)
        rounds = range(repeats if known else 1)
        outcomes: list[Outcome] = []
        with progress.task(
            f"Linking records, {known or 'all'} known", len(rounds) * len(targets)
        ) as task:
            for _ in rounds:
                parts = []
                for block in targets.blocks(TARGETS_PER_BLOCK):
                    knowledge = block.knowledge(known, rng)
                    parts.append(self._attack(scene, block, knowledge, groups, costs))
                    task.advance(len(block))
                outcomes.append(joined(parts))
        notes: tuple[str, ...] = (scene.linkage.note,)
        if len(targets) == 0:
            notes += (f"Nobody has {known} ratings and a known row: not measured.",)
        figures = self._figures(outcomes) if len(targets) else ()
        return self._finding(figures, len(targets) * len(outcomes), seed, notes)

    def _as_oracle(
        self,
        scene: Scene,
        direction: Direction,
        rng: np.random.Generator,
        seed: int,
        progress: Progress,
    ) -> Finding:
        found = disclosure(scene, direction, self.parameters.targets, rng, progress)
        notes: tuple[str, ...] = (scene.linkage.note, NOTE)
        if len(found.success) == 0:
            return self._finding((), 0, seed, (*notes, "Nobody has a known row: not measured."))
        return self._finding(found.figures(direction), len(found.success), seed, notes)

    def _attack(
        self,
        scene: Scene,
        targets: Targets,
        knowledge: Knowledge,
        groups: NDArray[np.int64],
        costs: Costs,
    ) -> Outcome:
        index = scene.rows.by_item
        units = Units.between(scene.original.scale, scene.rows.scale)
        values = units.converted(knowledge.values)
        ties, own, alike, example, other = nearest(
            knowledge.offsets,
            knowledge.items,
            values,
            costs.misses(knowledge.items, values),
            *targets.own_rows(),
            groups,
            index.offsets,
            index.users,
            index.values,
            costs.surplus,
            costs.base,
            costs.extra,
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

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = self._summary()
        return self.finding(summary, figures, sample, seed, notes)

    def _summary(self) -> str:
        if self.parameters.oracle != "no":
            return SUMMARIES[self.parameters.oracle]
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
