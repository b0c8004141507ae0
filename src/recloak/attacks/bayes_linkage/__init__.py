"""Attack `bayes-linkage`: weighs every row by how well it explains what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._figures import IDENTIFIED, INCONCLUSIVE, SUCCESS, WORST_TENTH, WRONG
from recloak.attacks._worst_tenth import worst_tenth
from recloak.attacks.base import Attack
from recloak.attacks.bayes_linkage._choice import candidates_of
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Model
from recloak.attacks.bayes_linkage._tries import SURE, Adversary, Tries
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control import NoControlGroupError, control_of
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import share_figure

VALUES_KNOWN = 2000  # of anybody: how often each value is given is no secret


class BayesLinkageParameters(Parameters):
    """What the adversary knows, how it came to be known, and how many people are attacked."""

    known: int = Field(default=4, ge=0)
    """How many of a person's ratings the adversary knows; 0 means all."""

    values: bool = True
    """Do they know the ratings themselves (yes), or only which items were rated (no)?"""

    model: Model = "uniform"
    """Which ratings are known: any, as likely as another (uniform), those of much-rated items
    rather than others (popular), or those of the least-rated items (rare)."""

    wrong: float = Field(default=0.0, ge=0, lt=1)
    """The share of what is known that is wrong: a value off by a step, or another item."""

    targets: int = Field(default=1000, ge=1)
    """How many people to attack; all of them if there are fewer."""

    repeats: int = Field(default=4, ge=1, le=100)
    """How often each is attacked, with other known ratings each time; once if all are known."""


_NAMED = DeclaredFigure(
    "named",
    worse="more",
    heading="Named for sure",
    meaning="The share of tries in which the attacker is at least 90 % sure of a row.",
)
_NAMED_OUTSIDERS = DeclaredFigure(
    "named_outsiders",
    heading="Outsiders named for sure",
    meaning="The same for people who are not in the release, whoever's row is named: the attacker "
    "is wrong each time.",
)


