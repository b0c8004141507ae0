"""Sentences about surveys: true and readable for any figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recloak.attacks import attack
from recloak.evaluation.findings import Audit, Figure, Finding, PolicyResult, Verdict
from recloak.measures import measure
from recloak.report._view import view_of
from recloak.report.wording import made_sentence
from tests.report.samples import NAN, attacked, definitions_for, linkage, said_by, said_first
from tests.support.surveys import unchanged


def linked_sentence(audit: Audit) -> str | None:
    return said_first("survey-linking", audit, "respondents of whom")


def learned_sentence(audit: Audit) -> str | None:
    return said_first("survey-linking", audit, "The rows that fit")


def distortion_sentence(audit: Audit) -> str | None:
    return said_first("survey-distortion", audit)


def classified_sentence(audit: Audit) -> str | None:
    return said_first("naive-bayes", audit)


def survey_sentences(audit: Audit) -> list[str]:
    names = ("survey-linking", "survey-distortion", "naive-bayes")
    return [sentence for name in names for sentence in said_by(name, audit)]


def linking(known: int = 0, success: float = 0.5, **settings: Any) -> Finding:
    figures = (
        Figure("success", success, success - 0.02, success + 0.02),
        Figure("success_original", 0.95, 0.93, 0.97),
        Figure("learned", 0.6, 0.58, 0.62),
        Figure("learned_original", 0.97, 0.95, 0.99),
        Figure("learned_guess", 0.33, 0.3, 0.36),
    )
    parameters = {"known": known, "epsilon": 0, "nearest": False} | settings
    return Finding("attack", "survey-linking", parameters, "", "", figures, 1000, 0)


def measured(name: str, *figures: Figure) -> Audit:
    return replace(attacked(), measures=(Finding("measure", name, {}, "", "", figures, 100, 0),))


def test_the_strongest_linking_is_told_beside_the_original() -> None:
    audit = attacked(linking(3, 0.01), linking(0, 0.04, nearest=True))
    assert linked_sentence(audit) == (
        "Out of 100 respondents of whom somebody who takes the nearest rows knows all "
        "non-sensitive answers, about 4 (2–6) would be found; from the unprotected answers about "
        "95 (93–97) would."
    )
    assert "knows 3 non-sensitive answers, give or take 1, about" in str(
        linked_sentence(attacked(linking(3, 0.5, epsilon=1)))
    )


def test_a_report_on_a_survey_speaks_of_answers() -> None:
    """Its attackers know answers to issues: nobody rated an item."""
    line = "record-linkage, knows 4 ratings: success at most 0.2"
    judged = PolicyResult(line, "fail", "50%", of="record-linkage:known=4", figure="success")
    noted = replace(linkage(4, 0.5), notes=("Nobody has 8 ratings.",))
    ratings = replace(attacked(noted), policy_results=(judged,))
    survey = replace(ratings, release={**ratings.release, "kind": "survey"})
    for audit, word in ((ratings, "ratings"), (survey, "answers")):
        view = view_of(audit)
        assert f"an acquaintance knows 4 {word}" in view.found
        assert view.legend[0][1] == f"found by record-linkage (knows 4 {word})"
        assert view.policy_results[0].name.startswith(f"record-linkage, knows 4 {word}: success")
    assert "Nobody has 8 answers." in str(view_of(survey).attacks)
    more = replace(survey, attacks=(linkage(4, 0.5), linkage(8, 0.6)))
    described = " ".join(
        one.description for one in view_of(more).charts + view_of(more).more_charts
    )
    assert "a person's answers the attacker knows" in described
    covered = " ".join(map(" ".join, view_of(survey).not_covered))
    assert "rated" not in covered


def test_many_issues_are_counted_in_the_sentence_that_says_what_was_done() -> None:
    settings = {"sensitive": "pay", "non_sensitive": "work+way+canteen", "k": 5}
    release = {"kind": "survey", "method": "proximity", "parameters": settings}
    made = made_sentence(Audit("t", release, {}))
    assert "sensitive = pay, non-sensitive = 3 issues" in made


def test_what_is_learned_stands_beside_what_anyone_would_guess() -> None:
    assert learned_sentence(attacked(linking())) == (
        "The rows that fit give about 60 (58–62) of 100 sensitive answers correctly; the "
        "unprotected answers would give about 97 (95–99); always giving the most frequent answer "
        "is right in about 33 (30–36)."
    )


def test_what_was_changed_and_who_was_left_out() -> None:
    figures = (
        Figure("changed", 0.25),
        Figure("cell_distortion", 0.376, unit="rating"),
        Figure("deleted", 0.2),
    )
    assert distortion_sentence(measured("survey-distortion", *figures)) == (
        "Of 100 answers that somebody may know, about 25 were changed, by 0.3760 levels for each "
        "cell. About 20 of 100 respondents were left out."
    )
    nothing = (Figure("changed", 0.0), figures[1], Figure("deleted", 0.0))
    assert distortion_sentence(measured("survey-distortion", *nothing)) == (
        "Of 100 answers that somebody may know, none were changed."
    )
    unknown = measured(
        "survey-distortion", figures[0], Figure("cell_distortion", NAN, unit="rating")
    )
    assert "by not known levels" in str(distortion_sentence(unknown))


def test_what_a_classifier_still_learns() -> None:
    figures = [Figure("accuracy", 0.7), Figure("accuracy_original", 0.75)]
    assert classified_sentence(measured("naive-bayes", *figures)) == (
        "Trained on the release, a classifier gives about 70 of 100 sensitive answers "
        "correctly; trained on the original, about 75."
    )


@pytest.mark.parametrize(
    "audit", [attacked(), attacked(linkage(4, 0.5)), measured("survey-distortion")]
)
def test_other_data_have_no_such_sentences(audit: Audit) -> None:
    assert survey_sentences(audit) == []


def test_the_page_tells_a_survey_and_explains_its_words() -> None:
    context = unchanged([{"a": 1 + at % 5, "s": 1 + at % 2} for at in range(20)], sensitive="s")
    found = attack("survey-linking").run(context)
    utility = tuple(
        measure(name).run(context) for name in ("survey-distortion", "survey-marginals")
    )
    claim = Verdict("proximity:k=2,epsilon=1", "holds", "All were compared.")
    audit = replace(attacked(found), measures=utility, verdicts=(claim,))
    view = view_of(audit)
    assert any("Out of 100 respondents" in sentence for sentence in view.sentences)
    explained = dict(definitions_for(audit))
    for term in ("(k, ε, l)-anonymity", "Learned, learned near", "Mean shift of answers"):
        assert term in explained
