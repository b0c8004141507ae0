"""The figures of the attack `passive-inference`, as they are declared."""

from __future__ import annotations

from recloak.evaluation.figures import WORST_BREACH, DeclaredFigure

FIGURES = (
    DeclaredFigure(
        "inference_precision",
        worse="more",
        heading="Inference precision, recall, rated, prior",
        meaning="Of the guesses of somebody who watches the lists of items that a person is known "
        "to have rated, the share that the person rated between the two releases; of what people "
        "rated in between, the share that is guessed; the guesses that the person had rated at "
        "all; and what the popularity of the guessed items alone would give.",
    ),
    DeclaredFigure("inference_rated", worse="more"),
    DeclaredFigure("inference_recall", worse="more"),
    DeclaredFigure("inference_prior"),
    DeclaredFigure("guesses", "count"),
    DeclaredFigure(
        "inference_members",
        heading="Inference members, inference outsiders",
        meaning="Right guesses about people who rated between two releases, beside guesses about "
        "as many who did not and had rated about as much: right is what they rated next, as many "
        "items as the others added, which no list could tell.",
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
        meaning="Right guesses about people who rated in between, less those about people who did "
        "not: what the change of the lists gives away about those who caused it.",
        risk="inference",
    ),
    DeclaredFigure("guesses_members", "count"),
    DeclaredFigure("guesses_outsiders", "count"),
    WORST_BREACH,
)
