"""Attack `bayes-linkage`: weighs every row by how well it explains what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._all_rows import among_all, sought_among, support_of
from recloak.attacks._figures import (
    IDENTIFIED,
    INCONCLUSIVE,
    SUCCESS,
    WORST_TENTH,
    WRONG,
    worst_tenth,
)
from recloak.attacks.base import Attack
from recloak.attacks.bayes_linkage._adversary import (
    SURE,
    Adversary,
    AdversaryOfAll,
    LinkageTrials,
    surely_rated,
)
from recloak.attacks.bayes_linkage._all_holders import AllHolders
from recloak.attacks.bayes_linkage._certainty import NAMED, NAMED_OUTSIDERS, SINGLED_OUT
from recloak.attacks.bayes_linkage._choice import candidates_of, rows_by_block
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel, Model
from recloak.core.arrays import Floats, Indices, Values
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import NoControlGroupError, control_of
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.intervals import difference_figure, share_figure

VALUES_KNOWN = 2000  # of anybody: how often each value is given is no secret


class BayesLinkageParameters(Parameters):
    """What the adversary knows, how it came to be known, and how many people are attacked."""

    known: int = Field(default=4, ge=0)
    """How many of a person's ratings the adversary knows; 0 means all."""

    values: bool = True
    """Do they know the ratings themselves (yes), or only which items were rated (no)?"""

    model: Model = "uniform"
    """Which ratings are known: any of them with the same probability (uniform), more likely those
    of frequently rated items (popular), or those of the least-rated items (rare)."""

    wrong: float = Field(default=0.0, ge=0, lt=1)
    """The share of what is known that is wrong: a value off by a step, or another item."""

    targets: int = Field(default=1000, ge=1)
    """How many people to attack; all of them if there are fewer."""

    repeats: int = Field(default=2, ge=1, le=100)
    """How often each is attacked, with other known ratings each time; once if all are known."""


