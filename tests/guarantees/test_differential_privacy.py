"""Guarantee `differential-privacy`: the account is added up again, not trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recloak.core.randomness import Randomness
from recloak.evaluation.findings import Figure, Finding
from recloak.guarantees import guarantee
from recloak.methods import method
from recloak.releases.base import Release
from recloak.testing import random_ratings

CLAIM = "differential-privacy:epsilon=2,delta=1e-6"


@pytest.fixture(scope="module")
def release() -> Release:
    return method("synthetic", epsilon=2.0).apply(random_ratings(), Randomness.from_seed(1)).release


def edited(release: Release, **changes: Any) -> Release:
    """The release with another last query in its account."""
    account = release.manifest.account
    assert account is not None
    *others, last = account.queries
    changed_account = account.model_copy(
        update={"queries": (*others, last.model_copy(update=changes))}
    )
    manifest = release.manifest.model_copy(update={"account": changed_account})
    return replace(release, manifest=manifest)


def test_what_the_method_wrote_holds_and_no_more(release: Release) -> None:
    verdict = guarantee(CLAIM).check_release(release)
    assert verdict.holds
    assert "Proved by construction" in verdict.how
    for stronger in ("epsilon=1.99,delta=1e-6", "epsilon=2,delta=9e-7"):
        verdict = guarantee(f"differential-privacy:{stronger}").check_release(release)
        assert verdict.status == "broken"
        assert verdict.witness
    assert guarantee("differential-privacy:epsilon=2.1").check_release(release).holds


@pytest.mark.parametrize(
    "changes", [{"sigma": 1e-9}, {"sensitivity": 0.5}, {"name": "another look"}, {"sigma": 3.0}]
)
def test_an_account_that_cannot_be_right_is_broken(
    release: Release, changes: dict[str, Any]
) -> None:
    verdict = guarantee(CLAIM).check_release(edited(release, **changes))
    assert verdict.status == "broken"
    assert verdict.witness


def test_a_table_alone_decides_nothing(release: Release) -> None:
    assert guarantee(CLAIM).check(release.as_ratings()).status == "undecided"
    exact = method("synthetic", floor=3).apply(random_ratings()).release
    assert guarantee(CLAIM).check_release(exact).status == "undecided"


def found(epsilon: float, delta: float = 1e-6) -> Finding:
    figure = Figure("epsilon_at_least", epsilon, epsilon, epsilon, "rating")
    return Finding("attack", "membership", {"delta": delta}, "", "", (figure,), 100, 0)


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        ([found(2.01)], "broken"),
        ([found(0.5), found(3.0)], "broken"),
        ([found(2.0)], "holds"),
        ([found(3.0, delta=1e-7)], "holds"),  # a smaller δ than is claimed refutes nothing
        ([], "holds"),
    ],
)
def test_attacks_refute_what_they_exceed(
    release: Release, findings: list[Finding], status: str
) -> None:
    checker = guarantee(CLAIM)
    verdict = checker.beside_attacks(checker.check_release(release), findings)
    assert verdict.status == status
    assert ("epsilon_at_least" in (verdict.witness or {})) == (status == "broken")
