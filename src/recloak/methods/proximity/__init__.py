"""Method `proximity`: answers to non-sensitive issues changed until k respondents are alike."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np

from recloak.core.arrays import Indices, Levels
from recloak.core.claim import Claim
from recloak.core.parameters import Parameters
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods._survey_neighbours import in_lacking_neighbourhoods
from recloak.methods._surveys import SurveyMethod, SurveyMethodParameters, telling_alike
from recloak.methods.base import Applied
from recloak.methods.proximity._groups import FittedAnswers, fit_answers, grouped

_INTERVAL = (
    "With mode interval, the answers of a group stay up to ε apart: whoever knows exact answers "
    "tells most of its members apart, and the promise of 1 in k does not hold against them."
)

_EPSILON_UNUSED = (
    "Mode identical makes the answers of a group equal whatever ε is, and claims ε = 0: an ε as "
    "wide as the scale makes nothing cheaper here."
)


class ProximityMethodParameters(SurveyMethodParameters):
    """How near, how many, and what becomes of the answers of a group."""

    mode: Literal["identical", "interval"] = "identical"
    """Make the non-sensitive answers of a group identical, which is claimed as ε = 0, or only move
    them to within ε of each other, which changes less and protects much less."""

    reading: Literal["clique", "neighbourhood"] = "clique"
    """With mode interval: claim that groups, which are published, are proximate (clique), or that
    everyone with all who are near has k and deviation (neighbourhood). Identical claims both."""


class ProximityMethod(SurveyMethod):
    """Puts respondents into groups of at least k and makes their non-sensitive answers alike.

    For each group and issue the cheaper way is taken: nobody keeps an answer, or all have one,
    within an interval of ε levels. Groups are those that k-member clustering finds, then moves and
    swaps of respondents, at first by chance as well (annealing), then while the distortion falls;
    they also bring each sensitive issue of each group to a deviation of l. Sensitive answers are
    not changed.
    """

    name: ClassVar[str] = "proximity"
    summary: ClassVar[str] = "Surveys: k respondents share their non-sensitive answers."
    promise: ClassVar[str] = (
        "(k, ε, l)-anonymity: whoever knows non-sensitive answers of a person faces k rows, whose "
        "sensitive answers deviate by l or more. It says nothing about somebody who knows "
        "sensitive answers."
    )
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. EAI Transactions on "
        "Scalable Information Systems 2013."
    )
    Parameters: ClassVar[type[Parameters]] = ProximityMethodParameters
    parameters: ProximityMethodParameters

    def claims(self) -> list[Claim]:
        given = self.parameters
        if given.mode == "identical":
            # equal records of k with deviation l are so for any wider ε, but not the other way
            return [self.claim("both", epsilon=0.0)]
        # cliques of k have k neighbours each, but parts of them may lack deviation
        both = given.reading == "clique" and self.least == 0
        return [self.claim("both" if both else given.reading, given.epsilon)]

    def protect(self, ratings: Ratings, drawn: Randomness, progress: Progress) -> Applied:
        given = self.parameters
        survey, notes = self.survey(ratings, progress)
        if given.mode == "identical" and given.epsilon >= survey.r - 1:
            notes.append(_EPSILON_UNUSED)
        width = int(given.epsilon) if given.mode == "interval" else 0
        cells, hidden = survey.known + np.int8(1), survey.hidden + np.int8(1)
        labels = grouped(cells, hidden, survey.r, given.k, width, self.least, progress)
        widths = np.full(int(labels.max()) + 1, width, dtype=np.int64)
        found = fit_answers(cells, labels, survey.r, widths, progress)
        if self.least == 0 and survey.hidden_issues:
            alike = int(telling_alike(labels, survey.hidden, len(widths)).sum())
            notes[0] += f" In {alike:,} of {len(widths):,} groups they have."
        if given.mode == "interval":
            notes.append(_INTERVAL)
            if given.reading == "neighbourhood" and self.least > 0:
                found, collapsed = self._repaired(cells, hidden, survey.r, found, widths, progress)
                notes.append(f"{collapsed:,} of {len(widths):,} groups had to be made identical.")
        each = found.distortion / cells.size
        notes.append(f"{len(widths):,} groups; distortion {each:.3f} for each non-sensitive cell.")
        published_groups = (
            labels if given.mode == "interval" and given.reading == "clique" else None
        )
        known = found.cells - np.int8(1)
        kept = np.arange(survey.n)
        made = self._as_claimed()
        return made.released(ratings, survey, known, kept, published_groups, drawn, notes)

    def _as_claimed(self) -> Self:
        """The same method with the ε that it claims: a manifest names none without effect."""
        if self.parameters.mode == "interval":
            return self
        return type(self)(**{**self.parameters.model_dump(), "epsilon": 0.0})

    def _repaired(
        self,
        cells: Levels,
        hidden: Levels,
        r: int,
        found: FittedAnswers,
        widths: Indices,
        progress: Progress,
    ) -> tuple[FittedAnswers, int]:
        """Make groups identical until no neighbourhood lacks deviation.

        A neighbourhood of identical groups holds them as a whole and so has their deviation: it
        ends, at the latest when all groups are identical.
        """
        given = self.parameters
        widths = widths.copy()
        while True:
            lacking = in_lacking_neighbourhoods(
                found.cells, hidden, r, given.k, int(given.epsilon), self.least, progress
            )
            touched = np.unique(found.labels[lacking])
            if not (widths[touched] > 0).any():
                return found, int((widths == 0).sum())
            widths[touched] = 0
            found = fit_answers(cells, found.labels, r, widths, progress)
