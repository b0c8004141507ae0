from __future__ import annotations

from pathlib import Path

import pytest

from recloak.errors import ClaimError, InputError, ParameterError
from recloak.findings import Verdict
from recloak.publishing import publish
from recloak.ratings import Ratings
from recloak.release import open_release
from recloak.verifying import check_claims, refuse_broken, verify
from tests.samples import from_rows


def test_a_release_is_checked_by_its_own_claims_and_others(tmp_path: Path, small: Ratings) -> None:
    publish(small, "pseudonymize", out=tmp_path / "r", audited=False)
    traces = verify(tmp_path / "r")
    assert all(verdict.holds for verdict in traces)
    assert "no trace in the row ids" in {verdict.claim for verdict in traces}
    verdict, *_ = verify(tmp_path / "r", ["k-anonymity:k=2"])
    assert verdict.status == "broken"
    assert verdict.seconds > 0
    assert verify(open_release(tmp_path / "r")) == ()


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
