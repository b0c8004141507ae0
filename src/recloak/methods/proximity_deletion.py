"""Method `proximity-deletion`: a survey without those who have too few near them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.claim import Claim
from recloak.core.errors import InputError
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods._survey_neighbours import kept_records
from recloak.methods._surveys import SurveyMethod
from recloak.methods.base import Applied


class ProximityDeletion(SurveyMethod):
    """Leaves respondents out until everyone left is within ε of at least k − 1 others.

    With l = 0 as many stay as can: the (k − 1)-core of who is near whom, found by peeling. With
    l > 0 a heuristic chooses who goes, and few may stay. Answers are published as they are.
    """

    name: ClassVar[str] = "proximity-deletion"
    summary: ClassVar[str] = "Surveys: leaves out respondents who have too few near them."
    promise: ClassVar[str] = (
        "(k, ε, l)-anonymity of those who stay; their answers are true. Whoever knows exact "
        "answers "
        "still tells them from others that are only near."
    )
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing (future work). EAI "
        "Transactions on Scalable Information Systems 2013."
    )

    def claims(self) -> list[Claim]:
        return [self.claim("neighbourhood", self.parameters.epsilon)]

    def protect(self, ratings: Ratings, drawn: Randomness, progress: Progress) -> Applied:
        given, least = self.parameters, self.least
        survey, notes = self.survey(ratings, progress)
        cells, hidden = survey.known + np.int8(1), survey.hidden + np.int8(1)
        if least == 0:
            hidden = hidden[:, :0]
        stays = kept_records(cells, hidden, survey.r, given.k, int(given.epsilon), least, progress)
        kept = np.flatnonzero(stays)
        if len(kept) == 0:
            raise InputError(
                f"none of {survey.n:,} respondents would be left",
                where=f"method {self.name}",
                hint="Declare fewer issues, or ask for less (--k, --l); the method proximity keeps "
                "everybody.",
            )
        how = "as many as can be" if least == 0 else "chosen by a heuristic"
        share = len(kept) / survey.n
        notes.append(f"{len(kept):,} of {survey.n:,} respondents are kept ({share:.1%}), {how}.")
        return self.released(ratings, survey, survey.known[kept], kept, None, drawn, notes)
