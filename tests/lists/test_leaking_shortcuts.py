"""Nine shortcuts that leak: each is tried, and the verifier catches each."""

from __future__ import annotations

import pytest

from recloak.guarantees.delta_bound import DeltaBound
from tests.lists.plain import Plain, PlainReplay, Release, distinguished, distinguishes, share
from tests.lists.samples import timed_ratings

DELTA, WINDOW, TOP = "0.5", 4, 3
SEEDS = range(40)


class NeverChecksItsOwnList(Plain):
    """Accepts x with S_x = ∅ without checking {j}."""

    def allowed(self, item: int, entry: int, then: Release) -> bool:
        if not [j for j in distinguished(self.now, then, entry) if j != item]:
            return True
        return super().allowed(item, entry, then)


class IgnoresOtherLists(Plain):
    """Checks only {j} and ignores S_x."""

    def allowed(self, item: int, entry: int, then: Release) -> bool:
        return share(self.raters, entry, (item,)) <= self.delta


class CollapsesEmpties(Plain):
    def finish(self) -> Release:
        return [[x for x in row if x >= 0] + [-1] * sum(x < 0 for x in row) for row in self.now]


class TrustsTheLastList(Plain):
    """It was in the previous list, so no check."""

    def may_enter(self, item: int, slot: int, entry: int) -> bool:
        return entry in self.past[-1][item] or super().may_enter(item, slot, entry)


class NeverChecksThePartner(Plain):
    def partner_passes(self, item: int, slot: int, partner: int, lower: int) -> bool:
        return True


class HighestSlotIsSafe(Plain):
    def safe_slot(self, slots: list[int]) -> int:
        return min(slots)


class ComparesWithRaw(PlainReplay):
    def past(self, published: list[Release], raw: list[Release]) -> list[Release]:
        return raw[-(self.window - 1) :]


class SmallerWindow(PlainReplay):
    def past(self, published: list[Release], raw: list[Release]) -> list[Release]:
        return published[-1:]


class SupportsOfTheLastRelease(PlainReplay):
    def raters(self, place: int) -> list[set[int]]:
        return super().raters(place - 1)


def replay_with(maker: type[Plain]) -> type[PlainReplay]:
    return type(maker.__name__, (PlainReplay,), {"maker": maker})


MUTANTS = [
    ComparesWithRaw,
    SmallerWindow,
    SupportsOfTheLastRelease,
    *map(
        replay_with,
        (
            NeverChecksItsOwnList,
            IgnoresOtherLists,
            CollapsesEmpties,
            TrustsTheLastList,
            NeverChecksThePartner,
            HighestSlotIsSafe,
        ),
    ),
]


def broken_seeds(replayed: type[PlainReplay], seeds: range = SEEDS) -> list[int]:
    """The seeds for which the verifier finds the bound broken; it stops at the first."""
    checker = DeltaBound(delta=DELTA, window=WINDOW)
    for seed in seeds:
        ratings = timed_ratings(seed)
        cuts = [ratings.n_ratings * k // 10 for k in (4, 5, 6, 7, 8, 10)]
        made = replayed(ratings, cuts, DELTA, WINDOW, TOP)
        made.permuting = True
        if checker.check_history(made.history(), ratings).status == "broken":
            return [seed]
    return []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_the_verifier_catches_the_shortcut(mutant: type[PlainReplay]) -> None:
    assert broken_seeds(mutant)


def test_without_a_shortcut_nothing_is_broken() -> None:
    assert not broken_seeds(PlainReplay, range(12))


def test_republishing_the_last_release_is_unsafe() -> None:
    """Supports drift: what was safe against its window may not be so later."""

    class Republish(Plain):
        def run(self, permuting: bool) -> Release:
            return self.past[-1] if len(self.past) > 1 else super().run(permuting)

    assert broken_seeds(replay_with(Republish))


def test_a_plain_distinguishing_list() -> None:
    assert distinguishes([1, 2, 3], 2, 0)
    assert not distinguishes([1, 2, 3], 2, 1)
    assert distinguishes([1, -1, 3], 2, 2)
