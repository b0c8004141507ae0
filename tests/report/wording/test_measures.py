"""Measures of utility in the report's words."""

from __future__ import annotations

from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.formatting import label
from recloak.report.wording._risks import utility_sentence
from tests.report.samples import definitions_for, prediction


def tailored(mu: float) -> Finding:
    figures = (
        Figure("mu", mu, mu - 0.01, mu + 0.01, "share", "tailoring utility"),
        Figure("rmse", 0.5, 0.4, 0.6, "rating"),
        Figure("rmse_original", 0.5, 0.4, 0.6, "rating"),
    )
    return Finding("measure", "tailoring-utility", {}, "What it adds.", "blend", figures, 100, 0)


def test_the_error_that_is_told_is_that_of_one_recommender_not_of_a_blend() -> None:
    measures = (tailored(0.1), prediction("factorization", 0.92, 0.95))
    assert "0.9500" in str(utility_sentence(Audit("t", {}, {}, measures=measures)))
    assert utility_sentence(Audit("t", {}, {}, measures=(tailored(0.1),))) is None


def test_figures_of_utility_are_explained_and_named_in_words() -> None:
    terms = dict(definitions_for(Audit("t", {}, {}, measures=(tailored(0.1),))))
    assert "worth no more than the averages" in terms["Tailoring utility"]
    assert label("mu_original") == "Tailoring utility original"
    assert label("ks") == "KS distance"


def test_what_was_lost_is_explained_and_named_in_words() -> None:
    figures = (Figure("sse", 12.5, unit="count"), Figure("sse_share", 0.5))
    lost = Finding("measure", "distortion", {}, "What changed.", "squared error", figures, 100, 0)
    terms = dict(definitions_for(Audit("t", {}, {}, measures=(lost,))))
    assert "squared and added up over all cells" in terms["SSE"]
    assert "only averages are left" in terms[label("sse_share")]
