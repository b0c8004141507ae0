from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from recloak.auditing.verification import check_claims, verify
from recloak.core.columns import Duplicates
from recloak.core.errors import ClaimError, InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Verdict
from recloak.evaluation.refusals import refuse_broken
from recloak.methods import METHODS
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.testing import from_rows


def test_a_release_is_checked_by_its_own_claims_and_others(tmp_path: Path, small: Ratings) -> None:
    publish(small, "pseudonymize", out=tmp_path / "r", audited=False)
    traces = verify(tmp_path / "r")
    assert all(verdict.holds for verdict in traces)
    assert "no trace in the row ids" in {verdict.claim for verdict in traces}
    verdict, *_ = verify(tmp_path / "r", ["k-anonymity:k=2"])
    assert verdict.status == "broken"
    assert verdict.seconds > 0
    assert verify(open_release(tmp_path / "r")) == ()


def test_a_method_of_ones_own_is_published_and_not_judged_elsewhere(
    tmp_path: Path, small: Ratings
) -> None:
    class Own(METHODS.get("pseudonymize")):  # type: ignore[misc]
        name = "own"

    publish(small, Own(), out=tmp_path / "r", audited=False)
    (trace,) = [verdict for verdict in verify(tmp_path / "r") if not verdict.holds]
    assert "'own' is not installed here" in trace.how


def test_any_file_can_be_checked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("user,item,rating\n1,a,3\n2,a,3\n3,b,1\n4,b,1\n")
    (verdict,) = verify(path, ["k-anonymity:k=2"])
    assert verdict.holds
    with pytest.raises(ParameterError, match="say what it should satisfy"):
        verify(path)


def test_an_edited_release_is_refused_before_its_claims(tmp_path: Path, small: Ratings) -> None:
    publish(small, "pseudonymize", out=tmp_path / "r", audited=False, table_format="csv")
    table = tmp_path / "r" / "ratings.csv"
    table.write_text(table.read_text().replace(",5\n", ",4\n"))
    with pytest.raises(InputError, match="does not match its digest"):
        verify(tmp_path / "r")


def test_a_claim_written_twice_is_checked_once() -> None:
    rows = from_rows({"a": {"x": 1}, "b": {"x": 1}})
    assert len(check_claims(rows, ["k-anonymity:k=2", "k-anonymity:k=2,values=true"])) == 1


def test_undecided_is_not_good_enough() -> None:
    refuse_broken([Verdict("c", "holds", "")])
    with pytest.raises(ClaimError, match="undecided"):
        refuse_broken([Verdict("c", "undecided", "ran out of budget")])


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(ParameterError, match="no guarantee called 'x'"):
        verify(from_rows({"a": {"x": 1}}), ["x:k=1"])


def _six(tmp_path: Path, header: str, cells: list[str]) -> Path:
    """A file in which six people gave one rating each, and differ in nothing but ``cells``."""
    path = tmp_path / "six.csv"
    lines = [f"{user},a,{cell}" for user, cell in enumerate(cells, 1)]
    path.write_text("\n".join([header, *lines, ""]))
    return path


BOTH = ["k-anonymity:k=6", "km-anonymity:k=6,m=1"]


@pytest.mark.parametrize("claim", BOTH)
def test_rows_that_differ_in_their_published_times_are_not_alike(
    tmp_path: Path, claim: str
) -> None:
    cells = [f"3,2020-0{month}-01" for month in range(1, 7)]
    path = _six(tmp_path, "user,item,rating,time", cells)
    (verdict,) = verify(path, [claim])
    assert verdict.status == "broken"
    assert "times" in str(verdict.witness)
    assert "times" in verdict.how
    (items_alone,) = verify(path, [f"{claim},values=no"])
    assert items_alone.holds
    (alike,) = verify(_six(tmp_path, "user,item,rating,time", cells[:1] * 6), [claim])
    assert alike.holds
    assert not alike.reservations


@pytest.mark.parametrize("claim", BOTH)
@pytest.mark.parametrize(
    "cells",
    [
        [f"3.0000000{digit}" for digit in range(1, 7)],
        ["16777216", "16777217"] * 3,
        ["3", "3.0", "3.00", "3", "3", "3"],
        ["0", "-0", "0", "0", "0", "0"],
        ["3", "3 ", "3", "3", "3", "3"],
        ["3", '"3"', "3", "3", "3", "3"],
    ],
)
def test_values_that_are_told_apart_in_the_file_only_leave_a_claim_undecided(
    tmp_path: Path, cells: list[str], claim: str
) -> None:
    (verdict,) = verify(_six(tmp_path, "user,item,rating", cells), [claim])
    assert verdict.status == "undecided"
    assert "different ratings" in verdict.how
    assert verdict.reservations[0] in verdict.how
    (items_alone,) = verify(_six(tmp_path, "user,item,rating", cells), [f"{claim},values=no"])
    assert items_alone.holds
    assert items_alone.reservations


