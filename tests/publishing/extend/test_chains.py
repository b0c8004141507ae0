"""Extensions of extensions: nothing is lost on the way, and no secret opens another link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.core.errors import SecretError
from recloak.core.ratings import Ratings
from recloak.publishing.extend import extend
from recloak.publishing.published import Published
from recloak.releases.base import open_release
from recloak.releases.secret import Secret
from tests.publishing.extend.samples import (
    KEY,
    by_person,
    by_row,
    secret_of,
)


class Chain:
    """A release and extensions of it, one after the other, each by the secret of the last."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.names = folder, ["r"]

    def grow(self, fresh: Ratings, **options: Any) -> Published:
        name = f"r{len(self.names)}"
        given: dict[str, Any] = {"rows_per_person": 1, "seed": 1, "audited": False, **options}
        given = {"at_least": 1, "lock": KEY, **given}
        given.setdefault("secret", secret_of(self.folder, self.names[-1]))
        given |= {"out": self.folder / name, "keep_secret": self.folder / f"{name}.secret"}
        made = extend(self.folder / self.names[-1], fresh, **given)
        self.names.append(name)
        return made

    def rows(self, name: str) -> dict[int, dict[Any, float]]:
        return by_row(open_release(self.folder / name).as_ratings())


@pytest.fixture
def chain(folder: Path, fresh: Ratings) -> Chain:
    """Three extensions: two with a third of what is new each, the last with all that waits."""
    chain = Chain(folder)
    part = np.random.default_rng(3).integers(0, 3, len(fresh))
    for turn in range(2):
        chain.grow(fresh.keep(part == turn).compact())
    chain.grow(fresh.keep(part == 2).compact(), rows_per_person=0)
    return chain


def test_over_a_chain_rows_keep_their_ids_and_founders_and_nothing_is_lost(
    chain: Chain, whole: Ratings
) -> None:
    links = [chain.rows(name) for name in chain.names]
    assert len(links) == 4
    for at, earlier in enumerate(links):
        for later in links[at + 1 :]:
            assert earlier.keys() <= later.keys()
            assert all(row.items() <= later[name].items() for name, row in earlier.items())
    founders = [_founder_of(secret_of(chain.folder, name)) for name in chain.names]
    assert founders[0].items() < founders[1].items() <= founders[2].items() < founders[3].items()
    last = open_release(chain.folder / chain.names[-1])
    assert by_person(last.as_ratings(), secret_of(chain.folder, chain.names[-1])).equals(
        whole.to_polars().sort("user", "item")
    )
    manifests = [open_release(chain.folder / name).manifest for name in chain.names]
    assert len({one.release_id for one in manifests}) == 4
    named = [one.config["extends"]["release_id"] for one in manifests[1:]]
    assert named == [one.release_id for one in manifests[:-1]]


def _founder_of(secret: Secret) -> dict[int, tuple[Any, Any]]:
    assert secret.founders is not None
    owned = secret.user_labels[secret.owners].tolist()
    founders = zip(owned, secret.founders.tolist(), strict=True)
    return dict(zip(secret.pseudonyms.tolist(), founders, strict=True))


def test_the_secret_of_another_link_is_refused_even_if_it_knows_the_same_rows(
    folder: Path, fresh: Ratings
) -> None:
    """Rows that only grew are the same in both links; what waits is not."""
    chain = Chain(folder)
    known = np.isin(fresh.user_labels, secret_of(folder).user_labels)[fresh.user_codes()]
    owners = secret_of(folder).table()
    person = next(
        name
        for name in fresh.keep(known).compact().user_labels.tolist()
        if owners.filter(pl.col("user") == name).height > 1
    )
    only = fresh.keep(fresh.user_labels[fresh.user_codes()] == person)
    common = only.keep(np.arange(len(only)) == only.item_support[only.items].argmax()).compact()
    chain.grow(common, rows_per_person=0)
    assert chain.rows("r1").keys() == chain.rows("r").keys()
    with pytest.raises(SecretError, match="belongs to release .* not to"):
        chain.grow(fresh, secret=secret_of(folder, "r"))
    assert not (folder / "r2").exists()


def test_the_last_of_a_chain_is_audited_against_each_before(chain: Chain, whole: Ratings) -> None:
    """With the earlier secret and without: rows of the same id are the same rows."""
    *before, last = chain.names
    for earlier, secret in zip(before, (None, secret_of(chain.folder, "r1"), None), strict=True):
        audited = audit(
            whole,
            open_release(chain.folder / last),
            secret=secret_of(chain.folder, last),
            policy=Policy("none", ()),
            previous=open_release(chain.folder / earlier),
            previous_secret=secret,
            attacks=("release-difference:known=8,recent=1",),
            measures=(),
        )
        (found,) = audited.attacks
        there = chain.rows(earlier)
        changed = [name for name, row in chain.rows(last).items() if row != there.get(name)]
        figure = found.figure("changed_rows")
        assert figure is not None
        assert figure.value == pytest.approx(len(changed) / len(chain.rows(last)))
        assert found.figure("linked") is not None
        assert "Of the earlier release" in " ".join(audited.notes)
