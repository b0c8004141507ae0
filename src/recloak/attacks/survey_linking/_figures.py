"""The figures of the attack `survey-linking`, as they are declared."""

from __future__ import annotations

from recloak.attacks._figures import INCONCLUSIVE, SUCCESS, SUCCESS_ORIGINAL, WORST_TENTH, WRONG
from recloak.evaluation.figures import DeclaredFigure

FIGURES = (
    SUCCESS,
    SUCCESS_ORIGINAL,
    INCONCLUSIVE,
    WRONG,
    WORST_TENTH,
    DeclaredFigure(
        "learned",
        worse="more",
        heading="Learned, learned near",
        meaning="The share of sensitive answers that the attacker names rightly, exactly or "
        "within one level: they say what most of the rows say that fit what they know, and the "
        "most frequent answer of all where no row fits. They need not know whose row it is.",
    ),
    DeclaredFigure("learned_original"),
    DeclaredFigure(
        "learned_guess",
        heading="Learned guess, learned near guess",
        meaning="The same for someone who always says the most frequent answer. What lies above "
        "it is what the rows give away.",
    ),
    DeclaredFigure("learned_near", worse="more"),
    DeclaredFigure("learned_near_original"),
    DeclaredFigure("learned_near_guess"),
    DeclaredFigure(
        "fits",
        heading="Fits, fits outsiders, fits excess",
        meaning="The share of members of a rehearsal for whom some row fits what the attacker "
        "knows; the same of respondents who were left out of it; and the difference, which is what "
        "tells the attacker that somebody is in the release.",
    ),
    DeclaredFigure("fits_outsiders"),
    DeclaredFigure(
        "fits_excess",
        worse="more",
        heading="Excess of rows that fit",
        meaning="The difference between the two.",
        risk="singling out",
        members="fits",
        control="fits_outsiders",
    ),
    DeclaredFigure(
        "learned_members",
        heading="Learned members, learned outsiders, learned excess",
        meaning="What is learned of members of a rehearsal, exactly; of respondents who were left "
        "out of it; and the difference, which is what the rows give away about those who are in "
        "the release.",
    ),
    DeclaredFigure("learned_outsiders"),
    DeclaredFigure(
        "learned_excess",
        worse="more",
        heading="Excess of answers learned",
        meaning="The difference between the two.",
        risk="inference",
        members="learned_members",
        control="learned_outsiders",
    ),
)
