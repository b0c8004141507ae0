"""Figures of who is named with certainty, among people in the release and outsiders."""

from __future__ import annotations

from recloak.evaluation.figures import DeclaredFigure

NAMED = DeclaredFigure(
    "named",
    worse="more",
    heading="Named with certainty",
    meaning="The share of tries in which the attacker is at least 90 % sure of a row, or of the "
    "profile of a group.",
)
NAMED_OUTSIDERS = DeclaredFigure(
    "named_outsiders",
    heading="Outsiders named with certainty",
    meaning="The same for people who are not in the release, whichever row is named; the "
    "attacker is wrong each time.",
)
SINGLED_OUT = DeclaredFigure(
    "singled_out",
    worse="more",
    heading="Singled out",
    meaning="How many more of 100 people in the release are named with certainty than of 100 "
    "people who are not in it.",
    column="singled out",
    at_a_glance=(
        "the share of people of whose row an attacker is sure, minus the same share of people who "
        "are not in the data; less is safer"
    ),
    sentence="By {title}, an attacker is sure of the row of {of_100} more of 100 people in the "
    "release than of 100 people who are not in it.",
    risk="singling out",
    stands_for="singling out",
    chart=(
        "Singled out",
        "the share of people in the release of whose row the attacker is sure, minus that of "
        "people who are not in it",
    ),
    members="named",
    control="named_outsiders",
)
