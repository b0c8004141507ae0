"""Guarantee `delta-bound`: changes of related-item lists tell of nobody more than a share δ."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.errors import InputError
from recloak.findings import Verdict
from recloak.guarantees.base import Guarantee
from recloak.guarantees.delta_bound_counting import Found, find_breaches
from recloak.lists.exact import Share, fraction_of
from recloak.lists.history import DatedLists, History
from recloak.lists.related import Slots
from recloak.lists.timeline import Postings, Timeline
from recloak.lists.unprotected import GAP, START, TOP, raw_history
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.ratings import Labels, Ratings
from recloak.release import Release

PROMISE = (
    "For every release and each earlier one in its window, every item and every set of items "
    "whose lists it newly entered or climbed in: of those who rated the set, at most a share δ "
    "rated the item. A background with further items, disappearances, empty slots and the "
    "combination of three releases are not covered."
)


class DeltaBoundParameters(Parameters):
    """How sure an adversary may be, and what they compare."""

    delta: Share = "0.1"
    """The largest share, above 0 and up to 1, of those with a background that may have rated
    what the lists hint at; exact, 0.1 is a tenth."""

    window: int = Field(default=4, ge=2)
    """How many releases an adversary compares: each with the window − 1 before it."""

    new_raters_only: bool = False
    """Count only who rated the item between the two releases: a weaker adversary, to whom
    those who had rated it before say nothing."""

    budget: int = Field(default=1_000_000, ge=1)
    """How many sets may be looked at for one item and pair of releases; more is undecided."""


class DeltaBound(Guarantee):
    """Changes between related-item lists tell nobody's rating with more than a share δ.

    The claim is narrower than its name: the background is a set of items whose lists the item
    distinguishes, as in the paper's algorithms. One further known item outside of it breaks the
    wider promise almost always. Supports are those at the later release; equality with δ passes.
    """

    name: ClassVar[str] = "delta-bound"
    summary: ClassVar[str] = (
        "Where an item enters or climbs in lists, at most a share δ of those who rated the items "
        "of these lists rated it."
    )
    reference: ClassVar[str] = (
        "Chen, Xie, Lakshmanan: Thwarting Passive Privacy Attacks in Collaborative Filtering. "
        "DASFAA 2014."
    )
    Parameters: ClassVar[type[Parameters]] = DeltaBoundParameters
    parameters: DeltaBoundParameters

    @property
    def delta(self) -> Fraction:
        return fraction_of(self.parameters.delta)

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        """Would lists that follow from these ratings, unprotected, keep the bound?"""
        if rows.n_ratings and rows.times is None:
            how = "The rows have no times, so no sequence of lists follows from them."
            return Verdict(self.spec, "undecided", how)
        history = raw_history(rows, window=self.parameters.window, progress=progress)
        verdict = self.check_history(history, rows, progress, everything=True)
        how = f"Lists of {TOP} from the first {START} of the ratings on, every {GAP}: {verdict.how}"
        return Verdict(self.spec, verdict.status, how, verdict.witness)

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        return self.check(release.as_ratings(), progress)

    def check_history(
        self,
        history: History,
        ratings: Ratings,
        progress: Progress = SILENT,
        *,
        everything: bool = False,
    ) -> Verdict:
        """Look at lists as they were published, with the ratings that they came from.

        Without ``everything`` only the releases that are said to be protected are looked at.
        """
        timeline = Timeline(ratings)
        tables, n_items = in_codes_of(history, ratings)
        places = range(len(history)) if everything else list(history.claimed())
        found: dict[int, Found] = {}
        with progress.task("Attacking the lists", len(places)) as task:
            for place in places:
                found[place] = self.attack(history, place, timeline, tables, n_items, progress)
                task.advance()
        names = names_of(history, ratings)
        return self._judged(history, found, names)

    def attack(
        self,
        history: History,
        place: int,
        timeline: Timeline,
        tables: list[Slots],
        n_items: int,
        progress: Progress = SILENT,
    ) -> Found:
        """All breaches of one release against its window, everything in the ratings' codes."""
        release = history.releases[place]
        _refuse_other_ratings(release, timeline)
        first = max(0, place - self.parameters.window + 1)
        postings = _padded(timeline.at(release.n_ratings).postings, n_items)
        new = self.parameters.new_raters_only
        since = [history.releases[at].n_ratings if new else 0 for at in range(first, place)]
        with progress.task(f"Attacking release {release.label}") as task:
            return find_breaches(
                tables[place],
                tables[first:place],
                since,
                postings,
                timeline.ratings.n_users,
                self.delta,
                self.parameters.budget,
                task,
            )

    def _judged(self, history: History, found: dict[int, Found], names: Labels) -> Verdict:
        window = self.parameters.window
        targets = sum(one.n_targets for one in found.values())
        how = f"{len(found):,} releases, {targets:,} changes of items against their windows."
        worst = [(place, one.worst) for place, one in found.items() if one.worst is not None]
        broken = sum(len(one.breaches) for one in found.values())
        undecided = sum(len(one.undecided) for one in found.values())
        if not worst:
            return Verdict(self.spec, "holds" if not undecided else "undecided", how)
        place, breach = max(worst, key=lambda pair: (pair[1].share, -pair[0]))
        how += f" The worst background tells {breach.share} ≈ {float(breach.share):.4f}."
        if broken:
            earlier = history.releases[max(0, place - window + 1) + breach.earlier].label
            witness = breach.told(names, earlier, history.releases[place].label)
            how += f" {broken:,} changes tell more than {self.parameters.delta}."
            return Verdict(self.spec, "broken", how, witness)
        if undecided:
            how += f" {undecided:,} changes had more sets than the budget allows to look at."
            return Verdict(self.spec, "undecided", how)
        return Verdict(self.spec, "holds", how)


