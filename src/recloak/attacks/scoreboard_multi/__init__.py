"""Attack `scoreboard-multi`: take all rows that fit together, for what is known links them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._adversary_training import (
    AdversaryTraining,
    adversary_training,
    has_several_rows,
)
from recloak.attacks._co_occurrence import PairCounts
from recloak.attacks._figures import (
    FALSE_ITEMS,
    GAIN_BESIDE_ORIGINAL,
    GAIN_KEPT,
    GAIN_ORIGINAL,
    GAIN_SINGLE,
    GAIN_VALUES,
    INCONCLUSIVE,
    SUCCESS_BESIDE_ORIGINAL,
    SUCCESS_ORIGINAL,
    WRONG,
)
from recloak.attacks._gains import TrialOutcomes, gain_kept, trials_needed
from recloak.attacks._match_rules import match_rules_of
from recloak.attacks._scoring import TRIES_AT_ONCE
from recloak.attacks._trials import TargetSampler, TrialParameters
from recloak.attacks.base import Attack
from recloak.attacks.scoreboard_multi._multi_row_attacker import (
    AttackerOutcomes,
    MultiRowAttacker,
    net_gain,
    strongest_of_each,
)
from recloak.attacks.scoreboard_multi._row_scorer import TrainingSet
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import mean_figure, ratio_figure, share_figure

TRAINING_TRIES = 1024
RARELY_CONTRADICTED = 0.02
_DOES_BEST = "Scoreboard-RH is reported, {}."
_ALONE = "Nobody has several rows here: there is nothing to join, and nothing was learnt."


class ScoreboardMultiParameters(TrialParameters):
    """What the adversary knows of a person and of other people, and when a score stands out."""

    share: float = Field(default=0.5, ge=0, lt=1)
    """The share of the people whom the adversary knows in full and makes a release of, to learn
    from; the rest are attacked. With 0 they learn nothing and take rows that stand out."""

    phi: float = Field(default=1.5, ge=0, le=1e6)
    """By how many standard deviations a score must exceed the second best to stand out."""


_FIGURES = (
    SUCCESS_BESIDE_ORIGINAL,
    INCONCLUSIVE,
    WRONG,
    GAIN_BESIDE_ORIGINAL,
    GAIN_VALUES,
    FALSE_ITEMS,
    DeclaredFigure(
        "item_precision",
        worse="more",
        heading="Item precision",
        meaning="Of all further items in the rows that the attacker takes for the person's, the "
        "share that the person did rate.",
    ),
    DeclaredFigure("success_repeated", worse="more"),
    DeclaredFigure("gain_repeated", "count", worse="more"),
    DeclaredFigure("success_single", worse="more"),
    GAIN_SINGLE,
    SUCCESS_ORIGINAL,
    GAIN_ORIGINAL,
    GAIN_KEPT,
)


class ScoreboardMulti(Attack):
    """Takes several rows, where `scoreboard-rh` takes one: known ratings are in many of them.

    The adversary knows other people, makes a release of these by the same method and learns from
    it how likely a row is the person's. Features of a row are the known ratings that it has, how
    rare they are, which contradict it, its size and bias, and the rows that claim the same ratings.
    The adversary takes all rows that are likelier than not and share no item, the likeliest first.
    They also compare within the noise that the release states and by items alone, unless their
    rehearsal shows that values are published as known. The same tries are made by Scoreboard-RH,
    once (`_single`) and again for what is left of the known ratings (`_repeated`). The strategy
    with most true items, less the false ones, is reported.
    A try succeeds if one of the rows is the person's. Gain counts true new items of all rows taken.
    """

    name: ClassVar[str] = "scoreboard-multi"
    summary: ClassVar[str] = "Takes all rows that are probably the person's and share no item."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    applies_to: ClassVar[str] = "where people have several rows"
    takes_turns: ClassVar[str] = "adversary training"
    audited_with: ClassVar[tuple[str, ...]] = ("known=5", "known=10", "known=20")
    compared_with: ClassVar[tuple[str, ...]] = ("known=20",)
    adversary_acts: ClassVar[str] = "joins all rows that fit together"
    Parameters: ClassVar[type[Parameters]] = ScoreboardMultiParameters
    parameters: ScoreboardMultiParameters

    @property
    def label(self) -> str:
        parameters = self.parameters
        return ", ".join(
            [f"knows {parameters.amount} ratings", *parameters.limits, "takes many rows"]
        )

    def applies(self, context: AuditContext) -> bool:
        return has_several_rows(context)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        parameters = self.parameters
        with progress.task(f"Taking rows together, {parameters.known} known") as task:
            training = self._rehearsal(context, seed, progress)
            sampler = TargetSampler.of(
                context, parameters.known, parameters.upto, parameters.popular, training.targets
            )
            if len(sampler) == 0:
                return self._finding(context, seed, (), 0, (training.note, self._nobody()))
            rng = Randomness.from_seed(seed).generator(self.name, parameters.known)
            attackers = self._attackers(context, training, rng, task)
            found = self._run_trials(attackers, sampler, rng, task)
        best = strongest_of_each(found)
        reported, note = _reported(best)
        notes = [training.note, *note]
        if training.context and not any(attacker.scorer for attacker in attackers):
            notes.append("The adversary could learn nothing from their own release.")
        if len(attackers) > 1:
            match_rules = ", by ".join(str(attacker.match_rule) for attacker in attackers)
            notes.append(
                f"Compared by {match_rules}; the one that serves each adversary best is reported."
            )
        figures = _figures(reported, best.repeated, best.single, best.before)
        return self._finding(context, seed, figures, len(reported.success), tuple(notes))

    def _rehearsal(self, context: AuditContext, seed: int, progress: Progress) -> AdversaryTraining:
        if has_several_rows(context):
            return adversary_training(context, self.parameters.share, seed, progress)
        return AdversaryTraining(None, np.ones(context.original.n_users, dtype=np.bool_), _ALONE)

    def _attackers(
        self,
        context: AuditContext,
        training: AdversaryTraining,
        rng: np.random.Generator,
        task: Task,
    ) -> list[MultiRowAttacker]:
        """One for each match rule, the strictest first, until one finds ratings as known."""
        training_set = self._training_set(training, rng)
        attackers: list[MultiRowAttacker] = []
        match_rules = match_rules_of(
            context, "strongest" if has_several_rows(context) else "values"
        )
        for match_rule in match_rules:
            scorer = training_set.train(match_rule, task) if training_set else None
            attackers.append(MultiRowAttacker.of(context, match_rule, self.parameters.phi, scorer))
            if scorer and scorer.contradicted < RARELY_CONTRADICTED:
                break
        return attackers

    def _training_set(
        self, training: AdversaryTraining, rng: np.random.Generator
    ) -> TrainingSet | None:
        """What the adversary learns from; None if they cannot make a release with trials in it."""
        parameters = self.parameters
        if training.context is None:
            return None
        counted = np.arange(training.context.original.n_users) % 2 == 0
        sampler = TargetSampler.of(
            training.context, parameters.known, parameters.upto, parameters.popular, ~counted
        )
        if len(sampler) == 0:
            return None
        trials = sampler.draw(TRAINING_TRIES, parameters.wrong, rng)
        # counted among other people than those trained with: those attacked are others, too
        pairs = PairCounts.of(training.context.original.take_users(np.flatnonzero(counted)))
        return TrainingSet(training.context, trials, parameters.wrong, pairs)

    def _run_trials(
        self,
        attackers: list[MultiRowAttacker],
        sampler: TargetSampler,
        rng: np.random.Generator,
        task: Task,
    ) -> list[AttackerOutcomes]:
        """Run trials until every rate is sure to within ``width``; one result for each attacker."""
        parameters = self.parameters
        parts: list[list[AttackerOutcomes]] = [[] for _ in attackers]
        missing = parameters.at_least
        while missing:
            trials = sampler.draw(min(missing, TRIES_AT_ONCE), parameters.wrong, rng)
            for attacker, part in zip(attackers, parts, strict=True):
                part.append(attacker.outcomes(trials, task))
            so_far = [AttackerOutcomes.concatenated(part) for part in parts]
            rates = [rate for one in so_far for rate in (one.repeated, one.learned)]
            done = (rate for rate in rates if len(rate.success))
            missing = trials_needed(done, parameters.width, parameters.at_least)
        return so_far

    def _nobody(self) -> str:
        known = self.parameters.known
        return f"Nobody who is attacked has {known} such ratings and a known row: not measured."

    def _finding(
        self,
        context: AuditContext,
        seed: int,
        figures: tuple[Figure, ...],
        sample: int,
        notes: tuple[str, ...],
    ) -> Finding:
        summary = f"The adversary {self.label}. {self.summary}"
        return self.finding(summary, figures, sample, seed, (context.linkage.note, *notes))


def _reported(found: AttackerOutcomes) -> tuple[TrialOutcomes, tuple[str, ...]]:
    """The outcomes with most net gain (learned, repeated or single), and a note on which."""
    if net_gain(found.learned) >= max(net_gain(found.repeated), net_gain(found.single)):
        return found.learned, ()
    if net_gain(found.repeated) >= net_gain(found.single):
        return found.repeated, (_DOES_BEST.format("repeated for what is left"),)
    return found.single, (
        _DOES_BEST.format("once, because more rows bring more false items than true ones"),
    )


def _figures(
    best: TrialOutcomes, repeated: TrialOutcomes, single: TrialOutcomes, before: TrialOutcomes
) -> tuple[Figure, ...]:
    """The strongest adversary's figures, and those of the others and of the original beside."""
    once, again = "one row named by Scoreboard-RH", "Scoreboard-RH, repeated"
    gains = (
        ("gain", best.gain, "further items of the person that the rows gave away together"),
        ("gain_values", best.gain_values, "of these, with a rating within half a step"),
        ("false_items", best.false_items, "items in the rows taken that the person never rated"),
        ("gain_repeated", repeated.gain, f"gain of {again}"),
        ("gain_single", single.gain, f"gain from {once}"),
        ("gain_original", before.gain, "gain from the unprotected original, one row"),
    )
    shares = (
        ("success", best.success, "tries in which a row of the person was among those taken"),
        ("inconclusive", best.inconclusive, "tries that took no row"),
        ("wrong", best.wrong, "tries that took rows of others only"),
        ("success_repeated", repeated.success, f"success of {again}"),
        ("success_single", single.success, f"success of {once}"),
        ("success_original", before.success, "success on the unprotected original"),
    )
    stated = best.gain + best.false_items
    meaning = "the share of the further items in the rows taken that the person rated"
    return (
        *(share_figure(*one) for one in shares),
        *(made for name, one, what in gains for made in mean_figure(name, one, "count", what)),
        ratio_figure("item_precision", best.gain, stated, meaning),
        *gain_kept(best.gain, before.gain),
    )