@pytest.mark.parametrize("claim", [*BOTH, "k-anonymity:k=3,values=no"])
@pytest.mark.parametrize("other", ["a ", " a", '"a"'])
def test_items_that_are_told_apart_in_the_file_only_leave_a_claim_undecided(
    tmp_path: Path, other: str, claim: str
) -> None:
    path = tmp_path / "six.csv"
    lines = [f"{user},{item},3" for user, item in enumerate(["a", other] * 3)]
    path.write_text("\n".join(["user,item,rating", *lines, ""]))
    (verdict,) = verify(path, [claim])
    assert verdict.status == "undecided"
    assert "2 different items" in verdict.reservations[0]


def test_missing_answers_are_written_in_one_way(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    for other, status in (("", "holds"), ("NA", "undecided"), (" ", "undecided")):
        lines = [f"{user},3,{cell}" for user, cell in enumerate(["", other] * 3)]
        path.write_text("\n".join(["id,q1,q2", *lines, "6,2,2", "7,2,2", ""]))
        (verdict,) = verify(path, ["k-anonymity:k=2"], format="survey")
        assert verdict.status == status, other


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_values_of_typed_tables_are_compared_exactly(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"six{suffix}"
    exact = {"user": range(6), "item": ["a"] * 6, "rating": [3 + 1e-8 * n for n in range(6)]}
    frame = pl.DataFrame(exact)
    _ = frame.write_parquet(path) if suffix == ".parquet" else frame.write_ipc(path)
    (verdict,) = verify(path, ["k-anonymity:k=6"])
    assert verdict.status == "undecided"
    whole = frame.with_columns(rating=pl.Series([16777216 + n % 2 for n in range(6)]))
    _ = whole.write_parquet(path) if suffix == ".parquet" else whole.write_ipc(path)
    (verdict,) = verify(path, ["k-anonymity:k=6"])
    assert verdict.status == "undecided"
    thirds = frame.with_columns(rating=pl.lit(1 / 3))
    _ = thirds.write_parquet(path) if suffix == ".parquet" else thirds.write_ipc(path)
    (verdict,) = verify(path, ["k-anonymity:k=6"])
    assert verdict.holds


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_answers_of_surveys_are_compared_exactly(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"survey{suffix}"
    frame = pl.DataFrame({"a": [3 + 1e-8 * n for n in range(6)], "b": [None, *[2.0] * 5]})
    frame = frame.with_columns(b=pl.lit(None, pl.Float64))
    _ = frame.write_csv(path) if suffix == ".csv" else frame.write_parquet(path)
    (verdict,) = verify(path, ["k-anonymity:k=6"], format="survey", issues=("a", "b"))
    assert verdict.status == "undecided"


def test_times_that_are_finer_than_seconds_leave_a_claim_undecided(tmp_path: Path) -> None:
    cells = [f"3,160000000000{digit}" for digit in range(6)]
    (verdict,) = verify(_six(tmp_path, "user,item,rating,time", cells), ["k-anonymity:k=6"])
    assert verdict.status == "undecided"
    assert "6 different times" in verdict.how


@pytest.mark.parametrize("claim", BOTH)
def test_columns_that_were_not_compared_leave_a_claim_undecided(tmp_path: Path, claim: str) -> None:
    cells = [f"3,{city}" for city in ("Rome", "Oslo", "Bonn", "Lima", "Kyiv", "Bern")]
    (verdict,) = verify(_six(tmp_path, "user,item,rating,city", cells), [claim])
    assert verdict.status == "undecided"
    assert "city" in verdict.how
    assert "city" in verdict.reservations[0]


@pytest.mark.parametrize("how", ["last", "mean", "max"])
def test_a_merged_table_is_not_what_stands_in_the_file(tmp_path: Path, how: Duplicates) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("user,item,rating\n1,a,1\n1,a,3\n2,a,3\n2,a,1\n3,a,2\n3,a,3\n")
    (verdict,) = verify(path, ["k-anonymity:k=2,values=no"], duplicates=how)
    assert verdict.status == "undecided"
    assert f"merged by {how}" in verdict.reservations[0]
    (verdict,) = verify(path, ["km-anonymity:k=2,m=1"], duplicates="max")
    assert not verdict.holds


def test_a_part_of_a_file_does_not_stand_for_it(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("user,item,rating\n1,a,3\n2,a,3\n1,b,2\n")
    (verdict,) = verify(path, ["k-anonymity:k=2"], most_rated=1)
    assert verdict.status == "undecided"


def test_what_is_only_noted_stands_in_the_verdict_too(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text("id,q1,q2\n1,3,2\n2,3,2\n3,,\n4,,\n")
    (verdict,) = verify(path, ["k-anonymity:k=2"], format="survey")
    assert verdict.holds
    assert any(
        "taken to say who the respondent is" in sentence for sentence in verdict.reservations
    )
