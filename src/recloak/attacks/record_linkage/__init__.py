"""Attack `record-linkage`: take the row nearest to what is known about a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from recloak.attacks._figures import (
    FALSE_ITEMS,
    GAIN,
    GAIN_VALUES,
    INCONCLUSIVE,
    SUCCESS,
    WORST_TENTH,
    WRONG,
    worst_tenth,
)
from recloak.attacks._gains import (
    TrialOutcomes,
    concatenated,
    gain_figures,
    learned_from_row,
)
from recloak.attacks.base import Attack
from recloak.attacks.record_linkage._costs import Costs
from recloak.attacks.record_linkage._full_knowledge import (
    LABELS,
    NOTE,
    SUMMARIES,
    Direction,
    link_full_records,
)
from recloak.attacks.record_linkage._targets import Knowledge, Targets, draw_targets
from recloak.core.arrays import Floats, Integers
from recloak.core.kernels.nearest_rows import nearest
from recloak.core.nearest_records import USUAL, Screening
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.row_classes import identical_groups
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import share_figure
from recloak.evaluation.units import Units

TARGETS_PER_BLOCK = 32
MOST_COMPARED = 1_000_000_000  # rows, once for each try


class RecordLinkageParameters(Parameters):
    """What the adversary knows, and how many people are attacked."""

    known: int = Field(default=0, ge=0)
    """How many of a person's ratings the adversary knows, picked at random; 0 means all."""

    values: bool = True
    """Do they know the ratings themselves (yes), or only which items were rated (no)?"""

    targets: int = Field(default=1000, ge=0)
    """How many people to attack; all of them if there are fewer, or if 0."""

    repeats: int = Field(default=4, ge=1, le=100)
    """How often each is attacked, with other known items each time; once if all are known."""

    oracle: Literal["no", "to-release", "to-original"] = "no"
    """Do they hold the whole original, and compare whole records? Then they take the
    nearest row for each person (to-release) or the nearest person for each row (to-original)."""

    @model_validator(mode="after")
    def _knows_one_thing(self) -> Self:
        if self.oracle != "no" and (self.known or not self.values):
            raise ValueError(
                "an oracle knows all ratings, so known and values cannot be given with it"
            )
        return self


_FIGURES = (
    SUCCESS,
    DeclaredFigure(
        "success_first",
        worse="more",
        heading="Success first",
        meaning="The same, but among those equally near the attacker takes the first in the order "
        "of the original. Papers that publish in this order report it; a release in random order "
        "does not give it away.",
    ),
    INCONCLUSIVE,
    WRONG,
    WORST_TENTH,
    GAIN,
    GAIN_VALUES,
    FALSE_ITEMS,
)


