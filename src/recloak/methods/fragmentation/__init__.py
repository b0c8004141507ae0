"""Method `fragmentation`: each person's ratings split into several rows under unrelated names."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from recloak.core.arrays import Indices, Integers, offsets_from
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods._blocks import BlockMethod, Statistics, sample_of
from recloak.methods._tables import OwnedRows, TableParameters
from recloak.methods.fragmentation._centroids import CentroidCandidates
from recloak.methods.fragmentation._fragment_kernels import nearest_fragment
from recloak.methods.fragmentation._plans import SOLVED_ON, CentroidPlan, LinePlan
from recloak.methods.fragmentation._shared_cut import SharedCut, shared_lines
from recloak.methods.fragmentation._splitting import nearest_centroids, owners_of, rows_of_fragments
from recloak.methods.fragmentation.item_features import Features, Training, item_features

PAPER_SUPPORT = 500.0
SAFE_TIMES_TARGET = 10.0
# Rows of Table 3 of the paper, by people: what each of its six settings made of its two data sets.
_MOVIELENS, _NETFLIX = (
    (2.25, 4.74, 10.53, 18.95, 28.74, 38.3),
    (1.55, 3.0, 6.37, 10.5, 15.19, 18.98),
)
TARGETS = {
    **{f"paper-{at}": rows for at, rows in enumerate(_MOVIELENS, 1)},
    **{f"netflix-{at}": rows for at, rows in enumerate(_NETFLIX, 1)},
    **{f"shared-{at}": rows for at, rows in enumerate(_MOVIELENS, 1)},
}
Preset = Literal[
    "none",
    "paper-1",
    "paper-2",
    "paper-3",
    "paper-4",
    "paper-5",
    "paper-6",
    "netflix-1",
    "netflix-2",
    "netflix-3",
    "netflix-4",
    "netflix-5",
    "netflix-6",
    "shared-1",
    "shared-2",
    "shared-3",
    "shared-4",
    "shared-5",
    "shared-6",
]


class FragmentationParameters(TableParameters):
    """How many fragments, around which items, and by what likeness."""

    preset: Preset = "none"
    """As many fragments per person as the paper made of MovieLens (paper-1 … paper-6: 2.25, 4.74,
    10.53, 18.95, 28.74, 38.3) or of Netflix (netflix-1 … netflix-6: 1.55, 3, 6.37, 10.5, 15.19,
    18.98); p1 is solved for. shared-1 … shared-6 make as many as paper-1 … paper-6, with the cut
    shared."""

    fragments: float = Field(default=0.0, ge=0, le=1e6)
    """Mean number of fragments per person to reach; p1 is solved for. 0: p1 as given."""

    p1: float = Field(default=2.0, gt=0, le=1e9)
    """More of it, more fragments: a person with u ratings aims at p1 · ln(1 + u / p2). Without
    effect where preset or fragments is given."""

    p2: float = Field(default=50.0, gt=0, le=1e9)
    """The number of ratings from which on further ones add fewer fragments."""

    target_support: float = Field(default=0.0, ge=0, le=1e12)
    """The support up to which an item starts a fragment of a person who has as many as aimed at.
    0: the median support of the items (500 with a preset, as in the paper)."""

    safe_support: float = Field(default=0.0, ge=0, le=1e12)
    """Items with this support or more never start a fragment. 0: ten times the target."""

    factors: int = Field(default=25, ge=1, le=1024)
    """Number of features by which items are compared."""

    training: Training = "full"
    """How the features are learnt: full trains well, paper stops as early as the authors did."""

    distance: Literal["euclidean", "cosine"] = "euclidean"
    """How the distance of two items' features is measured."""

    cut: Literal["centroids", "shared"] = "centroids"
    """Where rows are cut: around each person's rarest items, as in the paper, or along lines that
    are the same for everyone, so that the parts of different people look alike. At equal utility,
    who takes several rows gains far less from the latter; see Explanation, a stronger adversary.
    Supports have no effect on it."""

    max_share: float | None = Field(default=None, ge=1, le=1e6)
    """The most that a fragment takes of a row of n ratings with c fragments, as a multiple of
    n / c; for the cut around centroids. Without it there is none, as in the paper. It costs some
    utility and takes most of what a single row tells; against who takes several rows it is worth
    about as much as more fragments are."""

    @property
    def shares_lines(self) -> bool:
        """Are rows cut along the same lines for everyone?"""
        return self.cut == "shared" or self.preset.startswith("shared")

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        if self.max_share is not None and self.shares_lines:
            raise ValueError(
                "max_share is for the cut around centroids: leave it with shared lines"
            )
        if self.preset != "none" and self.fragments:
            raise ValueError("preset and fragments both say how many fragments: give one of them")
        if 0 < self.fragments < 1:
            raise ValueError("nobody can have fewer fragments than 1: give 1 or more")
        return self


