"""Methods `proximity` and `proximity-deletion`: their releases are what they claim, from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.verification import check_claims
from recloak.core.errors import InputError, ParameterError, RecloakError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS, method
from recloak.methods.base import Applied
from recloak.publishing.run import publish
from recloak.releases.base import open_release, save_release
from recloak.releases.survey import SurveyRelease
from recloak.testing import MethodContract, Recorder, from_rows

Row = tuple[int | None, ...]


class TestIdentical(MethodContract):
    name = "proximity"
    parameters: ClassVar[dict[str, Any]] = {"k": 4}


class TestInterval(MethodContract):
    name = "proximity"
    parameters: ClassVar[dict[str, Any]] = {"k": 3, "mode": "interval"}


class TestDeletion(MethodContract):
    name = "proximity-deletion"
    parameters: ClassVar[dict[str, Any]] = {"k": 3, "non_sensitive": "1"}

    def test_the_secret_links_everyone_to_a_row(self, small: Ratings) -> None:
        """Everyone who was kept."""
        applied = self.make().apply(small)
        linkage = applied.secret.linkage(small, applied.release.as_ratings())
        assert len(linkage.linked) == applied.release.manifest.rows <= small.n_users


def survey(seed: int, n: int = 60, issues: int = 3, null: float = 0.15) -> Ratings:
    """Answers of 1 to 5 to q0, q1, … and to the sensitive income."""
    rng = np.random.default_rng(seed)
    answered = rng.random((n, issues + 1)) >= null
    answered[:, -1] |= ~answered.any(axis=1)
    users, columns = np.nonzero(answered)
    names = np.array([*(f"q{at}" for at in range(issues)), "income"], dtype=object)
    return Ratings.from_columns(users, names[columns], rng.integers(1, 6, len(users)), scale="1..5")


def applied_to(ratings: Ratings, name: str = "proximity", **parameters: Any) -> Applied:
    return method(name, **parameters).apply(ratings, Randomness.from_seed(1))


def from_disk(applied: Applied, folder: Path, table_format: str) -> pl.DataFrame:
    """The published table as whoever downloads it reads it, without recloak."""
    folder.mkdir()
    save_release(applied.release, folder, table_format)
    path = folder / f"answers.{table_format}"
    return pl.read_csv(path) if table_format == "csv" else pl.read_parquet(path)


def near(one: Row, other: Row, epsilon: float) -> bool:
    for a, b in zip(one, other, strict=True):
        if (a is None) != (b is None) or (a is not None and b is not None and abs(a - b) > epsilon):
            return False
    return True


def deviates(answers: list[int | None], least: float) -> bool:
    present = [answer for answer in answers if answer is not None]
    if least == 0 or not present:
        return True
    return len(present) > 1 and float(np.std(present)) >= least - 1e-9


def check_plainly(
    table: pl.DataFrame, k: int, epsilon: float, least: float, sensitive: str = "income"
) -> dict[str, bool]:
    """Definitions 2 and 3 of the paper by hand, in both readings."""
    issues = [name for name in table.columns[1:] if name not in (sensitive, "group")]
    rows: list[Row] = table.select(issues).rows()
    secrets = table[sensitive].to_list()
    places = range(len(rows))
    holds = {"neighbourhood": True, "clique": True}
    for one in rows:
        around = [at for at in places if near(one, rows[at], epsilon)]
        if len(around) < k or not deviates([secrets[at] for at in around], least):
            holds["neighbourhood"] = False
    names = table["group"].to_list() if "group" in table.columns else rows
    for name in set(names):
        members = [at for at in places if names[at] == name]
        together = all(near(rows[a], rows[b], epsilon) for a in members for b in members)
        if len(members) < k or not together or not deviates([secrets[at] for at in members], least):
            holds["clique"] = False
    return holds


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 6),
    epsilon=st.sampled_from([0.0, 1.0, 1.5, 2.0]),
    least=st.sampled_from([0.0, 0.7, 1.0]),
    table_format=st.sampled_from(["csv", "parquet"]),
)
def test_identical_holds_in_both_readings(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    k: int,
    epsilon: float,
    least: float,
    table_format: str,
) -> None:
    given_ = {"k": k, "epsilon": epsilon, "l": least, "sensitive": "income"}
    applied = applied_to(survey(seed), **given_)
    table = from_disk(applied, tmp_path_factory.mktemp("identical") / "out", table_format)
    assert "group" not in table.columns
    for width in (0, epsilon):
        assert check_plainly(table, k, width, least) == {"neighbourhood": True, "clique": True}
    assert all(
        verdict.holds for verdict in check_claims(applied.release, applied.release.manifest.claimed)
    )


def test_identical_claims_more_than_nearness() -> None:
    rows = {f"p{at}": {"a": 3, "b": 2} for at in range(4)}
    claims = applied_to(from_rows(rows), k=4, epsilon=1).release.manifest.claimed
    assert [verdict.status for verdict in check_claims(from_rows(rows), claims)] == ["holds"]
    near_only = from_rows(rows | {"p0": {"a": 4, "b": 2}})
    assert [verdict.status for verdict in check_claims(near_only, claims)] == ["broken"]


@pytest.mark.parametrize(("mode", "named"), [("identical", 0.0), ("interval", 1.0)])
def test_the_manifest_names_the_epsilon_that_is_claimed(mode: str, named: float) -> None:
    manifest = applied_to(survey(0), epsilon=1, mode=mode, sensitive="income").release.manifest
    assert manifest.parameters["epsilon"] == named
    assert [claim.parameters["epsilon"] for claim in manifest.claimed] == [f"{named}"]


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 6),
    least=st.sampled_from([0.0, 0.7, 1.0]),
    reading=st.sampled_from(["clique", "neighbourhood"]),
)
def test_interval_holds_in_the_reading_that_is_claimed(
    tmp_path_factory: pytest.TempPathFactory, seed: int, k: int, least: float, reading: str
) -> None:
    given_ = {"k": k, "l": least, "sensitive": "income", "mode": "interval", "reading": reading}
    applied = applied_to(survey(seed), **given_)
    table = from_disk(applied, tmp_path_factory.mktemp("interval") / "out", "parquet")
    assert ("group" in table.columns) == (reading == "clique")
    assert check_plainly(table, k, 1, least)[reading]
    assert all(
        verdict.holds for verdict in check_claims(applied.release, applied.release.manifest.claimed)
    )
    assert any("exact answers" in note for note in applied.notes)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 5), least=st.sampled_from([0.0, 1.0]))
def test_deletion_keeps_true_rows_that_hold(
    tmp_path_factory: pytest.TempPathFactory, seed: int, k: int, least: float
) -> None:
    ratings = survey(seed, 80, 2)
    recipe = {"k": k, "l": least, "sensitive": "income"}
    applied = applied_to(ratings, "proximity-deletion", **recipe)
    table = from_disk(applied, tmp_path_factory.mktemp("deletion") / "out", "csv")
    assert check_plainly(table, k, 1, least)["neighbourhood"]
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(ratings, rows)
    for user in linkage.linked:
        (row,) = linkage.rows_of(int(user))
        mine = dict(
            zip(ratings.item_labels[ratings.row(user)[0]], ratings.row(user)[1], strict=True)
        )
        theirs = dict(zip(rows.item_labels[rows.row(row)[0]], rows.row(row)[1], strict=True))
        assert mine == theirs
    assert any(f"{table.height} of 80" in note for note in applied.notes)


def test_the_distortion_that_is_told_is_that_of_the_release() -> None:
    ratings = survey(3, 50, 4)
    applied = applied_to(ratings, k=5, sensitive="income")
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(ratings, rows)
    total = 0.0
    for user in range(50):
        (row,) = linkage.rows_of(user)
        before = {str(ratings.item_labels[i]): v for i, v in zip(*ratings.row(user), strict=True)}
        after = {str(rows.item_labels[i]): v for i, v in zip(*rows.row(row), strict=True)}
        assert before.get("income") == after.get("income")
        for issue in ("q0", "q1", "q2", "q3"):
            one, other = before.get(issue), after.get(issue)
            total += abs(one - other) if one and other else 5 * (one != other)
    assert any(f"distortion {total / 200:.3f}" in note for note in applied.notes)


def test_interval_changes_less_than_identical() -> None:
    ratings = survey(5, 300, 4)
    notes = [
        next(note for note in applied_to(ratings, mode=mode).notes if "distortion" in note)
        for mode in ("interval", "identical")
    ]
    interval, identical = (float(note.split()[3]) for note in notes)
    assert interval < identical


@pytest.mark.parametrize(
    ("name", "table_format"), [("proximity", "csv"), ("proximity-deletion", "parquet")]
)
def test_published_whole_verified_and_audited(tmp_path: Path, name: str, table_format: str) -> None:
    published = publish(
        survey(1, 150, 3, 0.05),
        name,
        out=tmp_path / "release",
        table_format=table_format,
        k=3,
        sensitive="income",
        seed="0x" + "9" * 40,
    )
    assert isinstance(published.release, SurveyRelease)
    assert published.audit is not None
    assert all(verdict.holds for verdict in published.audit.verdicts)
    assert set(published.notes) <= set(published.audit.notes)
    assert all(verdict.holds for verdict in scan_for_leaks(tmp_path / "release", METHODS))
    assert open_release(tmp_path / "release").same_tables(published.release)


def test_undeclared_issues_are_left_out_and_named() -> None:
    applied = applied_to(survey(0), sensitive="income", non_sensitive="q0+q2")
    assert [str(name) for name in applied.release.as_ratings().item_labels] == [
        "income",
        "q0",
        "q2",
    ]
    assert any("q1" in note for note in applied.notes)


@pytest.mark.parametrize("name", ["proximity", "proximity-deletion"])
def test_lonely_null_patterns_are_told_before_the_work(name: str) -> None:
    rng = np.random.default_rng(0)
    rows = {
        f"p{at}": {f"q{issue}": 3 for issue in np.flatnonzero(rng.random(40) < 0.3)}
        for at in range(40)
    }
    rows |= {f"alike{at}": {"q0": 2} for at in range(5)}
    progress = Recorder()
    applied = method(name, k=5).apply(from_rows(rows), None, progress)
    (note,) = [note for note in applied.notes if "null pattern" in note]
    assert note.startswith("40 of 45 respondents share their null pattern with too few to have 5")
    assert "--most-rated 20" in note
    early = next(at for at, label in enumerate(progress.labels) if "null patterns" in label)
    later = "Grouping respondents" if name == "proximity" else "Looking for neighbours"
    assert early < progress.labels.index(later)
    assert not [note for note in applied_to(survey(0)).notes if "null pattern" in note]


def with_silent_people() -> Ratings:
    """Nobody of the last three answered anything that is declared."""
    rows = {f"p{at}": {"a": 1 + at % 5, "b": 3} for at in range(6)}
    rows |= {f"silent{at}": {"other": 2} for at in range(3)}
    return from_rows(rows)


@pytest.mark.parametrize("table_format", ["csv", "parquet"])
def test_who_answered_nothing_keeps_a_row(tmp_path: Path, table_format: str) -> None:
    applied = applied_to(with_silent_people(), k=3, non_sensitive="a+b")
    table = from_disk(applied, tmp_path / "out", table_format)
    assert table.height == 9
    again = open_release(tmp_path / "out")
    assert again.as_ratings().n_users == 9
    assert int((again.as_ratings().user_counts == 0).sum()) == 3
    assert again.same_tables(applied.release)


def test_two_answers_of_one_respondent_each_cannot_be_grouped() -> None:
    with pytest.raises(InputError, match="1 respondents cannot make a group of k = 2"):
        applied_to(from_rows({"a": {"x": 1}}), k=2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 61}, "60 respondents cannot make a group of k = 61"),
        ({"l": 1.9, "sensitive": "income"}, "deviation of 'income' among all respondents is 1."),
        ({"l": 1}, "none is declared"),
        ({"epsilon": 5}, "requires nothing of answers on 5 levels"),
        ({"epsilon": -1}, "greater than or equal to 0"),
        ({"sensitive": "wealth"}, "there is no issue 'wealth'"),
        ({"sensitive": "q0", "non_sensitive": "q0+q1"}, "both sensitive and non-sensitive"),
    ],
)
@pytest.mark.parametrize("name", ["proximity", "proximity-deletion"])
def test_what_cannot_be_is_refused_with_the_number(
    name: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, ParameterError)) as refused:
        applied_to(survey(2), name, **parameters)
    assert message in refused.value.what
    assert refused.value.hint


@pytest.mark.parametrize("name", ["proximity", "proximity-deletion"])
def test_a_deviation_beyond_the_scale_is_refused_even_if_nobody_answered(name: str) -> None:
    rows = {f"p{at}": {"a": 3} for at in range(4)} | {"gone": {"s": 1}}
    answers = from_rows(rows)
    silent = answers.keep(answers.values == 3)
    with pytest.raises(InputError, match="no answers on 5 levels deviate by l = 3"):
        applied_to(silent, name, k=2, l=3, sensitive="s", non_sensitive="a")


def test_answers_that_are_no_whole_numbers_are_refused() -> None:
    halves = Ratings.from_columns([1, 2, 3], ["a"] * 3, [1.5, 2.0, 3.5], scale="1..5 step 0.5")
    with pytest.raises(RecloakError, match="whole numbers"):
        applied_to(halves, k=2)


def test_the_largest_deviation_is_warned_of() -> None:
    rows = {f"p{at}": {"a": 3, "s": 1 + 4 * (at % 2)} for at in range(8)}
    applied = applied_to(from_rows(rows), k=2, l=2, sensitive="s")
    assert any("half" in note for note in applied.notes)
    assert check_claims(applied.release, applied.release.manifest.claimed)[0].holds


def test_a_wide_epsilon_is_told() -> None:
    applied = applied_to(survey(0), epsilon=4, sensitive="income")
    assert any("only who answered which issue counts" in note for note in applied.notes)
    assert any("equal whatever ε is, and claims ε = 0" in note for note in applied.notes)
    interval = applied_to(survey(0), epsilon=4, mode="interval", sensitive="income")
    assert not any("claims ε = 0" in note for note in interval.notes)


def test_many_levels_are_grouped_too() -> None:
    rng = np.random.default_rng(0)
    rows = {
        f"p{at}": {"a": int(rng.integers(0, 41)), "b": int(rng.integers(0, 41))} for at in range(40)
    }
    applied = applied_to(from_rows(rows, "0..40"), k=4, epsilon=3, mode="interval")
    assert all(
        verdict.holds for verdict in check_claims(applied.release, applied.release.manifest.claimed)
    )


def test_rows_drop_out_when_nobody_is_near() -> None:
    rows = {f"p{at}": {"a": 1, "b": 2} for at in range(5)} | {"alone": {"a": 5, "b": 5}}
    applied = applied_to(from_rows(rows), "proximity-deletion", k=3)
    assert applied.release.manifest.rows == 5
    with pytest.raises(InputError, match="none of 6 respondents"):
        applied_to(from_rows(rows), "proximity-deletion", k=6)
