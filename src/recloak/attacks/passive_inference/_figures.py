"""The figures of the attack `passive-inference` and what a report says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recloak.evaluation.figures import WORST_BREACH, DeclaredFigure
from recloak.evaluation.findings import Finding
from recloak.evaluation.formatting import of_100


def guessed_sentence(findings: Sequence[Finding]) -> Iterator[str]:
    """How many guesses are right, beside what popularity alone would give."""
    tried = [(right, one) for one in findings if (right := one.share("inference_precision"))]
    if not tried:
        return
    right, finding = max(tried, key=lambda pair: pair[0].value)
    prior = finding.share("inference_prior")
    beside = f"; by popularity alone {of_100(prior)} would be" if prior else ""
    yield (
        f"Of 100 guesses from changed lists by somebody who {finding.label}, {of_100(right)} "
        f"are right{beside}."
    )


def control_sentence(findings: Sequence[Finding]) -> Iterator[str]:
    """What is guessed rightly of members, beside people who rated nothing in between."""
    tried = [(excess, one) for one in findings if (excess := one.share("inference_excess"))]
    if not tried:
        return
    _, finding = max(tried, key=lambda pair: pair[0].value)
    members, outsiders = (finding.share(f"inference_{who}") for who in ("members", "outsiders"))
    if members and outsiders:
        yield (
            f"Of 100 guesses by somebody who {finding.label} about people who rated between two "
            f"releases, {of_100(members)} are right; of 100 about people who rated nothing in "
            f"between, {of_100(outsiders)} are what they rated next."
        )


FIGURES = (
    DeclaredFigure(
        "inference_precision",
        worse="more",
        column="right",
        heading="Inference precision, recall, rated, prior",
        meaning="Of the guesses of somebody who watches the lists of items that a person is known "
        "to have rated, the share that the person rated between the two releases; of what people "
        "rated in between, the share that is guessed; the guesses that the person had rated at "
        "all; and what the popularity of the guessed items alone would give.",
    ),
    DeclaredFigure("inference_rated", worse="more"),
    DeclaredFigure("inference_prior", column="by popularity"),
    DeclaredFigure("inference_recall", worse="more", column="of all added"),
    DeclaredFigure("guesses", "count", column="guesses"),
    DeclaredFigure(
        "inference_members",
        heading="Inference members, inference outsiders",
        meaning=(
            "Right guesses about people who rated between two releases, and about as many people "
            "who did not and had rated about as much. A guess about the latter is right if it is "
            "among the items that they rated next, as many as the others added; no list could "
            "reveal these."
        ),
    ),
    DeclaredFigure("inference_outsiders"),
    DeclaredFigure(
        "inference_rated_outsiders",
        heading="Inference rated outsiders",
        meaning="Guesses about people who rated nothing in between that name what they had rated "
        "before: true, though the change of the lists was not theirs.",
    ),
    DeclaredFigure(
        "inference_excess",
        worse="more",
        heading="Inference excess",
        meaning=(
            "Right guesses about people who rated in between, minus those about people who did "
            "not: what the change of the lists gives away about those who caused it."
        ),
        risk="inference",
    ),
    DeclaredFigure("guesses_members", "count"),
    DeclaredFigure("guesses_outsiders", "count"),
    WORST_BREACH,
)
