"""Advising: the setting that meets all wishes and keeps most, and how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recloak.frontier.cells import Cell
from recloak.frontier.comparing import Comparison, compare, store_of
from recloak.frontier.pareto import frontier_of
from recloak.frontier.protocol import Protocol
from recloak.frontier.reasons import why, why_nothing
from recloak.frontier.settings import Setting, default_settings
from recloak.frontier.wishes import (
    WITHOUT_VALUES,
    Met,
    Objective,
    Wish,
    refuse_contradictions,
)
from recloak.policy import Policy
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.ratings import Ratings

FEWEST_PEOPLE = 1000  # fewer tell too little about the others
FEWEST_RATINGS = 100_000
SAMPLE_SHARES = (1 / 16, 1 / 4)
KEPT_SHARE = 0.5
FEWEST_KEPT = 6


@dataclass(frozen=True)
class Round:
    """One round of halving: on how many people, which settings went in and which went on."""

    people: int
    tried: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """The frontier, the pick with its reason, and what comes nearest if nothing satisfies."""

    comparison: Comparison
    objective: Objective
    wishes: tuple[Wish, ...]
    frontier: tuple[Cell, ...]
    pick: Cell | None
    nearest: Cell | None
    reason: str
    rounds: tuple[Round, ...] = ()

    def met(self, cell: Cell) -> list[Met]:
        """How a cell stands to each wish."""
        return [wish.judge(cell) for wish in self.wishes]

    @property
    def chosen(self) -> Cell | None:
        """The pick, or what comes nearest."""
        return self.pick or self.nearest


def advise(
    ratings: Ratings,
    settings: Sequence[Setting] | None = None,
    *,
    out: str | Path,
    wishes: Sequence[Wish] = (),
    objective: Objective | None = None,
    protocol: Protocol | None = None,
    policy: Policy | None = None,
    jobs: int | None = None,
    progress: Progress = SILENT,
) -> Advice:
    """Find the setting that meets all wishes and has the best objective.

    Where there are many people, all settings run on a sample of them first and the better half
    goes on; those that are left run in full, and only full runs are told of. Everything runs
    through the cells of a comparison in ``out``, so that nothing is computed twice, and what a
    comparison has finished there needs no sample.
    """
    refuse_contradictions(wishes)
    aim = objective or Objective("mu")
    lines = [line for wish in wishes if (line := wish.requirement) is not None]
    followed = (protocol or Protocol.usual()).with_lines(lines)
    wanted = list(default_settings(ratings) if settings is None else settings)

    def run(people: Ratings, some: Sequence[Setting]) -> Comparison:
        return compare(
            people, some, out=out, protocol=followed, policy=policy, jobs=jobs, progress=progress
        )

    store = store_of(ratings, out, followed, policy)
    left = [setting for setting in wanted if store.read(setting) is None]
    finished = [setting for setting in wanted if setting not in left]
    rounds = []
    for people in _samples(ratings):
        if len(left) <= FEWEST_KEPT:
            break
        found = run(sample_of(ratings, people, followed.seed), left)
        kept = better_half(found.cells, measurable(aim, found.cells), wishes)
        names = [tuple(setting.label for setting in some) for some in (left, kept)]
        rounds.append(Round(people, *names))
        left = kept
    in_full = [setting for setting in wanted if setting in finished or setting in left]
    return decided(run(ratings, in_full), aim, wishes, tuple(rounds))


def _samples(ratings: Ratings) -> list[int]:
    """On how many people settings are tried before all; on few, full runs are as quick."""
    sizes = [(int(share * ratings.n_users), share * ratings.n_ratings) for share in SAMPLE_SHARES]
    return [people for people, size in sizes if people >= FEWEST_PEOPLE and size >= FEWEST_RATINGS]


def decided(
    comparison: Comparison,
    objective: Objective,
    wishes: Sequence[Wish],
    rounds: tuple[Round, ...] = (),
) -> Advice:
    """Frontier, pick and reason from full runs."""
    aim = measurable(objective, comparison.cells)
    candidates = publishable(comparison)
    frontier = frontier_of(candidates, aim, wishes)
    ranked = sorted(candidates, key=lambda cell: _rank(cell, aim, wishes))
    fitting = [cell for cell in ranked if _satisfies(cell, wishes) and aim.found(cell)]
    pick = fitting[0] if fitting else None
    nearest = None if pick else next((cell for cell in ranked if _tells(cell, wishes)), None)
    reason = (
        why(pick, fitting, candidates, aim, wishes)
        if pick
        else why_nothing(nearest, len(candidates), wishes)
    )
    return Advice(comparison, aim, tuple(wishes), frontier, pick, nearest, reason, rounds)


def publishable(comparison: Comparison) -> list[Cell]:
    """The cells that may be published: what they claim holds, and nothing speaks against them."""
    return [cell for cell in comparison.audited if not cell.caveat and not cell.broken]


def sample_of(ratings: Ratings, people: int, seed: int) -> Ratings:
    """The ratings of so many people, drawn at random."""
    generator = Randomness.from_seed(seed).generator("sample of people to compare on")
    drawn = generator.choice(ratings.n_users, people, replace=False)
    return ratings.take_users(np.sort(drawn)).compact()


def better_half(
    cells: Sequence[Cell], objective: Objective, wishes: Sequence[Wish]
) -> list[Setting]:
    """The settings that go on: the whole frontier, then those nearest to the wishes.

    On a sample people stand out more than among all, so that limits are not yet enforced: they
    only rank.
    """
    usable = [cell for cell in cells if cell.audit is not None]
    wanted = max(FEWEST_KEPT, round(KEPT_SHARE * len(cells)))
    ranked = sorted(usable, key=lambda cell: _rank(cell, objective, wishes))
    frontier = frontier_of(usable, objective, wishes)
    chosen = {id(cell): cell for cell in [*ranked[: wanted // 2], *frontier, *ranked]}
    kept = set(list(chosen)[:wanted])
    return [cell.setting for cell in cells if id(cell) in kept]


def measurable(objective: Objective, cells: Sequence[Cell]) -> Objective:
    """Where nothing can be predicted, utility is how well lists are made."""
    if objective.figure == "mu" and not any(objective.found(cell) for cell in cells):
        return Objective(WITHOUT_VALUES)
    return objective


def _rank(cell: Cell, objective: Objective, wishes: Sequence[Wish]) -> tuple[float, float]:
    """First who is least beyond the wishes, then who has the best objective."""
    beyond = sum(min(wish.judge(cell).shortfall, 1e6) for wish in wishes)
    return beyond, -objective.score(cell)


def _tells(cell: Cell, wishes: Sequence[Wish]) -> bool:
    """Was anything measured that is wished for? What was not cannot come near either."""
    return not wishes or any(wish.judge(cell).status != "not measured" for wish in wishes)


def _satisfies(cell: Cell, wishes: Sequence[Wish]) -> bool:
    return all(wish.judge(cell).status == "pass" for wish in wishes)
