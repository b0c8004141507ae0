"""Method `synthetic`: made-up people, drawn from a model that was learnt from sums over people."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from recloak.core.claim import Claim
from recloak.core.errors import InputError, ParameterError
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.methods._tables import TableParameters
from recloak.methods.base import Applied, Method
from recloak.methods.synthetic._drawing import MadeUpPeople
from recloak.methods.synthetic._exact_fit import fit_exactly
from recloak.methods.synthetic._private_data import Budget, PrivateRatings, Queryable
from recloak.methods.synthetic._private_fit import enough_people, fit_privately
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._shares import DEGREES, LEVEL, SPREADS, TIMES, Shares
from recloak.methods.synthetic._surveys import as_answers, survey_facts
from recloak.methods.synthetic._times import learnt_periods
from recloak.methods.synthetic._traits import Traits
from recloak.methods.synthetic.budget import budget_for
from recloak.methods.synthetic.model import MOST_PEOPLE, SyntheticModel
from recloak.releases.account import Account, written
from recloak.releases.made_up import MadeUpRelease, MadeUpSurvey
from recloak.releases.manifest import Manifest
from recloak.releases.secret import NoSecret
from recloak.releases.survey import as_columns

MOST_EPSILON = 50.0
_LEFT_FOR_ITEMS = 0.05
_FEW_RATINGS = 8  # of a person: half of them are too few to be known by
_FEW_PEOPLE = 10_000  # of 943, 2,000 and 6,040 people membership was told too well, of 17,615 not,
_HIGH_FLOOR = 100  # nor of any of these with such a floor


class SyntheticParameters(TableParameters):
    """What the made-up people promise, how many there are, and how they are learnt."""

    epsilon: float | None = Field(default=None, gt=0, le=MOST_EPSILON)
    """User-level differential privacy with this ε: noise in everything that is learnt. Left out,
    statistics are exact, with `floor` people or more behind each. Above 50 is refused: one person
    could make an outcome e⁵⁰ times as likely, which promises nothing."""

    delta: float = Field(default=1e-6, gt=0, le=1e-3)
    """With `epsilon`: the probability with which its bound may fail; below 1 / people."""

    floor: int = Field(default=10, ge=2)
    """Without `epsilon`: the least number of people behind an item, an answer or a range of
    sizes. What fewer have is left out."""

    people: int | None = Field(default=None, ge=1, le=MOST_PEOPLE)
    """How many people to draw; left out, about as many as there are."""

    data: Literal["ratings", "survey"] = "ratings"
    """Ratings or purchases of which everyone has some, or a survey of issues with levels, ordered
    or not, where an empty cell is an answer like any other."""

    calm: float = Field(default=0.3, ge=0, le=1)
    """For experts: how much of what is not explained stays in a made-up rating. Less serves
    recommenders better, 1 looks most like people."""

    rank: int | None = Field(default=None, ge=1, le=64)
    """For experts: the most directions of taste to learn; left out, those above the noise."""

    support_share: float = Field(default=0.2, ge=0, le=0.9)
    """For experts, with `epsilon`: the share of the budget for what people rate together."""

    taste_share: float = Field(default=0.2, ge=0, le=0.9)
    """For experts, with `epsilon`: the share of the budget for what people like together. What is
    left serves the items themselves."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        fixed = DEGREES + LEVEL + SPREADS + TIMES
        if self.support_share + self.taste_share + fixed > 1 - _LEFT_FOR_ITEMS:
            raise ValueError("the shares leave nothing of the budget for the items")
        if self.data == "survey" and self.times != "drop":
            raise ValueError("a survey has no times")
        return self


