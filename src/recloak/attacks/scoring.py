"""What the two scoreboard attacks share: tries until the rates are sure, the strongest reported."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.comparing import Matching, Way, asked, has_times, ways_of
from recloak.attacks.crowd import Crowd, Tries
from recloak.attacks.gains import Outcome, joined, told
from recloak.attacks.postings import postings_of, rows_of
from recloak.attacks.scoring_figures import figures_of, still_needed
from recloak.attacks.try_parameters import TryParameters
from recloak.attacks.variants import (
    Outcomes,
    Rule,
    Variant,
    contenders,
    strongest,
    told_of_others,
)
from recloak.findings import Finding
from recloak.kernels.postings import Asked, Postings, Rows
from recloak.linkage import Linkage
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress, Task
from recloak.randomness import Randomness
from recloak.scene import Scene
from recloak.threads import in_threads

TRIES_AT_ONCE = 2048
TRIES_PER_BLOCK = 256


class ScoringParameters(TryParameters):
    """What the adversary knows, how he compares, and how sure the rates are to be."""

    matching: Matching = "strongest"
    """When does a rating of a row match a known one: if the values lie within half a step
    (`values`), within the noise that the release states (`noise`), always (`items`), or whichever
    of these succeeds most."""

    identical: Literal["strongest", "tie", "one"] = "strongest"
    """Are identical rows rivals that leave the try inconclusive (`tie`, as in the paper), or one
    candidate that tells all it has, whoever's it is (`one`)? The stronger of the two by default."""

    days: float = Field(default=0.0, ge=0, le=1e6)
    """If above 0, a match also needs times at most so many days apart, where there are times."""


class Guess(NamedTuple):
    """Whom each try names: the shares of the rows named that are the person's, or look like them.

    ``example`` is one that looks like them, ``other`` one that does not, -1 where there is none.
    """

    own: NDArray[np.float64]
    alike: NDArray[np.float64]
    example: NDArray[np.int64]
    other: NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """A table under attack, with its postings."""

    scene: Scene
    ways: list[Way]
    postings: Postings
    rows: Rows

    @classmethod
    def of(cls, scene: Scene, ways: list[Way], days: float) -> Table:
        timed = days > 0 and has_times(scene)
        return cls(scene, ways, postings_of(scene.rows, distinct=not timed), rows_of(scene.rows))


