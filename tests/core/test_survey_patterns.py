from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from recloak.core.issue_names import joined, names_in
from recloak.core.survey import NULL, Survey, SurveyParameters, only_most_rated
from recloak.core.survey.patterns import Patterns, SurveyFacts, record_order
from recloak.testing import random_ratings
from tests.support.plain_proximity import random_survey, ratings_of


@pytest.mark.parametrize("issues", [1, 4, 70], ids=str)
def test_patterns_are_who_left_out_the_same(issues: int) -> None:
    known = random_survey(np.random.default_rng(issues), 50, issues, 5).known
    patterns = Patterns.of(known)
    missing = [tuple(row == NULL) for row in known]
    counted = Counter(missing)
    assert sorted(patterns.sizes) == sorted(counted.values())
    assert [patterns.sizes[one] for one in patterns.of_record] == [counted[one] for one in missing]
    assert patterns.alone == sum(size == 1 for size in counted.values())
    assert patterns.below(5) == sum(size for size in counted.values() if size < 5)


@pytest.mark.parametrize("issues", [3, 60], ids=str)
def test_records_in_order_of_pattern_and_answers(issues: int) -> None:
    known = random_survey(np.random.default_rng(issues), 80, issues, 6).known
    first = np.arange(issues)[::-1]
    rows = known[record_order(known, first, 6)]
    keys = [(tuple(row != NULL), tuple(row[first])) for row in rows]
    assert keys == sorted(keys)


def test_facts_of_a_survey() -> None:
    rows = [(1, 1, 5), (2, None, 1), (3, None, 3), (1, 5, None)]
    survey = Survey.of(ratings_of(rows), SurveyParameters(sensitive="i3"))
    facts = SurveyFacts.of(survey)
    assert (facts.respondents, facts.patterns, facts.largest, facts.alone) == (4, 2, 2, 0)
    by_name = {issue.name: issue for issue in facts.issues}
    assert by_name["i2"].answered == 0.5
    assert by_name["i2"].deviation == 2
    assert by_name["i3"].sensitive
    assert not by_name["i1"].sensitive
    assert by_name["i3"].deviation == pytest.approx(np.std([5, 1, 3]))


def test_names_are_read_with_either_sign_between_them() -> None:
    assert names_in("a,b+c , d") == ["a", "b", "c", "d"]
    assert names_in(joined(["x,y", "p+q", "a=b"])) == ["x,y", "p+q", "a=b"]


def test_the_most_rated_and_those_beside_are_kept() -> None:
    ratings = random_ratings(60, 30, 0.2, seed=2)
    rarest = str(ratings.item_labels[np.argmin(ratings.item_support)])
    kept, note = only_most_rated(ratings, 4, [rarest])
    most = ratings.item_labels[np.argsort(-ratings.item_support, kind="stable")[:4]]
    assert {str(label) for label in kept.item_labels} == {*map(str, most), rarest}
    assert (kept.user_counts > 0).all()
    assert "5 of 30 items" in note
