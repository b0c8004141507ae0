"""What the survey methods do about issues that are named as sensitive, unless told otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.auditing.verification import check_claims, verify
from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.survey import Survey, SurveyParameters
from recloak.methods import method
from recloak.methods._surveys import telling_alike
from recloak.methods.base import Applied
from recloak.publishing.run import publish
from recloak.report import render_html
from recloak.testing import from_rows

SENSITIVE = "satisfied+bullied"
METHODS = ("proximity", "proximity-deletion")


def staff(n: int = 300) -> Ratings:
    """Answers of 1 to 5 by staff: most were never bullied, and nearly nobody was often."""
    rng = np.random.default_rng(7)
    mood = rng.normal(size=n)
    usual = [np.clip(np.rint(3.6 + 0.7 * mood + 0.8 * rng.normal(size=n)), 1, 5) for _ in range(7)]
    bullied = np.where(rng.random(n) < 0.06, 5, np.where(rng.random(n) < 0.12, 2, 1))
    names = np.array(["satisfied", *(f"q{at}" for at in range(6)), "bullied"], dtype=object)
    answers = np.stack([*usual, bullied], axis=1)
    users = np.repeat(np.arange(n), len(names))
    return Ratings.from_columns(users, np.tile(names, n), answers.ravel(), scale="1..5")


def applied(ratings: Ratings, name: str = "proximity", **parameters: Any) -> Applied:
    given = {"sensitive": SENSITIVE, **parameters}
    return method(name, **given).apply(ratings, Randomness.from_seed(1))


def groups_with_one_answer(found: Applied) -> tuple[int, int]:
    """How many groups of equal rows there are, and in how many a sensitive answer is the same."""
    rows = Survey.of(found.release.as_ratings(), SurveyParameters(sensitive=SENSITIVE))
    groups, label = np.unique(rows.known, axis=0, return_inverse=True)
    members = [rows.hidden[label.ravel() == group] for group in range(len(groups))]
    same = [any(len(set(column.tolist())) == 1 for column in held.T) for held in members]
    return len(groups), sum(same)


def test_by_default_no_group_shares_one_sensitive_answer() -> None:
    protected, bare = applied(staff()), applied(staff(), l=0)
    assert groups_with_one_answer(protected)[1] == 0
    groups, same = groups_with_one_answer(bare)
    assert same > groups / 4


@pytest.mark.parametrize("name", METHODS)
def test_the_default_is_half_of_the_smallest_deviation_and_is_claimed(name: str) -> None:
    ratings = staff()
    found = applied(ratings, name)
    bullied = Survey.of(ratings, SurveyParameters(sensitive="bullied")).hidden
    assert found.release.manifest.parameters["l"] == pytest.approx(bullied.std() / 2, rel=0.02)
    (claim,) = found.release.manifest.claimed
    assert float(claim.parameters["l"]) == found.release.manifest.parameters["l"]
    assert check_claims(found.release, [claim])[0].holds
    assert found.notes[0].startswith("Sensitive: satisfied, bullied. Their answers are published")


@pytest.mark.parametrize("name", METHODS)
def test_without_sensitive_issues_nothing_is_asked_of_them(name: str) -> None:
    found = applied(staff(), name, sensitive="", non_sensitive="q0+q1")
    assert found.release.manifest.parameters["l"] == 0
    assert not any("ensitive:" in note for note in found.notes)


@pytest.mark.parametrize("name", METHODS)
def test_what_is_not_protected_is_the_first_thing_said(name: str) -> None:
    found = applied(staff(), name, l=0)
    assert found.notes[0].startswith("SENSITIVE ANSWERS ARE NOT PROTECTED (satisfied, bullied)")


def test_how_many_groups_share_an_answer_is_said() -> None:
    rows = {f"a{at}": {"q": 1, "s": 2} for at in range(4)}
    rows |= {f"b{at}": {"q": 5, "s": 1 + at} for at in range(4)}
    found = applied(from_rows(rows), k=4, l=0, sensitive="s")
    assert found.notes[0].endswith("In 1 of 2 groups they have.")


def test_telling_alike_agrees_with_looking_at_each_group() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        labels = rng.integers(0, 6, 20)
        hidden = rng.integers(-1, 3, (20, 2)).astype(np.int8)
        expected = [
            any(len(set(column[column >= 0].tolist())) == 1 for column in hidden[labels == one].T)
            for one in range(6)
        ]
        assert telling_alike(labels, hidden, 6).tolist() == expected


@pytest.mark.parametrize("name", METHODS)
def test_an_answer_that_all_gave_cannot_be_hidden(name: str) -> None:
    rows = {f"p{at}": {"q": 1 + at % 2, "s": 3, "t": 1 + at % 5} for at in range(20)}
    with pytest.raises(InputError, match="everybody gave the same answer to 's'") as refused:
        applied(from_rows(rows), name, sensitive="s+t")
    assert "--l 0" in str(refused.value.hint)
    assert applied(from_rows(rows), name, sensitive="s+t", l=0).release.manifest.rows


def test_an_issue_that_nobody_answered_asks_for_nothing() -> None:
    rows = {f"p{at}": {"q": 1 + at % 2, "t": 1 + at % 5} for at in range(20)}
    answers = from_rows({**rows, "gone": {"s": 1}}, scale="1..5")
    silent = answers.keep(answers.user_codes() != list(answers.user_labels).index("gone"))
    found = applied(silent, sensitive="s+t", non_sensitive="q")
    assert found.release.manifest.parameters["l"] == pytest.approx(0.71)


@pytest.mark.parametrize("l", [1e-9, 1e-200])
def test_equal_answers_never_deviate_however_little_is_asked(l: float) -> None:  # noqa: E741
    rows = {f"p{at}": {"q": 1, "s": 1 if at else 5} for at in range(12)}
    rows |= {f"r{at}": {"q": 5, "s": 3} for at in range(6)}
    found = applied(from_rows(rows), k=4, l=l, sensitive="s")
    assert check_claims(found.release, found.release.manifest.claimed)[0].holds


def published(tmp_path: Path, **parameters: Any) -> tuple[str, str]:
    """The card, and the page of the report."""
    given = {"sensitive": "bullied", "non_sensitive": "q0+q1", "k": 5, **parameters}
    name = given.pop("method", "proximity")
    found = publish(staff(), name, out=tmp_path / "out", columns_left_out=["name"], **given)
    assert all(verdict.holds for verdict in verify(tmp_path / "out"))
    assert found.audit is not None
    return (tmp_path / "out" / "README.md").read_text(), render_html(found.audit)


def test_card_and_report_say_at_the_top_what_is_not_protected(tmp_path: Path) -> None:
    card, page = published(tmp_path, l=0)
    note = "The sensitive answers are not protected: l is 0"
    assert note in card.partition("## What it is")[0]
    assert note in page.partition('id="verdict"')[0]


def test_card_and_report_tell_what_was_done(tmp_path: Path) -> None:
    card, page = published(tmp_path)
    assert "not protected" not in card
    assert "Answers were changed" in card
    assert "Some published answers are answers that nobody gave" in card
    assert "6 columns of the original are not in it" in card
    assert "name, q2, q3, q4, q5, satisfied" in page


def test_the_card_of_a_deletion_says_that_answers_are_true(tmp_path: Path) -> None:
    card, _ = published(tmp_path, method="proximity-deletion")
    assert "Answers are as they were given. Respondents who had too few" in card
    assert "nobody gave" not in card
