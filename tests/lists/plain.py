"""Lists the plain way: readable twins of the kernels, by sets and brute force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from recloak.core.ratings import Ratings
from recloak.core.timeline import Snapshot, Timeline
from recloak.recommenders.similarity import Cosine, Ranked, rank
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import Lists
from recloak.releases.lists.unprotected import label_of

Release = list[list[int]]


def raters_of(snapshot: Snapshot) -> list[set[int]]:
    """The people who rated each item."""
    raters: list[set[int]] = [set() for _ in range(snapshot.ratings.n_items)]
    for user in range(snapshot.ratings.n_users):
        for item in snapshot.ratings.row(user)[0]:
            raters[item].add(user)
    return raters


def share(raters: Sequence[set[int]], target: int, background: Sequence[int]) -> Fraction:
    """Sup(B ∪ target) / Sup(B); 0 where nobody has the background."""
    people = set.intersection(*(raters[item] for item in background))
    return Fraction(len(people & raters[target]), len(people)) if people else Fraction(0)


def distinguishes(then: Sequence[int], target: int, slot: int) -> bool:
    return target not in then or list(then).index(target) > slot


def distinguished(now: Release, then: Release, target: int) -> list[int]:
    """S: the items whose lists the target distinguishes."""
    return [
        item
        for item, listed in enumerate(now)
        if target in listed and distinguishes(then[item], target, listed.index(target))
    ]


def subsets(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(items) + 1):
        yield from combinations(items, size)


def worst_share(raters: Sequence[set[int]], now: Release, earlier: Sequence[Release]) -> Fraction:
    """The worst breach of a release against all earlier ones, by looking at every set."""
    return max(
        (
            share(raters, target, background)
            for then in earlier
            for target in range(len(now))
            for background in subsets(distinguished(now, then, target))
        ),
        default=Fraction(0),
    )


def minimal(sets: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    return [one for one in dict.fromkeys(sets) if not any(other < one for other in sets)]


def border(
    raters: Sequence[set[int]], target: int, known: Sequence[int], delta: Fraction
) -> list[frozenset[int]]:
    """The smallest sets within ``known`` that tell more than δ."""
    return minimal([frozenset(b) for b in subsets(known) if share(raters, target, b) > delta])


class Plain:
    """Suppression and permutation as the rules say; mutants override one of its methods."""

    def __init__(
        self, raters: list[set[int]], past: list[Release], ranked: Ranked, delta: Fraction
    ) -> None:
        self.raters, self.past, self.delta = raters, past, delta
        self.now: Release = ranked.top.tolist()
        self.candidates = ranked.candidates.tolist()

    def may_enter(self, item: int, slot: int, entry: int) -> bool:
        return all(
            not distinguishes(then[item], entry, slot) or self.allowed(item, entry, then)
            for then in self.past
        )

    def allowed(self, item: int, entry: int, then: Release) -> bool:
        others = [j for j in distinguished(self.now, then, entry) if j != item]
        sets = [(item,), *((item, *more) for more in subsets(others))]
        return all(share(self.raters, entry, b) <= self.delta for b in sets)

    def partner_passes(self, item: int, slot: int, partner: int, lower: int) -> bool:
        """Where it distinguishes the list already, a better slot adds nothing."""
        return partner < 0 or all(
            distinguishes(then[item], partner, lower)
            or not distinguishes(then[item], partner, slot)
            or self.allowed(item, partner, then)
            for then in self.past
        )

    def safe_slot(self, slots: list[int]) -> int:
        return max(slots)

    def finish(self) -> Release:
        return self.now

    def fill(self, item: int, slot: int, banned: int) -> None:
        for entry in self.candidates[item]:
            if entry < 0:
                return
            if entry == banned or entry in self.now[item]:
                continue
            if self.may_enter(item, slot, entry):
                self.now[item][slot] = entry
                return

    def suppress(self, target: int, item: int) -> None:
        slot = self.now[item].index(target)
        self.now[item][slot] = -1
        self.fill(item, slot, target)

    def permute(self, target: int, item: int, safe: int) -> None:
        row, slot = self.now[item], self.now[item].index(target)
        for lower in range(safe, len(row)):
            partner = row[lower]
            row[slot] = row[lower] = -1
            passes = self.partner_passes(item, slot, partner, lower)
            row[slot], row[lower] = (partner, target) if passes else (target, partner)
            if passes:
                return
        self.suppress(target, item)

    def protect(self, target: int, permuting: bool) -> None:
        absent: set[int] = set()
        slots: dict[int, list[int]] = {}
        sets: list[frozenset[int]] = []
        for then in self.past:
            found = border(self.raters, target, distinguished(self.now, then, target), self.delta)
            for item in sorted(frozenset().union(*found)):
                if target in then[item]:
                    slots.setdefault(item, []).append(then[item].index(target))
                else:
                    absent.add(item)
            sets += found
        hit = self.hitting(minimal(sets), absent if permuting else set(range(len(self.now))))
        moved = sorted(item for item in hit if permuting and item not in absent)
        for item in sorted(hit - set(moved)):
            self.suppress(target, item)
        for item in moved:
            self.permute(target, item, self.safe_slot(slots[item]))

    def hitting(self, sets: list[frozenset[int]], dear: set[int]) -> set[int]:
        hit: set[int] = set()
        left, dearness = list(sets), len(sets) + 1
        while left:
            score = {
                item: sum(item in one for one in left) * (1 if item in dear else dearness)
                for item in frozenset().union(*left)
            }
            best = min(score, key=lambda item: (-score[item], item))
            hit.add(best)
            left = [one for one in left if best not in one]
        return hit

    def run(self, permuting: bool) -> Release:
        for target in range(len(self.now)):
            self.protect(target, permuting)
        return self.finish()


class PlainReplay:
    """A history made by `Plain` or a mutant of it; mutants override what it is told."""

    maker: type[Plain] = Plain
    permuting = False

    def __init__(
        self, ratings: Ratings, cuts: list[int], delta: str, window: int, top: int
    ) -> None:
        self.timeline, self.cuts = Timeline(ratings), cuts
        self.delta, self.window, self.top = Fraction(delta), window, top

    def past(self, published: list[Release], raw: list[Release]) -> list[Release]:
        return published[-(self.window - 1) :]

    def raters(self, place: int) -> list[set[int]]:
        return raters_of(self.timeline.at(self.cuts[place]))

    def history(self) -> History:
        published: list[Release] = []
        raw: list[Release] = []
        labels = self.timeline.ratings.item_labels
        for place, cut in enumerate(self.cuts):
            before = np.array(published[-1], np.int32) if published else None
            ranked = rank(
                self.timeline.at(cut), Cosine(), self.top, depth=20, delta=self.delta, before=before
            )
            raw.append(ranked.top.tolist())
            if place == 0:
                published.append(ranked.top.tolist())
                continue
            past = self.past(published, raw[:-1])
            made = self.maker(self.raters(place), past, ranked, self.delta)
            published.append(made.run(self.permuting))
        dated = [
            DatedLists(label_of(place), cut, Lists(np.array(rows, np.int32), labels), place > 0)
            for place, (cut, rows) in enumerate(zip(self.cuts, published, strict=True))
        ]
        return History(tuple(dated), self.window, self.delta)
