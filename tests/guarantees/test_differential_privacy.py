"""Guarantee `differential-privacy`: the account is added up again, not trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recloak.core.randomness import Randomness
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
    told = account.model_copy(update={"queries": (*others, last.model_copy(update=changes))})
    manifest = release.manifest.model_copy(update={"account": told})
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
