"""Base of the scoreboard attacks: trials until rates are sure, by several strategies.

Each trial is made by all strategies of an attack, and the strongest is reported.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.attacks._all_rows import sought_among
from recloak.attacks._attacked_table import (
    AttackedTable,
    Identification,
    outcomes_of,
    unprotected_context,
)
from recloak.attacks._figures import SCORING
from recloak.attacks._gains import (
    TrialOutcomes,
    concatenated,
    figures_of,
    most_trials,
    trials_needed,
)
from recloak.attacks._match_rules import (
    Matching,
    MatchRule,
    has_times,
    known_ratings_of,
    match_rules_of,
)
from recloak.attacks._postings import KnownRatings
from recloak.attacks._scan_kernels import Scan
from recloak.attacks._scanned_table import ScannedTable
from recloak.attacks._strategies import (
    IdenticalRows,
    OutcomesByStrategy,
    Strategy,
    possible_best_rules,
    strategies_note,
    strongest,
)
from recloak.attacks._trials import TargetSampler, TrialParameters, Trials
from recloak.attacks.base import Attack
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Finding

TRIES_AT_ONCE = 2048
_MOST_COMPARISONS = 20_000_000_000  # of a try with a rating: 2,400 tries of 8 million ratings


class ScoreboardParameters(TrialParameters):
    """What the adversary knows, how they compare, and how sure the rates are to be."""

    matching: Matching = "strongest"
    """A rating of a row matches a known one if the values lie within half a step
    (`values`), within the noise that the release states (`noise`), always (`items`), or whichever
    of these rules succeeds most."""

    identical: Literal["strongest", "tie", "one"] = "strongest"
    """Do identical rows leave the try inconclusive (`tie`, as in the paper), or count as one
    candidate that reveals what is in it, whoever's it is (`one`)? By default the stronger of the
    two."""

    days: float = Field(default=0.0, ge=0, le=1e6)
    """If above 0, a match also needs times at most this many days apart, where there are times."""


class ScoreboardAttack(Attack):
    """Base of `scoreboard` and `scoreboard-rh`."""

    figures: ClassVar[tuple[DeclaredFigure, ...]] = SCORING
    Parameters: ClassVar[type[Parameters]] = ScoreboardParameters
    parameters: ScoreboardParameters

    @property
    def label(self) -> str:
        parameters = self.parameters
        what = "items" if parameters.matching == "items" else "ratings"
        return ", ".join([f"knows {parameters.amount} {what}", *parameters.limits])

    @abstractmethod
    def identify(
        self,
        table: AttackedTable,
        knowledge: KnownRatings,
        trials: Trials,
        treatments: tuple[IdenticalRows, ...],
        task: Task,
    ) -> dict[IdenticalRows, Identification]:
        """The rows that the adversary names in each try, for each treatment of identical rows."""

    @abstractmethod
    def identify_among_all(
        self,
        table: ScannedTable,
        trials: Trials,
        scan: Scan,
        treatments: tuple[IdenticalRows, ...],
    ) -> dict[IdenticalRows, Identification]:
        """The same where all rows were scanned; rows have numbers, and `NO_ROW` is none."""

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        parameters = self.parameters
        sampler = TargetSampler.of(context, parameters.known, parameters.upto, parameters.popular)
        match_rules = match_rules_of(context, parameters.matching)
        if len(sampler) == 0 or not match_rules:
            return self._finding(context, seed, (self._why_not(sampler),))
        rng = Randomness.from_seed(seed).generator(self.name, parameters.known)
        if context.everyone is not None:
            return self._among_all(context, sampler, rng, seed, progress)
        with progress.task(f"Scoring rows, {parameters.known} known") as task:
            tables = [
                AttackedTable.of(one, self._match_rules(one), parameters.days)
                for one in (context, unprotected_context(context))
            ]
            found: list[OutcomesByStrategy] = [{}, {}]
            missing = parameters.at_least
            while missing:
                trials = sampler.draw(min(missing, TRIES_AT_ONCE), parameters.wrong, rng)
                for table, outcomes in zip(tables, found, strict=True):
                    self._add_outcomes(outcomes, table, trials, task)
                found_so_far = zip(tables, found, strict=True)
                tables = [
                    replace(table, match_rules=possible_best_rules(one))
                    for table, one in found_so_far
                ]
                rates = [
                    one
                    for strategy, one in found[0].items()
                    if strategy.match_rule in tables[0].match_rules
                ]
                missing = trials_needed(rates, parameters.width, parameters.at_least)
        return self._measured(context, seed, found[0], found[1])

    def _among_all(
        self,
        context: AuditContext,
        sampler: TargetSampler,
        rng: np.random.Generator,
        seed: int,
        progress: Progress,
    ) -> Finding:
        """People of a sample are sought among all rows, by as many tries as may ever be needed.

        All rows are read for all tries at once, so that few passes are made. Of very many rows
        fewer are made, and the interval is wider.
        """
        given, rules = self.parameters, self._match_rules(context)
        assert context.everyone is not None
        affordable = _MOST_COMPARISONS // max(int(context.everyone.item_support.sum()), 1)
        tries = max(given.at_least, min(most_trials(given.width, given.at_least), affordable))
        trials = sampler.draw(tries, given.wrong, rng)
        of_release = ScannedTable.of_release(context, rules, given.days, progress)
        plain = self._match_rules(unprotected_context(context))
        of_original = ScannedTable.of_original(context, plain, given.days)
        found, before = (
            self.outcomes_among_all(table, trials, table.scanned(trials, progress))
            for table in (of_release, of_original)
        )
        note = sought_among(of_release.every)
        return self._measured(context, seed, found, before, notes=(note,))

    def outcomes_among_all(
        self, table: ScannedTable, trials: Trials, scans: Iterable[tuple[MatchRule, Scan]]
    ) -> OutcomesByStrategy:
        """The outcomes of trials against all rows of a table, by each strategy."""
        wanted = self.parameters.identical
        treatments: tuple[IdenticalRows, ...] = (
            ("one", "tie") if wanted == "strongest" else (wanted,)
        )
        named = {
            Strategy(rule, treatment): identified
            for rule, scan in scans
            for treatment, identified in self.identify_among_all(
                table, trials, scan, treatments
            ).items()
        }
        rows = [row for one in named.values() for row in (one.example, one.other)]
        context, places = table.with_rows(*rows)
        read = zip(named.items(), places[::2], places[1::2], strict=True)
        return {
            strategy: outcomes_of(context, trials, one._replace(example=example, other=other))
            for (strategy, one), example, other in read
        }

    def _match_rules(self, context: AuditContext) -> list[MatchRule]:
        """The rules for a table; the original states no noise, so its values are compared."""
        wanted = self.parameters.matching
        return match_rules_of(context, wanted) or match_rules_of(context, "values")

    def _add_outcomes(
        self, outcomes: OutcomesByStrategy, table: AttackedTable, trials: Trials, task: Task
    ) -> None:
        """Add the outcomes of trials in a table, by each of its match rules."""
        for match_rule in table.match_rules:
            known = known_ratings_of(table.context, trials, match_rule, self.parameters.days)
            identifications = self.identify(table, known, trials, self._treatments(table), task)
            for identical_rows, identified in identifications.items():
                strategy = Strategy(match_rule, identical_rows)
                added = outcomes_of(table.context, trials, identified)
                earlier = [outcomes[strategy]] if strategy in outcomes else []
                outcomes[strategy] = concatenated([*earlier, added])

    def _treatments(self, table: AttackedTable) -> tuple[IdenticalRows, ...]:
        wanted = self.parameters.identical
        if wanted != "strongest":
            return (wanted,)
        return ("one", "tie") if (table.postings.sizes > 1).any() else ("tie",)

    def _why_not(self, sampler: TargetSampler) -> str:
        if len(sampler):
            return "The release states no noise that a match could allow for: not measured."
        popular = self.parameters.popular
        among = f" of the {popular:,} most rated items" if popular else ""
        return f"Nobody has {self.parameters.known} ratings{among} and a known row: not measured."

    def _measured(
        self,
        context: AuditContext,
        seed: int,
        found: OutcomesByStrategy,
        unprotected: OutcomesByStrategy,
        notes: tuple[str, ...] = (),
    ) -> Finding:
        best, outcome = strongest(found)
        _, before = strongest(unprotected)
        said = [*notes, strategies_note(found, best)] if len(found) > 1 else [*notes]
        if self.parameters.matching == "values" and best.match_rule.name == "items":
            said.append("Values cannot be compared here, so only items were.")
        if self.parameters.days > 0 and not has_times(context):
            said.append(
                "The original or the release has no times, so the attack did not use times."
            )
        if (np.diff(context.linkage.offsets) > 1).any():
            said.append(
                "People have several rows here and the adversary takes one: an adversary who "
                "links rows gains more."
            )
        return self._finding(context, seed, tuple(said), outcome, before)

    def _finding(
        self,
        context: AuditContext,
        seed: int,
        notes: tuple[str, ...],
        outcome: TrialOutcomes | None = None,
        before: TrialOutcomes | None = None,
    ) -> Finding:
        return Finding(
            family="attack",
            name=self.name,
            parameters=self.parameters.public(),
            summary=f"The adversary {self.label}. {self.summary}",
            label=self.label,
            figures=figures_of(outcome, before) if outcome and before else (),
            sample=len(outcome.success) if outcome else 0,
            seed=seed,
            notes=(context.linkage.note, *notes),
        )
