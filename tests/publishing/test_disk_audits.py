"""Audits of what the disk engine publishes: of everybody, or of a sample among the rows of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.auditing.policy import Policy, Requirement
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Verdict
from recloak.publishing._disk_audit import SampledPeople
from recloak.publishing.run import publish
from recloak.releases.base import Release
from recloak.releases.grouped import GroupedRelease
from recloak.releases.parts import TableParts
from recloak.releases.secret import Secret
from tests.publishing.on_disk import timed_ratings
from tests.support.block_recipes import RECIPES, SEED
from tests.support.rivals import Guesses, context_of_audit, guesses_among_all, guesses_in_memory


@pytest.fixture(scope="module")
def made() -> Ratings:
    return timed_ratings()


class Stopped(Exception):
    """Raised in the place of an audit."""


def test_the_audit_of_few_people_is_that_of_memory(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Ratings, Release, Secret]] = []

    def caught(original: Ratings, release: Release, *, secret: Secret, **_: Any) -> None:
        asked.append((original, release, secret))
        raise Stopped

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    for engine in ("memory", "disk"):
        with pytest.raises(Stopped):
            publish(
                made, "fragmentation", fragments=3, factors=4, seed=SEED, engine=engine,
                out=tmp_path / "r",
            )  # fmt: skip
    assert asked[1][0].equals(asked[0][0])
    assert asked[1][1].as_ratings().equals(asked[0][1].as_ratings())
    one, other = asked[0][2], asked[1][2]
    assert one.table().equals(other.table())
    assert one.founders is not None
    assert one.founders.tolist() == (other.founders if other.founders is not None else []).tolist()
    users, items = np.divmod(np.arange(made.n_users * made.n_items), made.n_items)
    assert one.chooser is not None
    assert other.chooser is not None
    assert one.chooser(users, items).tolist() == other.chooser(users, items).tolist()
    assert list(tmp_path.iterdir()) == []


def test_of_many_people_a_sample_is_audited_and_the_report_says_so(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    done = publish(made, "gaussian-noise", out=tmp_path / "r", engine="disk", seed=SEED)
    assert done.audit is not None
    assert done.audit.original["users"] < made.n_users
    assert done.audit.release["rows"] == made.n_users
    assert any("Audited on a random sample: " in note for note in done.audit.notes)
    assert any("overstate their success" in note for note in done.audit.notes)
    sought = {one.name for one in done.audit.attacks if any("among all" in x for x in one.notes)}
    assert sought == {"scoreboard", "scoreboard-rh", "bayes-linkage"}
    assert done.report is not None
    assert "Audited on a random sample: " in done.report.read_text()
    assert f"among all {made.n_users} rows" in done.report.read_text()


@pytest.mark.parametrize("recipe", ["pseudonymize", "gaussian", "so many fragments"])
def test_people_of_the_sample_are_sought_among_all_rows_as_in_memory(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """The guess of every try is that of memory, however rows are put into parts and blocks."""
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    monkeypatch.setattr(TableParts, "ratings_per_part", 900)
    monkeypatch.setattr("recloak.publishing._all_rows.RATINGS_AT_A_TIME", 250)
    name, parameters = RECIPES[recipe]
    bayes = name != "fragmentation"
    contexts: list[AuditContext] = []
    guesses: list[Guesses] = []

    def caught(original: Ratings, release: Release, **given: Any) -> None:
        context = context_of_audit(original, release, given["secret"], given["everyone"])
        contexts.append(context)
        if context.everyone is not None:
            guesses.append(guesses_among_all(context, bayes=bayes))
        raise Stopped

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    for engine in ("memory", "disk"):
        with pytest.raises(Stopped):
            publish(made, name, out=tmp_path / "r", engine=engine, seed=SEED, **parameters)
    whole, part = contexts
    assert whole.everyone is None
    assert part.original.n_users < whole.original.n_users
    expected = guesses_in_memory(whole, part, bayes=bayes)
    assert guesses[0].keys() == expected.keys()
    for one, columns in expected.items():
        for here, there in zip(guesses[0][one], columns, strict=True):
            assert here == pytest.approx(there)


@pytest.fixture
def audited(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Ratings, Release, Secret]]:
    """What the audit of a sample of a release on disk is given."""
    asked: list[tuple[Ratings, Release, Secret]] = []

    def caught(original: Ratings, release: Release, *, secret: Secret, **_: Any) -> None:
        asked.append((original, release, secret))
        raise Stopped

    def publish_on_disk(method: str, **given: Any) -> tuple[Ratings, Release, Secret]:
        with pytest.raises(Stopped):
            publish(made, method, out=tmp_path / "r", engine="disk", seed=SEED, **given)
        return asked[-1]

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    return publish_on_disk


def test_of_many_groups_some_are_audited_with_all_members(
    made: Ratings, audited: Callable[..., tuple[Ratings, Release, Secret]]
) -> None:
    for publish_as in ("sizes", "members"):
        original, release, secret = audited(
            "microaggregation",
            clustering="binned",
            k=4,
            publish=publish_as,
            imputation="global-mean",  # which no mean of a few is, so that all cells are listed
        )
        assert isinstance(release, GroupedRelease)
        assert 0 < original.n_ratings <= 1500
        assert int(release.sizes.sum()) == original.n_users < made.n_users
        linkage, rows = secret.linkage(original, release.as_ratings()), release.as_ratings()
        assert len(linkage.linked) == original.n_users
        for person in range(original.n_users):  # a profile lists all that any member rated
            shared = set(rows.row(int(linkage.first_row(np.array([person]))[0]))[0].tolist())
            assert set(original.row(person)[0].tolist()) <= shared


def test_of_many_people_made_up_rows_are_sampled_too(
    audited: Callable[..., tuple[Ratings, Release, Secret]],
) -> None:
    original, release, secret = audited("synthetic", epsilon=40.0, rank=2)
    assert 0 < original.n_ratings <= 1500
    assert release.made_up
    assert 1000 < release.as_ratings().n_ratings < 2000 < release.manifest.ratings
    assert secret.linkage(original, release.as_ratings()).is_of_nobody


def test_claims_of_a_policy_are_checked_on_all_rows_or_not_at_all(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a claim holds of a sample says nothing of the others."""
    asked: list[Sequence[Verdict]] = []

    def caught(*_: Any, verdicts: Sequence[Verdict], **__: Any) -> None:
        asked.append(verdicts)
        raise Stopped

    monkeypatch.setattr("recloak.publishing._publication.audit", caught)
    monkeypatch.setattr(SampledPeople, "most_ratings", 1500)
    lines = [Requirement(claim=claim) for claim in ("k-anonymity:k=2", "km-anonymity:k=2,m=2")]
    policy = Policy(title="claims", requirements=tuple(lines))
    with pytest.raises(Stopped):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk", policy=policy)
    compared, other = asked[0]
    assert compared.status == "broken"
    assert f"All {made.n_users} rows were compared by 128-bit fingerprints" in compared.how
    assert other.status == "undecided"
    assert "all rows at once" in other.how