class Fragmentation(BlockMethod):
    """Splits every row around its rarest items, each rating with the one most like it.

    Every rating is published, unchanged and once; only which fragments belong to one person is
    not. That is the secret, and a client that holds its own part of it can recombine predictions.
    With ``cut = shared`` rows are split along a tree of cells of items that is the same for all.

    The item at place x of a row (rarest first, from 0) founds a fragment while its support is at
    most tc · np / x, with np = p1 · ln(1 + |u| / p2). The paper prints tc · x / np, which would
    give fewer fragments the more are asked for; its figures need the inverse.
    """

    name: ClassVar[str] = "fragmentation"
    summary: ClassVar[str] = "Splits each person's ratings into rows under unrelated names."
    promise: ClassVar[str] = (
        "Every rating is true and kept; no formal claim. Someone who finds a row learns a "
        "fragment, not the person's whole list; someone who knows much finds several fragments."
    )
    reference: ClassVar[str] = (
        "Gonçalves, Gomes, Aguiar: Privacy in Data Publishing for Tailored Recommendation "
        "Scenarios. Transactions on Data Privacy 8, 2015."
    )
    Parameters: ClassVar[type[Parameters]] = FragmentationParameters
    parameters: FragmentationParameters
    needs_sample: ClassVar[bool] = True
    _features: Features | None = None

    def using(self, features: Features) -> Fragmentation:
        """The same method with item features that were learnt before, for many runs on one set."""
        same = Fragmentation(**self.parameters.model_dump())
        same._features = features
        return same

    def features(
        self, ratings: Ratings, randomness: Randomness, progress: Progress = SILENT
    ) -> Features:
        """A row of features for each item, by which likeness is judged."""
        given = self.parameters
        if self._features is not None:
            if len(self._features) != ratings.n_items:
                raise ValueError("the given features are those of other items")
            return self._features
        seed = int(randomness.generator("features").integers(2**31))
        sample = sample_of(ratings, PeopleDraws.of(randomness, ratings.user_labels))
        return item_features(sample, given.factors, given.training, seed, progress)

    def strength(self, candidates: CentroidCandidates, progress: Progress = SILENT) -> float:
        """The product tc · p1, the one number that decides how many fragments there are."""
        if not self._wanted:
            return self.supports(candidates.support)[0] * self.parameters.p1
        return candidates.strength_for(self._wanted, progress, self._target_flag)

    @property
    def _wanted(self) -> float:
        return TARGETS.get(self.parameters.preset, self.parameters.fragments)

    @property
    def _target_flag(self) -> str:
        preset = self.parameters.preset
        return f"--preset {preset}" if preset != "none" else "--fragments"

    def supports(self, support: Integers) -> tuple[float, float]:
        """The target support and the safe support, where items have this ``support``."""
        given = self.parameters
        median = float(np.median(support[support > 0])) if support.any() else 1.0
        usual = median if given.preset == "none" else PAPER_SUPPORT
        target = given.target_support or usual
        return target, given.safe_support or SAFE_TIMES_TARGET * target

    def candidates(
        self, ratings: Ratings, progress: Progress = SILENT, support: Integers | None = None
    ) -> CentroidCandidates:
        """The rare items that may found fragments; ``support`` is that in all ratings."""
        support = ratings.item_support if support is None else support
        safe = self.supports(support)[1]
        return CentroidCandidates.of(ratings, safe, self.parameters.p2, progress, support)

    def learn(
        self, statistics: Statistics, sample: Ratings, randomness: Randomness, progress: Progress
    ) -> CentroidPlan | LinePlan:
        """Where rows are cut, and how often."""
        support = statistics.item_support
        few = sample_of(sample, PeopleDraws.of(randomness, sample.user_labels), SOLVED_ON)
        if self.parameters.shares_lines:
            features = self.comparable(self.features(sample, randomness, progress))
            code_of, depth = shared_lines(support, features, progress)
            strength = self.parameters.p1
            if self._wanted:
                lines = SharedCut.of(few, code_of, depth, self.parameters.p2)
                strength = lines.strength_for(self._wanted, progress, self._target_flag)
            return LinePlan(code_of, depth, strength)
        strength, found = self.supports(support)[0] * self.parameters.p1, None
        if self._wanted:
            found = self.candidates(few, progress, support)
            strength = self.strength(found, progress)
        features = self.comparable(self.features(sample, randomness, progress))
        return CentroidPlan(support, features, strength, found if few is sample else None)

    def part(
        self,
        rows: Ratings,
        shared: CentroidPlan | LinePlan,
        people: PeopleDraws,
        progress: Progress,
    ) -> OwnedRows:
        if isinstance(shared, LinePlan):
            return self._along_lines(rows, shared, progress)
        candidates = shared.found_in(rows) or self.candidates(rows, progress, shared.support)
        counts = candidates.counts(shared.strength, progress)
        starts = offsets_from(np.where(rows.user_counts > 0, np.maximum(counts, 1), 0))
        share, features = self.parameters.max_share, shared.features
        fragment = nearest_centroids(candidates, counts, features, share, progress)

        def chooser(users: Indices, items: Indices) -> Indices:
            places = (candidates.offsets, candidates.ranks, candidates.item_of_rank)
            return nearest_fragment(users, items, *places, counts, starts, features)

        fragments = rows_of_fragments(rows, fragment, starts, progress)
        return OwnedRows(fragments, owners_of(starts), chooser, _founders(candidates, starts))

    def _along_lines(self, ratings: Ratings, shared: LinePlan, progress: Progress) -> OwnedRows:
        lines = SharedCut.of(ratings, shared.code_of, shared.depth, self.parameters.p2)
        made = lines.fragments(shared.strength, progress)
        rows = rows_of_fragments(ratings, made.fragment, made.starts, progress)
        return OwnedRows(rows, owners_of(made.starts), partial(lines.predicting_fragments, made))

    def comparable(self, features: Features) -> Features:
        """Features whose Euclidean distance orders items as the chosen distance does."""
        if self.parameters.distance == "euclidean":
            return features
        lengths = np.linalg.norm(features, axis=1, keepdims=True)
        return (features / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _founders(candidates: CentroidCandidates, starts: Indices) -> Indices:
    """The item that each fragment was made around: its rarest, for centroids are the rarest."""
    ratings, counts = candidates.ratings, np.diff(starts)
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
    rarest = candidates.rarest()[np.repeat(np.arange(ratings.n_users), counts)]
    later = np.repeat(candidates.offsets[:-1], counts)[within > 0] + within[within > 0]
    rarest[within > 0] = candidates.item_of_rank[candidates.ranks[later]]
    return rarest
