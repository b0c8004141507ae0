"""The figures of the attack `sensitive-inference`, as they are declared."""

from __future__ import annotations

from recloak.evaluation.figures import DeclaredFigure

FIGURES = (
    DeclaredFigure(
        "inferred",
        worse="more",
        heading="Inferred, inferred outsiders",
        meaning="The share of sensitive answers that an attacker states rightly who knows "
        "non-sensitive answers of a person: of members of the release, and of respondents who were "
        "left out. What they state of those left out is what the answers teach about people in "
        "general.",
    ),
    DeclaredFigure(
        "inferred_guess",
        heading="Inferred guess",
        meaning="The same for members by always saying the most frequent answer of the release.",
    ),
    DeclaredFigure("inferred_outsiders"),
    DeclaredFigure(
        "inferred_excess",
        worse="more",
        heading="Inferred excess",
        meaning="Sensitive answers of members that are stated rightly, less those of respondents "
        "who were left out: what the release gives away about those who are in it.",
        column="inferred excess",
        at_a_glance="sensitive answers told rightly of members more than of people who are not in "
        "the data; less is safer",
        risk="inference",
        members="inferred",
        control="inferred_outsiders",
    ),
    DeclaredFigure(
        "inferred_worst_tenth",
        worse="more",
        heading="Inferred worst tenth",
        meaning="The share of sensitive answers that are stated rightly among the tenth of people "
        "of whom the attacker is surest; chosen by confidence, not by who was right.",
    ),
    DeclaredFigure("inferred_worst_tenth_outsiders"),
    DeclaredFigure(
        "confident",
        worse="more",
        heading="Confident, confident right",
        meaning="The share of sensitive answers that the attacker states with a confidence of at "
        "least 90 %, and how many of these statements are right; of members and of respondents who "
        "were left out.",
    ),
    DeclaredFigure("confident_right"),
    DeclaredFigure("confident_outsiders"),
    DeclaredFigure("confident_right_outsiders"),
)