class RecordLinkage(Attack):
    """Takes the row that lies nearest to what is known.

    A known item that a row lacks counts as much as the widest possible difference of ratings, or,
    where the release implies a value for it, as the difference from that and something for its
    absence if it should show. An adversary who knows all of a person's ratings also minds what a
    row has beyond them, less if it is a group's. Among equally near rows they guess: the right
    one in a tie of three is a third of a success.

    With ``oracle`` the adversary has full knowledge, the worst case by which the literature
    measures the disclosure risk: they hold the original itself and link its records with the
    release, over all cells, the missing ones as the release implies them. ``success_first`` takes
    the first of those equally near, in the order of the original, as papers do that keep this order
    in what they publish.
    """

    name: ClassVar[str] = "record-linkage"
    summary: ClassVar[str] = "Finds the row nearest to what is known about a person."
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Torra: Disclosure risk assessment and data distortion by record linkage."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    audited_with: ClassVar[tuple[str, ...]] = (
        "",
        "known=4",
        "known=16",
        "known=8,values=no",
        "oracle=to-release",
        "oracle=to-original",
    )
    compared_with: ClassVar[tuple[str, ...]] = ("known=4", "known=16", "known=8,values=no")
    opens_report: ClassVar[bool] = True
    Parameters: ClassVar[type[Parameters]] = RecordLinkageParameters
    parameters: RecordLinkageParameters
    screening: ClassVar[Screening] = USUAL
    """How the nearest of all records are sought; the finding is the same with any."""

    @classmethod
    def known_items(cls, parameters: Mapping[str, Any]) -> int | None:
        if parameters.get("oracle", "no") != "no":
            return None  # all of the original is known, of which one person's part is no measure
        return super().known_items(parameters)

    @property
    def label(self) -> str:
        if self.parameters.oracle != "no":
            return LABELS[self.parameters.oracle]
        what = "ratings" if self.parameters.values else "items"
        return f"knows {self.parameters.known or 'all'} {what}"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known, repeats = self.parameters.known, self.parameters.repeats
        rng = Randomness.from_seed(seed).generator(self.name, known)
        if self.parameters.oracle != "no":
            return self._with_full_knowledge(context, self.parameters.oracle, rng, seed, progress)
        wanted = self.parameters.targets or context.original.n_users
        targets = draw_targets(context, wanted, max(known, 1), rng)
        groups, _ = identical_groups(context.rows, values=True)
        costs = Costs.of(context, values=self.parameters.values, whole=known == 0)
        compared = context.rows.n_users * max(len(targets), 1)
        most = max(1, min(repeats, MOST_COMPARED // max(compared, 1)))
        rounds = range(most if known else 1)
        outcomes: list[TrialOutcomes] = []
        with progress.task(
            f"Linking records, {known or 'all'} known", len(rounds) * len(targets)
        ) as task:
            for _ in rounds:
                parts = []
                for block in targets.blocks(TARGETS_PER_BLOCK):
                    knowledge = block.knowledge(known, rng)
                    parts.append(self._attack(context, block, knowledge, groups, costs))
                    task.advance(len(block))
                outcomes.append(concatenated(parts))
        notes: tuple[str, ...] = (context.linkage.note,)
        if len(rounds) < repeats and known:
            fewer = f"{len(rounds)} instead of {repeats} tries for each person"
            notes += (f"{fewer}, because there are many rows.",)
        if len(targets) == 0:
            notes += (f"Nobody has {known} ratings and a known row: not measured.",)
        figures = self._figures(outcomes) if len(targets) else ()
        return self._finding(figures, len(targets) * len(outcomes), seed, notes)

    def _with_full_knowledge(
        self,
        context: AuditContext,
        direction: Direction,
        rng: np.random.Generator,
        seed: int,
        progress: Progress,
    ) -> Finding:
        wanted, how = self.parameters.targets, self.screening
        found = link_full_records(context, direction, wanted, rng, progress, how)
        notes: tuple[str, ...] = (context.linkage.note, NOTE)
        if len(found.success) == 0:
            return self._finding((), 0, seed, (*notes, "Nobody has a known row: not measured."))
        return self._finding(found.figures(direction), len(found.success), seed, notes)

    def _attack(
        self,
        context: AuditContext,
        targets: Targets,
        knowledge: Knowledge,
        groups: Integers,
        costs: Costs,
    ) -> TrialOutcomes:
        index = context.rows.by_item
        units = Units.between(context.original.scale, context.rows.scale)
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
        right, share = learned_from_row(context, *known, example), alike / ties
        mistaken = learned_from_row(context, *known, other)
        return TrialOutcomes(
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

    def _figures(self, outcomes: list[TrialOutcomes]) -> tuple[Figure, ...]:
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
            per_target = TrialOutcomes(*(_mean(name, outcomes) for name in TrialOutcomes._fields))
            figures += gain_figures(per_target)
        return tuple(figures)


def _mean(name: str, outcomes: list[TrialOutcomes]) -> Floats:
    rounds = np.array([getattr(outcome, name) for outcome in outcomes], dtype=np.float64)
    return np.asarray(rounds.mean(axis=0))
