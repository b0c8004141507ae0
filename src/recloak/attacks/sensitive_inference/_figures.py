"""The figures of the attack `sensitive-inference` and what a report says of them."""

from __future__ import annotations

from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Finding
from recloak.evaluation.formatting import amount, counted, interval_shown, of_100


def inferred_sentence(finding: Finding) -> str | None:
    """What is stated correctly of members, beside respondents who were left out."""
    members = finding.share("inferred")
    if members is None:
        return None
    outsiders, guess = (finding.share(f"inferred_{side}") for side in ("outsiders", "guess"))
    parts = [
        f"Someone who knows {_knowledge(finding)} states {of_100(members)} of 100 sensitive "
        "answers of members correctly"
    ]
    parts += [f"of respondents who were left out, {of_100(outsiders)}"] if outsiders else []
    parts += (
        [f"always giving the most frequent answer is right in {of_100(guess)}"] if guess else []
    )
    return "; ".join(parts) + "."


def excess_sentence(finding: Finding) -> str | None:
    """How much of that is due to being in the release."""
    excess = finding.share("inferred_excess")
    if excess is None:
        return None
    value, interval = amount(100 * excess.value, "count"), interval_shown(excess)
    if excess.low is not None and excess.low <= 0:
        return (
            "No difference between members and respondents who were left out could be shown: "
            f"the interval of the difference, {interval}, includes 0."
        )
    points = f"{round(100 * excess.value):,}" if excess.value >= 0.005 else value
    return (
        f"Being in the release gives away {points} more of 100 sensitive answers ({interval}) "
        "than the answers teach about people in general."
    )


def confident_sentence(finding: Finding) -> str | None:
    """How many statements are made with confidence, of each side."""
    members, outsiders = (finding.share(f"confident{side}") for side in ("", "_outsiders"))
    if members is None or outsiders is None:
        return None
    right = finding.share("confident_right")
    true = f", of which {of_100(right)} of 100 are right" if right else ""
    return (
        f"With 90 % confidence they state {of_100(members)} of 100 answers of members{true}; "
        f"of respondents who were left out, {of_100(outsiders)}."
    )


def _knowledge(finding: Finding) -> str:
    known = finding.parameters.get("known")
    return counted(known, "non-sensitive answer") if known else "all non-sensitive answers"


FIGURES = (
    DeclaredFigure(
        "inferred",
        worse="more",
        heading="Inferred, inferred outsiders",
        meaning="The share of sensitive answers that an attacker who knows a person's "
        "non-sensitive answers states correctly: of members of the release, and of "
        "respondents who were left out. What they find out about those left out is "
        "what the answers teach about people in general.",
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
        meaning=(
            "Sensitive answers of members that are stated correctly, minus those of respondents "
            "who were left out: what the release gives away about those who are in it."
        ),
        column="inferred excess",
        at_a_glance="how many more sensitive answers are found out about members than about people "
        "who are not in the data; less is safer",
        risk="inference",
        stands_for="inference",
        members="inferred",
        control="inferred_outsiders",
    ),
    DeclaredFigure(
        "inferred_worst_tenth",
        worse="more",
        heading="Inferred worst tenth",
        meaning=(
            "The share of sensitive answers that are stated correctly among the tenth of people of "
            "whom the attacker is surest; chosen by confidence, not by who was right."
        ),
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
