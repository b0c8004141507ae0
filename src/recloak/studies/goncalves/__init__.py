"""What the studies of Gonçalves, Gomes and Aguiar share: the ladder of sanitised data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from pydantic import field_validator

from recloak.core.parameters import Parameters
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import Method, method
from recloak.methods.fragmentation import TARGETS, Fragmentation
from recloak.methods.fragmentation.item_features import Features, Training
from recloak.studies.base import Study, StudyParameters
from recloak.studies.data import DataSet

REFERENCE = (
    "Gonçalves, Gomes, Aguiar: Privacy in Data Publishing for Tailored Recommendation Scenarios. "
    "Transactions on Data Privacy 8, 2015."
)
LEVELS = ("Original", "Frag1", "Frag2", "Frag3", "Frag4", "Frag5", "Frag6", "2Dis")
DATA_SETS = ("ml-100k", "ml-1m", "synthetic-ml-10m", "synthetic-netflix")


class GoncalvesParameters(StudyParameters):
    """How often, and for which of the paper's data sets."""

    levels: str = "all"
    """The data sets to make, such as Original+Frag1+Frag6; at the size of Netflix all of them take
    half an hour to an hour, and 2Dis 15 GB."""

    @field_validator("levels")
    @classmethod
    def _are_known(cls, text: str) -> str:
        unknown = [name for name in text.split("+") if name not in LEVELS]
        if text != "all" and (unknown or not text.startswith(LEVELS[0])):
            raise ValueError(f"should be all, or Original and some of {', '.join(LEVELS[1:])}")
        return text


class GoncalvesStudy(Study):
    """A study of this paper."""

    reference: ClassVar[str] = REFERENCE
    data_sets: ClassVar[tuple[str, ...]] = DATA_SETS
    Parameters: ClassVar[type[Parameters]] = GoncalvesParameters
    parameters: GoncalvesParameters

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that were asked for, in the paper's order."""
        asked = self.parameters.levels
        return tuple(one for one in LEVELS if asked == "all" or one in asked.split("+"))


def is_netflix(data: DataSet) -> bool:
    """Is it to be held against the paper's Netflix figures, rather than those of MovieLens?"""
    return data.name.endswith("netflix")


def preset_of(level: str, data: DataSet) -> str:
    """The preset that makes as many fragments per person as the paper's level had."""
    return f"{'netflix' if is_netflix(data) else 'paper'}-{level.removeprefix('Frag')}"


@dataclass(frozen=True)
class SanitisedSets:
    """The paper's eight data sets from one: as it is, six fragmentations, one disassociation.

    The item features are learnt once and serve all six, as in the paper.
    """

    data: DataSet
    training: Training = "full"
    levels: tuple[str, ...] = LEVELS

    def features(self, ratings: Ratings, seed: int, progress: Progress) -> Features:
        """What the fragmentations of ``ratings`` go by."""
        recipe = Fragmentation(training=self.training)
        return recipe.features(ratings, Randomness.from_seed(seed), progress)

    def methods(self, features: Features) -> Iterator[tuple[str, Method]]:
        """Each level with the method that makes it."""
        for level in self.levels:
            if level == "Original":
                yield level, method("pseudonymize")
            elif level == "2Dis":
                yield (
                    level,
                    method(
                        "disassociation", k=2, m=2, max_cluster=100, refine=False, rare="listed"
                    ),
                )
            else:
                preset = preset_of(level, self.data)
                yield level, Fragmentation(preset=preset, training=self.training).using(features)


def targets_of(data: DataSet) -> dict[str, float]:
    """Fragments per person at each level of the paper."""
    return {level: TARGETS[preset_of(level, data)] for level in LEVELS[1:7]}
