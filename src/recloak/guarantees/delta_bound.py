"""Guarantee `delta-bound`: changes of related-item lists tell of nobody more than a share δ."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from recloak.core.arrays import Labels
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.timeline import Timeline
from recloak.evaluation.breaches import BUDGET, BreachSearch, ListAdversary
from recloak.evaluation.findings import Verdict
from recloak.evaluation.formatting import counted
from recloak.guarantees.base import Guarantee
from recloak.releases.base import Release
from recloak.releases.lists.changes import in_codes_of, names_of
from recloak.releases.lists.fractions import Share, fraction_of
from recloak.releases.lists.history import History
from recloak.releases.lists.unprotected import GAP, START, TOP, raw_history


class DeltaBoundParameters(Parameters):
    """How sure an adversary may be, and what they compare."""

    delta: Share = "0.1"
    """The largest share, above 0 and up to 1, of the people who rated certain items that may also
    have rated an item that enters or climbs in the lists of these; 0.1 is exactly a tenth."""

    window: int = Field(default=4, ge=2)
    """How many releases an adversary compares: each with the window − 1 before it."""

    new_raters_only: bool = False
    """Count only who rated the item between the two releases: a weaker adversary, to whom
    those who had rated it before say nothing."""

    budget: int = Field(default=BUDGET, ge=1)
    """How many sets may be looked at for one item and pair of releases; more is undecided."""


class DeltaBound(Guarantee):
    """Changes between related-item lists tell nobody's rating with more than a share δ.

    The claim is narrower than its name: the background is a set of items whose lists the item
    distinguishes, as in the paper's algorithms. One further known item outside of it breaks the
    wider promise almost always. Supports are those at the later release; equality with δ passes.
    """

    name: ClassVar[str] = "delta-bound"
    summary: ClassVar[str] = (
        "Of the people who rated the items of certain lists, at most a share δ rated an item that "
        "enters or climbs in these lists."
    )
    reference: ClassVar[str] = (
        "Chen, Xie, Lakshmanan: Thwarting Passive Privacy Attacks in Collaborative Filtering. "
        "DASFAA 2014."
    )
    Parameters: ClassVar[type[Parameters]] = DeltaBoundParameters
    parameters: DeltaBoundParameters

    @property
    def adversary(self) -> ListAdversary:
        """Who must not find a breach."""
        asked = self.parameters
        delta = fraction_of(asked.delta)
        return ListAdversary(delta, asked.window, asked.new_raters_only, asked.budget)

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
        ratings: Ratings | Timeline,
        progress: Progress = SILENT,
        *,
        everything: bool = False,
    ) -> Verdict:
        """Look at lists as they were published, with the ratings that they came from.

        Without ``everything`` only the releases that are said to be protected are looked at.
        """
        timeline = ratings if isinstance(ratings, Timeline) else Timeline(ratings)
        ratings = timeline.ratings
        tables, n_items = in_codes_of(history, ratings)
        places = range(len(history)) if everything else list(history.claimed())
        found: dict[int, BreachSearch] = {}
        adversary = self.adversary
        with progress.task("Attacking the lists", len(places)) as task:
            for place in places:
                found[place] = adversary.attack(history, place, timeline, tables, n_items, progress)
                task.advance()
        names = names_of(history, ratings)
        return self._judged(history, found, names)

    def _judged(self, history: History, found: dict[int, BreachSearch], names: Labels) -> Verdict:
        window = self.parameters.window
        targets = sum(one.n_targets for one in found.values())
        releases, changes = counted(len(found), "release"), counted(targets, "change")
        how = f"{releases}, {changes} of items against their windows."
        worst = [(place, one.worst) for place, one in found.items() if one.worst is not None]
        broken = sum(len(one.breaches) for one in found.values())
        undecided = sum(len(one.undecided) for one in found.values())
        if not worst:
            return Verdict(self.spec, "holds" if not undecided else "undecided", how)
        place, breach = max(worst, key=lambda pair: (pair[1].share, -pair[0]))
        how += f" The worst background tells {breach.share} ≈ {float(breach.share):.4f}."
        if broken:
            earlier = history.releases[max(0, place - window + 1) + breach.earlier].label
            witness = breach.as_witness(names, earlier, history.releases[place].label)
            how += f" {broken:,} changes tell more than {self.parameters.delta}."
            return Verdict(self.spec, "broken", how, witness)
        if undecided:
            how += f" {undecided:,} changes had more sets than the budget allows to look at."
            return Verdict(self.spec, "undecided", how)
        return Verdict(self.spec, "holds", how)
