"""Protection: what the algorithms that make lists private have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from recloak.core.claim import Claim
from recloak.core.component import Component
from recloak.core.parameters import Parameters
from recloak.core.progress import Task
from recloak.core.registry import Registry
from recloak.core.timeline import ItemRaters, Snapshot
from recloak.lists.protection._bound_kernels import RaterMarks, no_marks
from recloak.lists.protection._list_kernels import Bound, EarlierReleases
from recloak.recommenders.similarity import Ranked
from recloak.releases.lists.fractions import Share, fraction_of
from recloak.releases.lists.history import ProtectionChanges
from recloak.releases.lists.related import EMPTY, Slots


class ProtectionParameters(Parameters):
    """What is promised, and how hard is tried."""

    delta: Share = "0.1"
    """Of the people who rated certain items, the largest share, above 0 and up to 1, that may also
    have rated an item that enters or climbs in the lists of these items; exact, 0.1 is a tenth."""

    window: int = Field(default=4, ge=2, le=1_000)
    """How many releases an adversary compares; each is protected against the window − 1 before."""

    top: int = Field(default=5, ge=1, le=1_000)
    """How many related items each list shows."""

    budget: int = Field(default=2_000, ge=1, le=10**9)
    """How many sets of items are examined to decide whether an entry is allowed; if they do not
    suffice, it is not."""

    depth: int = Field(default=50, ge=0, le=10_000)
    """How many candidates a list may draw on; slots that none of them may take stay empty."""

    new_raters_only: bool = False
    """Protect only against a weaker adversary, for whom only people count who rated an item between
    the two releases."""


class EarlierLists(NamedTuple):
    """An earlier release of the window: its lists, and how many ratings it covers."""

    slots: Slots
    n_ratings: int


@dataclass(frozen=True)
class ProtectionInput:
    """Everything that an algorithm works with for one release."""

    snapshot: Snapshot
    ranked: Ranked
    earlier: EarlierReleases
    raters: ItemRaters
    bound: Bound
    marks: RaterMarks

    @property
    def n_raters(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """How many people rated each item."""
        return np.diff(self.raters.offsets)


class Algorithm(Component, ABC):
    """Turns the raw lists of a release into lists that keep the bound against their window."""

    family: ClassVar[str] = "algorithm"
    reference: ClassVar[str] = (
        "Chen, Xie, Lakshmanan: Thwarting Passive Privacy Attacks in Collaborative Filtering. "
        "DASFAA 2014."
    )
    Parameters: ClassVar[type[Parameters]] = ProtectionParameters
    parameters: ProtectionParameters

    @abstractmethod
    def arrange(self, inputs: ProtectionInput, task: Task) -> tuple[Slots, ProtectionChanges]:
        """Private lists, and what was done to make them so."""

    @property
    def delta(self) -> Fraction:
        return fraction_of(self.parameters.delta)

    def claim(self) -> Claim:
        """What is promised for the lists; the verifier has a budget of its own."""
        parameters = self.parameters
        weaker = {"new_raters_only": True} if parameters.new_raters_only else {}
        return Claim(
            "delta-bound", {"delta": parameters.delta, "window": parameters.window, **weaker}
        )

    def prepare(
        self, snapshot: Snapshot, ranked: Ranked, window: tuple[EarlierLists, ...]
    ) -> ProtectionInput:
        """Lay out what is needed to protect one release."""
        parameters, n_items = self.parameters, snapshot.ratings.n_items
        lists = np.full((len(window), n_items, parameters.top), EMPTY, np.int32)
        for place, earlier in enumerate(window):
            lists[place] = earlier.slots
        since = [earlier.n_ratings if parameters.new_raters_only else 0 for earlier in window]
        return ProtectionInput(
            snapshot,
            ranked,
            EarlierReleases(lists, np.array(since, dtype=np.int64)),
            snapshot.postings,
            Bound(self.delta.numerator, self.delta.denominator, parameters.budget),
            no_marks(snapshot.ratings.n_users),
        )


ALGORITHMS: Registry[type[Algorithm]] = Registry(
    "list_algorithms",
    "algorithm for lists",
    {
        "suppression": "recloak.lists.protection.suppression:Suppression",
        "permutation": "recloak.lists.protection.permutation:Permutation",
        "constructive": "recloak.lists.protection.constructive:Constructive",
    },
)