class Scoring(Attack):
    """Base of `scoreboard` and `scoreboard-rh`."""

    figures: ClassVar[tuple[str, ...]] = (
        "success",
        "inconclusive",
        "wrong",
        "gain",
        "gain_values",
        "false_items",
        "success_original",
        "gain_original",
        "gain_kept",
    )
    Parameters: ClassVar[type[Parameters]] = ScoringParameters
    parameters: ScoringParameters

    @property
    def label(self) -> str:
        told = self.parameters
        what = "items" if told.matching == "items" else "ratings"
        return ", ".join([f"knows {told.amount} {what}", *told.limits])

    @abstractmethod
    def guesses(
        self, table: Table, asked: Asked, tries: Tries, rules: tuple[Rule, ...], task: Task
    ) -> dict[Rule, Guess]:
        """Whom the adversary names in each try, under each rule."""

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        told = self.parameters
        crowd = Crowd.of(scene, told.known, told.upto, told.popular)
        ways = ways_of(scene, told.matching)
        if len(crowd) == 0 or not ways:
            return self._finding(scene, seed, (self._why_not(crowd),))
        rng = Randomness.from_seed(seed).generator(self.name, told.known)
        with progress.task(f"Scoring rows, {told.known} known") as task:
            tables = [Table.of(one, self._ways(one), told.days) for one in (scene, bare(scene))]
            found: list[Outcomes] = [{}, {}]
            missing = told.at_least
            while missing:
                tries = crowd.draw(min(missing, TRIES_AT_ONCE), told.wrong, rng)
                for table, outcomes in zip(tables, found, strict=True):
                    self._extend(outcomes, table, tries, task)
                found_so_far = zip(tables, found, strict=True)
                tables = [replace(table, ways=contenders(one)) for table, one in found_so_far]
                rates = [one for variant, one in found[0].items() if variant.way in tables[0].ways]
                missing = still_needed(rates, told.width, told.at_least)
        return self._measured(scene, seed, *found)

    def _ways(self, scene: Scene) -> list[Way]:
        """The original states no noise: there ratings are compared as such."""
        wanted = self.parameters.matching
        return ways_of(scene, wanted) or ways_of(scene, "values")

    def _extend(self, outcomes: Outcomes, table: Table, tries: Tries, task: Task) -> None:
        """Add what the tries come to in a table, each compared in every way."""
        for way in table.ways:
            known = asked(table.scene, tries, way, self.parameters.days)
            guesses = self.guesses(table, known, tries, self._rules(table), task)
            for rule, guess in guesses.items():
                variant, came_to = Variant(way, rule), outcome_of(table.scene, tries, guess)
                earlier = [outcomes[variant]] if variant in outcomes else []
                outcomes[variant] = joined([*earlier, came_to])

    def _rules(self, table: Table) -> tuple[Rule, ...]:
        wanted = self.parameters.identical
        if wanted != "strongest":
            return (wanted,)
        return ("one", "tie") if (table.postings.sizes > 1).any() else ("tie",)

    def _why_not(self, crowd: Crowd) -> str:
        if len(crowd):
            return "The release states no noise that a match could allow for: not measured."
        popular = self.parameters.popular
        among = f" of the {popular:,} most rated items" if popular else ""
        return f"Nobody has {self.parameters.known} ratings{among} and a known row: not measured."

    def _measured(self, scene: Scene, seed: int, found: Outcomes, unprotected: Outcomes) -> Finding:
        best, outcome = strongest(found)
        _, before = strongest(unprotected)
        notes = [told_of_others(found, best)] if len(found) > 1 else []
        if self.parameters.matching == "values" and best.way.name == "items":
            notes.append("Values cannot be compared here: items alone were.")
        if self.parameters.days > 0 and not has_times(scene):
            notes.append(
                "Original and release do not both have times: the release was attacked without."
            )
        if (np.diff(scene.linkage.offsets) > 1).any():
            notes.append(
                "People have several rows here, and he takes one: who links them gains more."
            )
        return self._finding(scene, seed, tuple(notes), outcome, before)

    def _finding(
        self,
        scene: Scene,
        seed: int,
        notes: tuple[str, ...],
        outcome: Outcome | None = None,
        before: Outcome | None = None,
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
            notes=(scene.linkage.note, *notes),
        )


def in_blocks(work: Callable[[int, int], None], tries: Tries, task: Task) -> None:
    """``work(start, end)`` on blocks of tries, side by side; enough of them for every core."""
    count = max(os.cpu_count() or 1, -(-len(tries) // TRIES_PER_BLOCK))
    edges = np.unique(np.linspace(0, len(tries), count + 1).astype(np.int64)).tolist()
    in_threads(work, pairwise(edges), task)


def bare(scene: Scene) -> Scene:
    """The same people without any protection: everyone's row is their own."""
    original = scene.original
    everyone = np.arange(original.n_users + 1)
    linkage = Linkage(everyone, everyone[:-1], "mapping", "")
    return Scene(original, original, linkage, np.arange(original.n_items))


def outcome_of(scene: Scene, tries: Tries, guess: Guess) -> Outcome:
    """What tries come to, by whom they name."""
    known = (tries.users, tries.offsets, tries.positions)
    right, mistaken = told(scene, *known, guess.example), told(scene, *known, guess.other)
    named = (guess.example >= 0) | (guess.other >= 0)
    wrong = (named & (guess.own == 0)).astype(np.float64)
    return Outcome(
        success=guess.own,
        inconclusive=1 - guess.own - wrong,
        wrong=wrong,
        gain=guess.alike * right[:, 0],
        gain_values=guess.alike * right[:, 1],
        false_items=guess.alike * right[:, 2] + (1 - guess.alike) * mistaken[:, 2],
    )
