"""The card of a release: true, complete for every kind, and without anything that re-links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.verification import verify
from recloak.core.ratings import Ratings
from recloak.guarantees import GUARANTEES
from recloak.lists.replay import replay
from recloak.methods import METHODS, method
from recloak.publishing.run import publish
from recloak.releases.base import open_release, save_release
from recloak.releases.card.meanings import left_open, meaning_of
from recloak.releases.lists.folder import open_history, save_history
from recloak.releases.manifest import Manifest
from recloak.testing import random_ratings
from tests.lists.samples import timed_ratings
from tests.releases.card.samples import KINDS, SEED, card, code_under, published, run, section_of

SECTIONS = ["What it is", "How it was made", "What was verified", "Limits", "How to load it"]
LIBRARIES = ["Hugging Face datasets", "LensKit", "Surprise", "implicit", "RecBole"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_card_that_verifies_and_loads(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = published(kind, tmp_path)
    text = card(folder)
    assert re.findall(r"^## (.*)", text, re.M) == SECTIONS
    assert re.findall(r"^### (.*)", text, re.M) == LIBRARIES
    assert {"README.md", "croissant.json"} <= set(Manifest.read(folder).files)
    assert all(verdict.holds for verdict in verify(folder))
    with_recloak, without = code_under(text, "How to load it")
    expected = open_release(folder).as_ratings()
    table = run([without], folder, monkeypatch)["table"]
    assert len(table) == expected.n_ratings
    assert table["user"].nunique() == (expected.user_counts > 0).sum()
    assert sorted(map(str, table["item"].unique())) == sorted(
        str(expected.item_labels[item]) for item in set(expected.items.tolist())
    )
    if not expected.scale.implicit:
        assert sorted(table["rating"]) == pytest.approx(sorted(expected.values.tolist()))
    assert run([with_recloak], folder, monkeypatch)["ratings"].equals(expected)
    open_release(folder)  # nothing was written there


@pytest.mark.parametrize("kind", ["fragments", "groups", "disassociated", "survey"])
def test_no_seed_reaches_a_card(kind: str, tmp_path: Path) -> None:
    folder = published(kind, tmp_path, seed=SEED)
    text = card(folder)
    assert SEED.removeprefix("0x") not in text.lower()
    assert str(int(SEED, 16)) not in text
    assert "too long to be guessed; it is told nowhere" in text


def test_a_release_not_for_publication_says_so_first(tmp_path: Path) -> None:
    text = card(published("text", tmp_path, seed=7))
    assert "**Not for publication:**" in text.split("## What it is")[0]
    assert "made under a short seed" in text
    assert "too long to be guessed" not in text


@pytest.mark.parametrize(
    ("keep", "message"), [(False, "was destroyed by"), (True, "can link the rows to people")]
)
def test_what_became_of_the_secret(keep: bool, message: str, tmp_path: Path) -> None:
    split = {"split_secret": tmp_path / "wallets"} if keep else {}
    assert message in card(published("fragments", tmp_path, **split))


def test_only_what_was_done_is_said_to_have_been_verified(tmp_path: Path, small: Ratings) -> None:
    unaudited = card(published("groups", tmp_path))
    assert "No attack was tried on it; no policy had to be met." in unaudited
    assert "the claims were checked on what was read" in unaudited
    unclaimed = card(published("text", tmp_path))
    assert "claims were checked" not in unclaimed
    assert "Formal claims: none." in unclaimed
    assert "nothing here shows that people cannot be found" in unclaimed
    by_hand = tmp_path / "by-hand"
    by_hand.mkdir()
    save_release(method("microaggregation", k=4).apply(small).release, by_hand)
    assert "before the folder appeared" not in card(by_hand)


def test_a_survey_is_counted_in_answers_and_had_no_times_to_drop(tmp_path: Path) -> None:
    folder = published("survey", tmp_path)
    what, limits = (section_of(card(folder), name) for name in ("What it is", "Limits"))
    manifest = Manifest.read(folder)
    assert f"{manifest.ratings:,} answers to {manifest.items:,} issues" in what
    assert "No times are published." in what
    assert "dropped" not in what
    assert "rated" not in limits
    described = (folder / "croissant.json").read_text()
    assert f"{manifest.ratings:,} answers to" in described


def test_an_audit_is_told_without_its_figures(tmp_path: Path) -> None:
    made = publish(random_ratings(30, 20, 0.3), "pseudonymize", out=tmp_path / "release")
    text = card(tmp_path / "release")
    assert "That an audit was made does not mean that no attack succeeded" in text
    assert made.audit is not None
    figures = {figure.shown() for found in made.audit.attacks for figure in found.figures}
    assert not any(shown in text for shown in figures if "(" in shown)


def test_each_claim_is_told_with_what_it_leaves_open(tmp_path: Path) -> None:
    folder = published("disassociated", tmp_path)
    (claim,) = Manifest.read(folder).claims
    verified, limits = card(folder).split("## What was verified")[1].split("## Limits")
    known = meaning_of(claim.partition(":")[0])
    assert known is not None
    assert known.says in verified
    assert f"`{claim}`: {left_open(claim)}" in limits


def test_every_guarantee_has_a_meaning_and_others_are_not_embellished() -> None:
    assert all(meaning_of(name) for name in GUARANTEES.names())
    assert meaning_of("somebody-elses") is None
    assert left_open("somebody-elses:k=1").endswith("and no further.")


def test_names_of_issues_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    names = ["```", "# Verified by nobody", "a\nb", "c", "d"]
    cells = [(row, name, 1 + row % 3) for row in range(12) for name in names]
    users, items, values = zip(*cells, strict=True)
    ratings = Ratings.from_columns(users, items, values, scale="1..5")
    sensitive = "# Verified by nobody"
    publish(
        ratings, "proximity", out=tmp_path / "out", audited=False, k=2, sensitive=sensitive, l=0
    )
    text = card(tmp_path / "out")
    assert re.findall(r"^## (.*)", text, re.M) == SECTIONS
    assert len(re.findall(r"^```", text, re.M)) % 2 == 0
    assert not re.search(r"^# Verified", text, re.M)


def test_lists_have_a_card_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = timed_ratings(1)
    settings = {"start": "0.5", "gap": "0.25", "window": 3, "top": 3, "delta": "0.5"}
    history = replay(ratings, "constructive", **settings)
    save_history(history, tmp_path)
    text = card(tmp_path)
    assert re.findall(r"^## (.*)", text, re.M) == SECTIONS
    assert left_open("delta-bound:delta=0.5") in text
    (loading,) = code_under(text, "How to load it")
    related = run([loading], tmp_path, monkeypatch)["related"]
    latest = history.releases[-1].lists
    assert sum(map(len, related)) == latest.n_filled
    assert open_history(tmp_path).top == 3


def test_an_edited_card_is_found(tmp_path: Path) -> None:
    folder = published("text", tmp_path)
    assert all(verdict.holds for verdict in scan_for_leaks(folder, METHODS))
    path = folder / "README.md"
    path.write_text(path.read_text() + "\nSafe for all.\n")
    with pytest.raises(Exception, match="does not match its digest"):
        verify(folder)