def _refuse_other_ratings(release: DatedLists, timeline: Timeline) -> None:
    """With other people's ratings a promise would seem to hold: nobody has any background."""
    given = timeline.ratings.n_ratings
    said = ""
    if release.n_ratings > given:
        said = f"covers {release.n_ratings:,} ratings, but only {given:,} are given"
    elif release.time is not None and not timeline.ends_on_day_of(release.n_ratings, release.time):
        said = "ends on another day than the given ratings do there"
    if said:
        raise InputError(
            said,
            where=f"release '{release.label}'",
            hint="Verify with the ratings that the lists were made from.",
        )


def in_codes_of(history: History, ratings: Ratings) -> tuple[list[Slots], int]:
    """The lists in the item codes of the ratings, and how many items there are.

    Items that nobody rated get codes behind the others.
    """
    names, mine = history.item_labels, ratings.item_labels
    top = history.top
    tables = [release.lists.widened(top) for release in history.releases]
    if names.dtype == mine.dtype and np.array_equal(names, mine):
        return tables, len(mine)
    code_of = {str(label): code for code, label in enumerate(mine)}
    codes = np.array(
        [code_of.setdefault(str(label), len(code_of)) for label in names], dtype=np.int32
    )
    recode = np.append(codes, np.int32(-1))
    recoded = []
    for table in tables:
        moved = np.full((len(code_of), top), -1, np.int32)
        moved[codes] = recode[table]
        recoded.append(moved)
    return recoded, len(code_of)


def names_of(history: History, ratings: Ratings) -> Labels:
    """What the codes of `in_codes_of` stand for."""
    known = {str(label) for label in ratings.item_labels}
    further = [label for label in history.item_labels if str(label) not in known]
    return np.array([*ratings.item_labels, *further], dtype=object)


def _padded(postings: Postings, n_items: int) -> Postings:
    missing = n_items + 1 - len(postings.offsets)
    if not missing:
        return postings
    return postings._replace(offsets=np.pad(postings.offsets, (0, missing), mode="edge"))