class Synthetic(Method):
    """Learns from sums over people how people rate, then draws people who rate like that.

    A person of the release is nobody: a number of ratings, items and values were drawn from the
    model. With ``epsilon`` each sum has noise that hides any one person, and the release is
    differentially private for people (not for single ratings). Without it sums are exact; what
    fewer than ``floor`` people have is left out, which is no differential privacy.
    """

    name: ClassVar[str] = "synthetic"
    summary: ClassVar[str] = "Made-up people, drawn from statistics of the real ones."
    promise: ClassVar[str] = (
        "No row is anybody's. With epsilon: user-level differential privacy. Without it: nothing "
        "rests on fewer people than the floor, which is no differential privacy."
    )
    reference: ClassVar[str] = (
        "Dong, Roth, Su: Gaussian Differential Privacy. JRSS B 2022. Canonne, Kamath, Steinke: The "
        "Discrete Gaussian for Differential Privacy. NeurIPS 2020."
    )
    made_up: ClassVar[bool] = True
    Parameters: ClassVar[type[Parameters]] = SyntheticParameters
    parameters: SyntheticParameters

    def claims(self) -> list[Claim]:
        given = self.parameters
        if given.epsilon is None:
            return [Claim("floor", {"k": given.floor})]
        bounds = {"epsilon": given.epsilon, "delta": given.delta, "unit": "user"}
        return [Claim("differential-privacy", bounds)]

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        drawn = randomness or Randomness.from_entropy()
        model = self.fit(ratings, drawn, progress)
        release = self.release_of(model, drawn, progress)
        named = release.manifest.release_id
        secret = NoSecret.of(named, drawn.root, ratings.user_labels, model)
        return Applied(release, secret, self.notes_on(model))

    def why_not_by_blocks(self) -> str | None:
        if self.parameters.data == "survey":
            return "a survey is published as a table with a column for each question"
        return None

    def fit(
        self,
        ratings: Ratings | RatingsElsewhere,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> SyntheticModel:
        """Learn the model, from which people can be drawn again and again."""
        given = self.parameters
        self._refuse(ratings)
        drawn = (randomness or Randomness.from_entropy()).child("fit")
        public = PublicFacts(ratings.n_items, ratings.scale)
        people = ratings
        if given.data == "survey":
            assert isinstance(ratings, Ratings)
            public, people = survey_facts(ratings.n_items, ratings.scale), as_answers(ratings)
        mu = None if given.epsilon is None else budget_for(given.epsilon, given.delta)
        queryable = Queryable(PrivateRatings(people), Budget(mu), drawn, progress)
        timed = ratings.times is not None if isinstance(ratings, Ratings) else ratings.timed
        traits = self._learnt(queryable, public, timed and given.times != "drop", drawn)
        return SyntheticModel(
            traits,
            ratings.scale,
            ratings.item_labels,
            given.public(),
            self._account(queryable, traits),
            drawn.guessable,
        )

    def _learnt(
        self, queryable: Queryable, public: PublicFacts, timed: bool, drawn: Randomness
    ) -> Traits:
        given, rng = self.parameters, drawn.generator("fit")
        shares = Shares.of(public, given.support_share, given.taste_share, timed)
        periods = None
        if timed:
            periods = learnt_periods(queryable, given.times, shares.times, given.floor)
        if given.epsilon is None:
            traits = fit_exactly(queryable, public, given.floor, given.rank, rng)
        else:
            traits = fit_privately(queryable, public, shares, given.rank, rng)
        if periods is None:
            return traits
        return replace(traits, periods=periods[0], period_shares=periods[1])

    def release_of(
        self, model: SyntheticModel, randomness: Randomness, progress: Progress = SILENT
    ) -> MadeUpRelease | MadeUpSurvey:
        """A release of people who are drawn from the model now."""
        rows = model.draw(self.parameters.people, randomness.child("draw"), progress)
        if self.parameters.data == "survey":
            rows = as_columns(rows)
            return MadeUpSurvey(self.manifest_of(rows, model, randomness), rows)
        return MadeUpRelease(self.manifest_of(rows, model, randomness), rows)

    def people_to_draw(self, model: SyntheticModel, randomness: Randomness) -> MadeUpPeople:
        """The people of such a release before they are drawn."""
        return model.people_to_draw(self.parameters.people, randomness.child("draw"))

    def manifest_of(self, rows: Ratings, model: SyntheticModel, randomness: Randomness) -> Manifest:
        """The manifest of a release of such rows."""
        kind = MadeUpSurvey if self.parameters.data == "survey" else MadeUpRelease
        times = "dropped" if rows.times is None else f"coarsened to the {self.parameters.times}"
        manifest = self.manifest(rows, randomness, kind.kind, times)
        return manifest.model_copy(update={"account": model.account})

    def notes_on(self, model: SyntheticModel) -> tuple[str, ...]:
        """What whoever publishes must know."""
        if self.parameters.epsilon is None:
            exact = (
                "This is not differential privacy: the statistics behind the made-up people are "
                f"exact, and what fewer than {self.parameters.floor} people have is left out."
            )
            few = _few_people(model, self.parameters.floor)
            return (exact, *few, *_little_to_learn(model))
        notes = [
            f"The list of items and the scale ({model.scale}) are taken to be public knowledge. If "
            "some items are in the file only because one person rated them, give a catalogue: "
            "--public-items. If the scale is only known from these ratings, give it: --scale.",
        ]
        support, taste = model.traits.ranks
        if not support and not taste:
            notes.append(
                f"About {model.people:,} people are too few at this epsilon for what people rate "
                "or like together to stand out from the noise: only the popularity and the "
                "mean of each item survive. With "
                f"{self._enough_people():,} people or more, more would survive."
            )
        return tuple(notes)

    def _enough_people(self) -> int:
        given = self.parameters
        assert given.epsilon is not None
        budget = Budget(budget_for(given.epsilon, given.delta))
        return enough_people(budget, given.support_share, given.taste_share)

    def _account(self, queryable: Queryable, traits: Traits) -> Account:
        given, mu = self.parameters, queryable.budget.mu
        if mu is None:
            ranges = tuple(zip(traits.sizes.low.tolist(), traits.sizes.high.tolist(), strict=True))
            return Account(floor=given.floor, sizes=ranges, queries=tuple(queryable.asked))
        return Account(
            mu=written(mu),
            epsilon=given.epsilon,
            delta=given.delta,
            noise="discrete gaussian",
            queries=tuple(queryable.asked),
        )

    def _refuse(self, ratings: Ratings | RatingsElsewhere) -> None:
        given, people = self.parameters, ratings.n_users
        if ratings.n_ratings == 0:
            raise InputError("there is nothing to learn from", where=f"method {self.name}")
        if given.epsilon is not None and given.delta >= 1 / people:
            raise ParameterError(
                f"{given.delta:g} is not below 1 / {people:,}, one over the number of people",
                where=f"method {self.name}, parameter 'delta'",
                hint="With so large a δ a method could publish somebody's whole row and keep its "
                "promise. Lower it.",
            )


def _few_people(model: SyntheticModel, floor: int) -> list[str]:
    """Why a release without noise may tell who is in it: each person weighs much in its sums."""
    if model.people >= _FEW_PEOPLE or floor >= _HIGH_FLOOR:
        return []
    return [
        f"Each of only {model.people:,} people weighs much in exact statistics: whoever knows all "
        "ratings of a person may tell whether they are in the data. A higher --floor, or "
        "--epsilon, hides that better and keeps less."
    ]


def _little_to_learn(model: SyntheticModel) -> list[str]:
    """Why a release without noise may be worth little: people have few ratings."""
    traits = model.traits
    ratings = float(traits.sizes.spread(1000).mean())
    if traits.question is not None or ratings >= _FEW_RATINGS:
        return []
    if ratings > len(model.item_labels) / 2:
        return [
            f"People rated most of the {len(model.item_labels):,} items, as respondents of a "
            "survey do. If this is a survey, say --data survey: answers are then drawn together."
        ]
    return [
        f"Made-up people have about {ratings:.0f} ratings each, and {len(traits.items):,} of "
        f"{len(model.item_labels):,} items have enough people to be kept. So few ratings tell "
        "little of what goes together, so that a recommender can learn little from the release."
    ]
