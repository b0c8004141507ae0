"""Attack `membership`: is a person, of whom some ratings are known, in the release?"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field
from scipy import stats

from recloak.attacks._asked_people import ALL, AskedGroup, asked_groups, quarters_of
from recloak.attacks.base import Attack
from recloak.attacks.membership._epsilon import decided, epsilon_at_least, thresholds
from recloak.attacks.membership._familiar_people import FamiliarPeople
from recloak.attacks.membership._features import membership_features, with_squares
from recloak.attacks.membership._leading_directions import MadeUpRows
from recloak.attacks.membership._scores import Features, scores
from recloak.attacks.membership._weighed_candidates import TOO_MANY, too_many
from recloak.core.arrays import Floats, Indices, Mask
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress, Task
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import NoControlGroupError
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding

RESAMPLES = 400
REPORTED_FALSE_POSITIVES = 0.01
RIDGE_OF_WEAK_SIGNS = 10.0
MOST_CHOICES, MOST_EXAMPLES = 4, 4_000

_FIGURES = (
    DeclaredFigure(
        "membership",
        worse="more",
        heading="Membership",
        meaning="How often the attacker finds the right one if they are shown somebody who is in "
        "the release and somebody who is not. 50 % is guessing, 100 % is always.",
        column="membership",
        at_a_glance="how well those in the release are told from those who are not; 50 % is "
        "guessing, less is safer",
        sentence="Shown somebody who is in the release and somebody who is not, an attacker tells "
        "them apart in {of_100} of 100 cases; guessing is right in 50.",
        risk="linkability",
        chance=0.5,
        stands_for="linkability",
        chart=("Membership", "how often people in the release are told from others"),
    ),
    DeclaredFigure(
        "membership_tpr",
        worse="more",
        heading="Membership at 1 %",
        meaning="The share of those in the release whom the attacker calls members, if they call "
        "only 1 % of outsiders so.",
    ),
    DeclaredFigure(
        "epsilon_at_least",
        "rating",
        worse="more",
        heading="ε at least",
        meaning="The smallest ε of differential privacy that allows members to be told from "
        "outsiders so well: a lower bound with 95 % confidence, where each person counts as "
        "one try.",
    ),
)


class MembershipParameters(Parameters):
    """How much the adversary knows of everyone."""

    known: int = Field(default=0, ge=0)
    """How many ratings of a person the adversary knows, picked at random, at most half of them; 0
    for all."""

    delta: float = Field(default=1e-6, ge=0, lt=1)
    """The δ that the lower bound of ε allows."""


class Membership(Attack):
    """Knows ratings of a person and decides whether the person is in the release.

    The adversary knows the method and some people of either kind, and learns from these what sets
    members apart: how well the best row explains what is known, how far it stands out, whether
    known items are in the release at all. They learn on half of the people, a weighted sum of this
    and decision trees, and are tried on the other half.
    """

    name: ClassVar[str] = "membership"
    summary: ClassVar[str] = "Decides whether a person is in the release at all."
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    takes_turns: ClassVar[str] = "asked people"
    audited_with: ClassVar[tuple[str, ...]] = ("known=0", "known=20", "known=8")
    compared_with: ClassVar[tuple[str, ...]] = ("known=0",)
    adversary_acts: ClassVar[str] = "says who is in the release"
    Parameters: ClassVar[type[Parameters]] = MembershipParameters
    parameters: MembershipParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known or 'all'} ratings"

    def applies(self, context: AuditContext) -> bool:
        return context.control is not None

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        known = self.parameters.known
        try:
            groups = asked_groups(context, known, seed, progress)
        except NoControlGroupError as reason:
            return self._finding((), 0, seed, (str(reason),))
        again = [
            asked_groups(context, known, seed, progress, choice=choice)
            for choice in range(1, _choices(groups, known))
        ]
        with progress.task("Telling members from outsiders", 2) as task:
            separation = _separated(groups, again, seed, task)
        rng = Randomness.from_seed(seed).generator(self.name, known)
        figures = (*separation.figures(rng), self._epsilon(separation))
        notes = (groups[0].group.note, *_weaker_by(groups))
        return self._finding(figures, int(separation.member.sum()), seed, notes)

    def _epsilon(self, separation: Separation) -> Figure:
        delta = self.parameters.delta
        found = epsilon_at_least(decided(separation.above, separation.member), delta)
        meaning = f"the least ε that allows this, at δ = {delta:g}, with 95 % confidence"
        return Figure("epsilon_at_least", found, found, found, "rating", meaning)

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = f"The adversary {self.label} of a person and says whether they are a member."
        return self.finding(summary, figures, sample, seed, notes)


class Separation(NamedTuple):
    """For each person the score (higher: a member), and which thresholds they pass."""

    score: Floats
    above: Mask
    member: Mask
    pair: Indices

    def figures(self, rng: np.random.Generator) -> tuple[Figure, ...]:
        """AUC and true positives at 1 %, with intervals over pairs of people."""
        inside, outside = self._sides()
        picks = rng.integers(0, len(inside), (RESAMPLES, len(inside)))
        both = np.array(
            [_rates(inside, outside), *(_rates(inside[pick], outside[pick]) for pick in picks)]
        )
        return (
            _figure("membership", both[:, 0], "pairs of a member and an outsider told apart"),
            _figure("membership_tpr", both[:, 1], "members found at 1 % of outsiders"),
        )

    def _sides(self) -> tuple[Floats, Floats]:
        """The scores of members and outsiders, pair by pair."""
        order = np.argsort(self.pair, kind="stable")
        score, member = self.score[order], self.member[order]
        return score[member], score[~member]


def _choices(groups: list[AskedGroup], known: int) -> int:
    """How many choices of known ratings are learnt from: the adversary knows all of some people.

    One where everything is known, where rows are too many to look through them again, and where
    people are many, for then their number tells enough.
    """
    if known == ALL or any(asked.has_several_rows for asked in groups):
        return 1
    return min(MOST_CHOICES, max(1, MOST_EXAMPLES // sum(len(asked.people) for asked in groups)))


def _separated(
    groups: list[AskedGroup], again: list[list[AskedGroup]], seed: int, task: Task
) -> Separation:
    """Learn from one half and tell the other; ``again`` are all of them, known by other ratings."""
    choices = [groups, *again]
    plain = [[membership_features(asked) for asked in one] for one in choices]
    member = np.concatenate([asked.people.member for asked in groups])
    halves = [quarter // 2 for quarter in quarters_of(groups, seed)]
    half = np.concatenate(halves)
    score = np.zeros(len(member))
    limits = np.zeros((len(member), len(thresholds(np.zeros(1)))))
    for tried in (0, 1):
        familiar = FamiliarPeople.of(groups, [one != tried for one in halves])
        features, *others = [
            _features_beside(familiar, *one) for one in zip(choices, plain, strict=True)
        ]
        taught, asked = half != tried, half == tried
        rng = Randomness.from_seed(seed).generator("trees", tried)
        known_otherwise = [one.of(taught) for one in others]
        told = (features.of(taught), member[taught], features.of(asked))
        found = scores(*told, rng, task, known_otherwise)
        score[asked] = found.asked
        limits[asked] = thresholds(found.taught[~member[taught]])
    pair = np.concatenate([asked.people.pair for asked in groups])
    return Separation(score, score[:, None] > limits, member, pair)


def _features_beside(
    familiar: FamiliarPeople, groups: list[AskedGroup], plain: list[Floats]
) -> Features:
    """What speaks for everybody, ``plain`` and in comparison with familiar people."""
    columns = [
        np.column_stack([one, familiar.features(asked)])
        for one, asked in zip(plain, groups, strict=True)
    ]
    return _joined(columns, made_up=MadeUpRows.of(groups[0]) is not None)


def _weaker_by(groups: list[AskedGroup]) -> tuple[str, ...]:
    """What the attack left out."""
    left_out = any(too_many(asked, asked.people.known_ratings) for asked in groups)
    return (TOO_MANY,) if left_out else ()


def _joined(plain: list[Floats], *, made_up: bool) -> Features:
    """Of made-up rows each sign is weak, so that squares tell less than they hide."""
    whole = np.concatenate(plain)
    if made_up:
        return Features(whole, whole, RIDGE_OF_WEAK_SIGNS)
    return Features(whole, np.concatenate([with_squares(one) for one in plain]))


def _rates(inside: Floats, outside: Floats) -> tuple[float, float]:
    """The area under the ROC curve, and true positives at 1 % false ones."""
    ranks = stats.rankdata(np.concatenate([inside, outside]))
    count, others = len(inside), len(outside)
    area = (ranks[:count].sum() - count * (count + 1) / 2) / (count * others)
    allowed = int(REPORTED_FALSE_POSITIVES * others)
    limit = np.sort(outside)[others - 1 - allowed]
    return float(area), float((inside > limit).mean())


def _figure(name: str, found: Floats, meaning: str) -> Figure:
    value = float(found[0])
    low, high = np.quantile(found[1:], [0.025, 0.975])
    return Figure(name, value, min(value, float(low)), max(value, float(high)), "share", meaning)