class BayesLinkage(Attack):
    """Weighs every row, group or cluster by prior × likelihood of what is known about a person.

    The adversary knows the method, as the manifest tells it. Whoever knows some ratings of a
    person knows one set of all that could be drawn from theirs, so a short row that holds them
    explains them better than a long one. Noise is weighed by its density, over that of published
    values at large; a cell of a group's profile by the ways in which its members' ratings make
    it; a cluster of a disassociated release by how many of its people gave each known rating, and
    a row in it by how many others contradict nothing; a fragment by the share of a person that it
    is, and with each other that may be the same person's. Rows of a method that nobody knows are
    taken to be unchanged, but for some values.
    """

    name: ClassVar[str] = "bayes-linkage"
    summary: ClassVar[str] = "Knows the method and finds the row that best explains what is known."
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
        NAMED,
        NAMED_OUTSIDERS,
        SINGLED_OUT,
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
        return context.linkage.links or context.control is not None

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        given, notes = self.parameters, [context.linkage.note]
        drawn = Randomness.from_seed(seed).child(self.name, given.model, given.known)
        rng, beside = drawn.generator("release"), drawn.generator("control")
        figures, sample = self._of_the_release(context, rng, notes, progress)
        try:
            control, people = self._beside_outsiders(context, beside, progress)
            figures, sample = _replaced(figures, control), sample or people
        except NoControlGroupError as problem:
            notes.append(str(problem))
        return self._finding(figures, sample, seed, notes)

    def _of_the_release(
        self,
        context: AuditContext,
        rng: np.random.Generator,
        notes: list[str],
        progress: Progress,
    ) -> tuple[tuple[Figure, ...], int]:
        """What is found in the release itself, whose rows are known, and in how many tries."""
        given, repeats, linked = self.parameters, self._repeats, context.linkage.linked
        able = linked[context.original.user_counts[linked] >= max(given.known, 1)]
        if len(able) == 0:
            wanted = given.known or "any"
            notes.append(f"Nobody has {wanted} ratings and a known row: success is not measured.")
            return (), 0
        of_all = self._of_all(context, rng, notes, progress)
        if of_all is not None:
            users = self._chosen(able, of_all.affordable(able, given.targets, repeats), rng, notes)
            outcomes = of_all.attack(users, repeats, rng, progress)
            return self._figures(outcomes), len(users) * repeats
        adversary = self._adversary(context, rng)
        notes += adversary.notes
        count = adversary.affordable(context.original, able, given.targets, repeats)
        users = self._chosen(able, count, rng, notes)
        outcomes = adversary.attack(
            context.original, users, context.linkage, repeats, rng, progress
        )
        return self._figures(outcomes), count * repeats

    def _chosen(
        self, able: Indices, count: int, rng: np.random.Generator, notes: list[str]
    ) -> Indices:
        """Whom to attack, as many as can be afforded."""
        if count < min(len(able), self.parameters.targets):
            notes.append(f"Only {count:,} people were attacked, because there are many rows.")
        return np.sort(rng.choice(able, count, replace=False))

    def _of_all(
        self, context: AuditContext, rng: np.random.Generator, notes: list[str], progress: Progress
    ) -> AdversaryOfAll | None:
        """Who seeks the people of a sample among all rows, if these can be weighed one by one."""
        everyone = context.everyone
        if everyone is None:
            return None
        model = self._model(among_all(context, everyone))
        maker = rows_by_block(context, everyone, progress) if surely_rated(model) else None
        if maker is None:
            return None
        self._values_known(context, rng)  # as where all rows are in memory, for the same draws
        every = everyone.released
        holders = AllHolders(every, support_of(every, progress), maker, model)
        notes.append(sought_among(every))
        return AdversaryOfAll(context, holders, model)

    @property
    def _repeats(self) -> int:
        all_known = self.parameters.known == 0 and not self.parameters.wrong
        return 1 if all_known else self.parameters.repeats

    def _adversary(self, context: AuditContext, rng: np.random.Generator) -> Adversary:
        model = self._model(context)
        values = model.units.converted(self._values_known(context, rng)).astype(np.float64)
        weights = model.weights_in_release(context.rows.n_items)
        return Adversary(candidates_of(context, values, weights), model)

    def _model(self, context: AuditContext) -> KnowledgeModel:
        given = self.parameters
        return KnowledgeModel.of(
            context, given.model, given.known, given.wrong, values=given.values
        )

    def _values_known(self, context: AuditContext, rng: np.random.Generator) -> Values:
        """Some ratings of anybody, which the adversary knows."""
        values = context.original.values
        return rng.choice(values, min(VALUES_KNOWN, len(values)), replace=False)

    def _beside_outsiders(
        self, context: AuditContext, rng: np.random.Generator, progress: Progress
    ) -> tuple[tuple[Figure, ...], int]:
        """How often the same adversary is sure of the row of a member, and of somebody's with none.

        Both are people of the rehearsal; a release of made-up people can be tried in this way.
        """
        if self.parameters.model == "rare":
            return (), 0  # how likely such knowledge is of somebody else is not modelled
        control = control_of(context, progress)
        adversary = self._adversary(control.rehearsed, rng)
        members, outsiders = (
            self._sure(adversary, people, rng, progress)
            for people in (control.members, control.outsiders)
        )
        if len(members) == 0 or len(outsiders) == 0:
            return (), 0
        named = share_figure("named", members, "members of whose row or profile they are sure")
        others = share_figure("named_outsiders", outsiders, "outsiders of whose row they are sure")
        excess = difference_figure(
            "singled_out", named, others, "members minus outsiders of whom they are sure"
        )
        return (named, others, excess), len(members) + len(outsiders)

    def _sure(
        self, adversary: Adversary, people: Ratings, rng: np.random.Generator, progress: Progress
    ) -> Floats:
        """For each of ``people`` of whom enough can be known whether the adversary is sure."""
        able = np.flatnonzero(people.user_counts >= max(self.parameters.known, 1))
        count = adversary.affordable(people, able, self.parameters.targets, 1)
        outcomes = adversary.attack(people, able[:count], None, 1, rng, progress)
        return np.asarray(outcomes.confidence[0] >= SURE, dtype=np.float64)

    def _figures(self, outcomes: LinkageTrials) -> tuple[Figure, ...]:
        success, nobody = outcomes.success.mean(axis=0), outcomes.nobody.mean(axis=0)
        missed = ((outcomes.success == 0) & (outcomes.nobody == 0)).mean(axis=0)
        sure = (outcomes.confidence >= SURE).mean(axis=0)
        undecided = np.maximum(1 - success - missed, nobody)
        return (
            share_figure("success", success, "people whose row was found"),
            share_figure("inconclusive", undecided, "tries that do not come down to one person"),
            share_figure("wrong", missed, "tries that led to someone else's row"),
            worst_tenth(outcomes.success),
            share_figure(
                "identified", outcomes.identified.mean(axis=0), "profiles that were found"
            ),
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


def _replaced(figures: tuple[Figure, ...], others: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """The figures, and the others instead of those of the same name."""
    names = {figure.name for figure in others}
    return (*(figure for figure in figures if figure.name not in names), *others)
