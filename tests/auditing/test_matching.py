from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.auditing import matching
from recloak.auditing.matching import (
    linkage_by_containment,
    linkage_from_mapping,
)
from recloak.auditing.policy import Requirement
from recloak.auditing.run import audit
from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.testing import from_rows, random_ratings


@pytest.mark.parametrize(("name", "at_least"), [("pseudonymize", 1.0), ("gaussian-noise", 0.97)])
def test_containment_finds_who_is_who(name: str, at_least: float) -> None:
    original = random_ratings(200, 60, 0.2)
    applied = method(name).apply(original, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    true = applied.secret.linkage(original, rows).first_row(np.arange(original.n_users))
    found = linkage_by_containment(original, rows)
    assert (found.first_row(np.arange(original.n_users)) == true).mean() >= at_least
    assert found.source == "containment"
    assert "No secret and no mapping" in found.note


def test_people_with_the_same_ratings_share_their_rows_out() -> None:
    row = {"a": 1, "b": 2}
    original = from_rows({"u": row, "v": row, "w": {"c": 3}})
    rows = from_rows({"1": row, "2": row, "3": {"c": 3}})
    found = linkage_by_containment(original, rows)
    assert [len(found.rows_of(user)) for user in range(3)] == [1, 1, 1]


def test_fragments_go_to_the_person_that_holds_them() -> None:
    original = from_rows({"u": {"a": 1, "b": 2, "c": 3}, "v": {"a": 1, "d": 2}})
    rows = from_rows({"1": {"a": 1, "b": 2}, "2": {"c": 3}, "3": {"d": 2}})
    found = linkage_by_containment(original, rows)
    assert found.rows_of(0).tolist() == [0, 1]
    assert found.rows_of(1).tolist() == [2]


def test_a_row_that_shares_nothing_belongs_to_nobody() -> None:
    original = from_rows({"u": {"a": 1}})
    found = linkage_by_containment(original, from_rows({"1": {"z": 1}}))
    assert len(found.linked) == 0


def test_strangers_are_not_matched() -> None:
    original = random_ratings(300, 80, 0.1, seed=1)
    strangers = random_ratings(300, 80, 0.1, seed=2)
    found = linkage_by_containment(original, strangers)
    assert len(found.linked) < 15
    assert f"only on the {len(found.linked)} of 300 people" in found.note


def test_too_much_work_is_done_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    original = random_ratings(300)
    rows = method("pseudonymize").apply(original).release.as_ratings()
    monkeypatch.setattr(matching, "WORK_LIMIT", 20_000)
    found = linkage_by_containment(original, rows)
    assert 0 < len(found.linked) < 300
    assert "of 300 rows tried" in found.note


def test_a_mapping_file_links(tmp_path: Path, small: Ratings) -> None:
    applied = method("pseudonymize").apply(small)
    rows = applied.release.as_ratings()
    path = tmp_path / "who.csv"
    path.write_text(applied.secret.table().write_csv())
    found = linkage_from_mapping(path, small, rows)
    true = applied.secret.linkage(small, rows)
    assert found.rows.tolist() == true.rows.tolist()
    assert found.source == "mapping"
    lines = path.read_text().splitlines()[1:]
    path.write_text("\n".join([*lines, lines[-1], lines[-1]]))
    assert linkage_from_mapping(path, small, rows).rows.tolist() == true.rows.tolist()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read"),
        ("user\n100\n", "columns user and pseudonym"),
        ("user,pseudonym\n", "holds no pair of a user and a pseudonym"),
        ("user,pseudonym\n100,\n", "without gaps"),
        ("user,pseudonym\nnobody,1\n", "not in the data"),
        ("user,pseudonym\n100,1\n", "not in the release"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(
    tmp_path: Path, small: Ratings, content: str, message: str
) -> None:
    path = tmp_path / "who.csv"
    path.write_text(content)
    rows = method("pseudonymize").apply(small).release.as_ratings()
    with pytest.raises(InputError, match=message):
        linkage_from_mapping(path, small, rows)
    with pytest.raises(InputError):
        linkage_from_mapping(tmp_path / "none.csv", small, rows)


GROUPED = [
    ("microaggregation", {"k": 4}),
    ("microaggregation", {"k": 4, "publish": "members"}),
    ("predictive", {"k": 4}),
]


@pytest.mark.parametrize(("name", "given"), GROUPED)
def test_groups_are_not_scored_without_knowing_who_is_who(
    name: str, given: dict[str, object]
) -> None:
    original = random_ratings(80, 30, 0.3)
    release, secret, *_ = method(name, **given).apply(original, Randomness.from_seed(1))
    blind, seeing = audit(original, release), audit(original, release, secret=secret)
    assert blind.attacks
    known = {one.spec: one.figures for one in seeing.attacks}
    for finding in blind.attacks:
        # What is tried on people of a rehearsal, members and outsiders, needs no linkage.
        assert set(finding.figures) <= set(known[finding.spec]), finding.spec
        assert finding.figure("success") is None
        if not finding.figures:
            assert all(
                message in " ".join(finding.notes) for message in ("--secret", "--mapping", name)
            )
    for ours, true in zip(blind.measures, seeing.measures, strict=True):
        assert ours.figures in ((), true.figures), ours.spec
    for ours_line, true_line in zip(blind.policy_results, seeing.policy_results, strict=True):
        assert ours_line.status in ("not measured", true_line.status)
    success = Requirement(attack="bayes-linkage:known=4", figure="success", at_most=1.0)
    assert success.judge(blind).status == "not measured"