class BayesLinkage(Attack):
    """Weighs every row, group or cluster by prior × likelihood of what is known about a person.

    The adversary knows the method, as the manifest tells it. Whoever knows some ratings of a
    person knows one set of all that could be drawn from theirs, so a short row that holds them
    explains them better than a long one. Noise is weighed by its density, over that of published
    values at large; a cell of a group's profile by the ways in which its members' ratings make
    it; a cluster of a disassociated release by how many of its people gave each known rating, and
    a row in it by how many others contradict nothing; a fragment by the share of a person that it
    is. Rows of a method that nobody knows are taken to be unchanged, but for some values.
    """

    name: ClassVar[str] = "bayes-linkage"
    summary: ClassVar[str] = "Finds the row that explains best what is known, knowing the method."
    reference: ClassVar[str] = (
        "Narayanan, Shmatikov: Robust De-anonymization of Large Sparse Datasets; with likelihoods "
        "of our own."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = (
        SUCCESS,
        INCONCLUSIVE,
        WRONG,
        WORST_TENTH,
        IDENTIFIED,
        _NAMED,
        _NAMED_OUTSIDERS,
    )
    audited_with: ClassVar[tuple[str, ...]] = (
        "known=0",
        *(f"known={known}" for known in (2, 4, 8, 16)),
        *(f"known={known},values=no" for known in (4, 8, 16)),
        "known=8,model=popular",
        "known=4,model=rare",
        "known=8,wrong=0.2",
    )
    compared_with: ClassVar[tuple[str, ...]] = ("known=4", "known=16", "known=8,values=no")
    opens_report: ClassVar[bool] = True
    Parameters: ClassVar[type[Parameters]] = BayesLinkageParameters
    parameters: BayesLinkageParameters

    @classmethod
    def knows_values(cls, parameters: Mapping[str, Any]) -> bool:
        return bool(parameters.get("values", True))

    @property
    def label(self) -> str:
        given = self.parameters
        what = "ratings" if given.values else "items"
        which = {"uniform": "", "popular": " of popular items", "rare": " of rare items"}
        wrong = f", {given.wrong:.0%} wrong" if given.wrong else ""
        return f"knows {given.known or 'all'} {what}{which[given.model]}{wrong}"

    def applies(self, context: AuditContext) -> bool:
        return context.linkage.source != "unknown"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        given, repeats, notes = self.parameters, self._repeats, [context.linkage.note]
        rng = Randomness.from_seed(seed).generator(self.name, given.model, given.known)
        linked = context.linkage.linked
        able = linked[context.original.user_counts[linked] >= max(given.known, 1)]
        if len(able) == 0:
            notes.append(
                f"Nobody has {given.known or 'any'} ratings and a known row: not measured."
            )
            return self._finding((), 0, seed, notes)
        adversary = self._adversary(context, rng)
        count = adversary.affordable(able, given.targets, repeats)
        if count < min(len(able), given.targets):
            notes.append(f"Only {count:,} people were attacked, because there are many rows.")
        users = np.sort(rng.choice(able, count, replace=False))
        tries = adversary.attack(context.original, users, context.linkage, repeats, rng, progress)
        figures = self._figures(tries)
        try:
            figures += self._outsiders(context, rng, progress)
        except NoControlGroupError as problem:
            notes.append(str(problem))
        return self._finding(figures, count * repeats, seed, notes)

    @property
    def _repeats(self) -> int:
        all_known = self.parameters.known == 0 and not self.parameters.wrong
        return 1 if all_known else self.parameters.repeats

    def _adversary(self, context: AuditContext, rng: np.random.Generator) -> Adversary:
        given, original = self.parameters, context.original
        model = KnowledgeModel.of(
            context, given.model, given.known, given.wrong, values=given.values
        )
        known = rng.choice(original.values, min(VALUES_KNOWN, original.n_ratings), replace=False)
        values = model.units.converted(known).astype(np.float64)
        weights = model.weights_in_release(context.rows.n_items)
        return Adversary(candidates_of(context, values, weights), model)

    def _outsiders(
        self, context: AuditContext, rng: np.random.Generator, progress: Progress
    ) -> tuple[Figure, ...]:
        """How often the same adversary is sure of the row of somebody who has none."""
        if self.parameters.model == "rare":
            return ()  # how likely such knowledge is of somebody else is not modelled
        control = control_of(context, progress)
        outsiders = control.outsiders
        able = np.flatnonzero(outsiders.user_counts >= max(self.parameters.known, 1))
        if len(able) == 0:
            return ()
        adversary = self._adversary(control.rehearsed, rng)
        count = adversary.affordable(able, self.parameters.targets, 1)
        tries = adversary.attack(outsiders, able[:count], None, 1, rng, progress)
        sure = (tries.confidence[0] >= SURE).astype(np.float64)
        return (share_figure("named_outsiders", sure, "outsiders of whose row they are sure"),)

    def _figures(self, tries: Tries) -> tuple[Figure, ...]:
        success, nobody = tries.success.mean(axis=0), tries.nobody.mean(axis=0)
        missed = ((tries.success == 0) & (tries.nobody == 0)).mean(axis=0)
        sure = (tries.confidence >= SURE).mean(axis=0)
        undecided = np.maximum(1 - success - missed, nobody)
        return (
            share_figure("success", success, "people whose row was found"),
            share_figure("inconclusive", undecided, "tries that do not come down to one person"),
            share_figure("wrong", missed, "tries that led to someone else's row"),
            worst_tenth(tries.success),
            share_figure("identified", tries.identified.mean(axis=0), "profiles that were found"),
            share_figure("named", sure, "tries in which they are sure of a row or profile"),
        )

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: list[str]
    ) -> Finding:
        given = self.parameters
        what = "ratings" if given.values else "rated items, without the ratings"
        amount = f"{given.known} of" if given.known else "all"
        summary = f"The adversary knows the method and {amount} a person's {what}."
        return self.finding(summary, figures, sample, seed, tuple(notes))
