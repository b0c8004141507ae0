"""Figures that several attacks may find."""

from __future__ import annotations

from recloak.evaluation.figures import DeclaredFigure

SUCCESS = DeclaredFigure(
    "success",
    worse="more",
    heading="Success",
    meaning="The share of tries in which the attacker names the right row. Where several rows fit "
    "equally well they guess: one of three counts as a third.",
    column="success",
    at_a_glance="the share of people found, by the attacker who finds most; less is safer",
)
SUCCESS_ORIGINAL = DeclaredFigure("success_original")
INCONCLUSIVE = DeclaredFigure(
    "inconclusive",
    heading="Inconclusive",
    meaning="The share of tries that do not come down to one person: no row stands out, or the "
    "right row is one of several and the guess falls on another.",
)
WRONG = DeclaredFigure(
    "wrong",
    heading="Wrong",
    meaning="The share of tries in which the attacker names a row that is not the person's. It "
    "protects nobody who is taken for somebody else.",
)
WORST_TENTH = DeclaredFigure(
    "worst_tenth",
    worse="more",
    heading="Worst-off tenth",
    meaning="The tenth of the tried people whom the attack hits hardest. An average can look "
    "harmless while these people are always found.",
)
GAIN = DeclaredFigure(
    "gain",
    "count",
    worse="more",
    heading="Gain",
    meaning="How many true facts about a person, not known before, the attacker reads from the "
    "rows that they name. It counts what is true of most people, too: see excess.",
)
GAIN_VALUES = DeclaredFigure("gain_values", "count", worse="more")
GAIN_ORIGINAL = DeclaredFigure("gain_original", "count")
GAIN_KEPT = DeclaredFigure(
    "gain_kept",
    worse="more",
    heading="Gain kept",
    meaning="What an attacker gains from the release, as a share of what the same tries would "
    "gain from the unprotected data. The lower, the more the release takes from them.",
)
GAIN_SINGLE = DeclaredFigure(
    "gain_single",
    "count",
    worse="more",
    heading="Gain single, gain repeated",
    meaning="What the same tries gain that name one row, or name one again and again for what is "
    "left of the known ratings, without learning from other people's data.",
)
GAIN_JOINED = DeclaredFigure("gain_joined", "count", worse="more")
PRECISION_JOINED = DeclaredFigure("precision_joined", worse="more")
FALSE_ITEMS = DeclaredFigure("false_items", "count")
IDENTIFIED = DeclaredFigure(
    "identified",
    worse="more",
    heading="Identified",
    meaning="The share of tries in which only rows of the person's group fit what is known: their "
    "profile is found for certain, however many people share it.",
)
IDENTIFIED_ORIGINAL = DeclaredFigure("identified_original")
SCORING = (
    SUCCESS,
    INCONCLUSIVE,
    WRONG,
    GAIN,
    GAIN_VALUES,
    FALSE_ITEMS,
    SUCCESS_ORIGINAL,
    GAIN_ORIGINAL,
    GAIN_KEPT,
)
