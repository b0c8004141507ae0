"""Folder: a history of lists as it is published, with a manifest and the digests of its files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl

import recloak
from recloak.core.claim import Claim
from recloak.core.errors import InputError
from recloak.core.files import digest_of
from recloak.releases.base import save_cards
from recloak.releases.lists._card import card_of_lists
from recloak.releases.lists.files import describe, from_description, from_table, to_table
from recloak.releases.lists.fractions import fraction_text
from recloak.releases.lists.history import PROMISE, History
from recloak.releases.manifest import Manifest
from recloak.releases.parts import check_files
from recloak.releases.tables import read_table, write_table

KIND = "lists"


def claim_of(history: History) -> Claim | None:
    """The bound that a history promises; None if it promises nothing."""
    if history.delta is None:
        return None
    weaker = {"new_raters_only": True} if history.new_raters_only else {}
    return Claim(
        "delta-bound", {"delta": fraction_text(history.delta), "window": history.window, **weaker}
    )


def save_history(history: History, folder: Path) -> Manifest:
    """Write the lists, cards for the recipient and the manifest into an empty folder.

    Raw lists and what was done to them are not written: they are what is protected.
    """
    write_table(to_table(history), folder / "lists.parquet")
    manifest = _manifest(history, digest_of(folder / "lists.parquet"))
    return save_cards(manifest, card_of_lists(history, manifest), folder)


def open_history(folder: str | Path) -> History:
    """Read a history from its folder; a file that was changed since is refused."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError("there is no such folder", where=str(path))
    manifest = Manifest.read(path)
    if manifest.kind != KIND:
        raise InputError(
            f"holds a release of kind '{manifest.kind}', not lists",
            where=str(path),
            hint="Releases of ratings are verified with 'recloak verify'.",
        )
    check_files(path, manifest)
    try:
        config: dict[str, Any] = manifest.config
        history = from_description(
            config, from_table(read_table(path, "lists"), config["releases"])
        )
    except (pl.exceptions.PolarsError, OSError, KeyError, ValueError, TypeError) as problem:
        raise InputError(f"cannot be read: {problem!r}", where=str(path)) from None
    _refuse_contradiction(history, manifest, path)
    return history


def _refuse_contradiction(history: History, manifest: Manifest, path: Path) -> None:
    """The promise that is verified must be the one that the recipient reads."""
    derived = _manifest(history, digest_of(path / "lists.parquet"))
    for name in ("release_id", "method", "parameters", "claims", "rows", "items", "ratings"):
        if getattr(manifest, name) != getattr(derived, name):
            raise _contradiction(name, path)
    if manifest.config.get("unprotected_releases") != derived.config["unprotected_releases"]:
        raise _contradiction("unprotected_releases", path)


def _contradiction(name: str, path: Path) -> InputError:
    return InputError(
        f"'{name}' in the manifest contradicts the rest of it",
        where=str(path),
        hint="The release was edited; get it again from whoever published it.",
    )


def same_lists(one: History, two: History) -> bool:
    """Do both publish the same, and promise the same?"""
    return describe(one) == describe(two) and _in_order(one).equals(_in_order(two))


def _in_order(history: History) -> pl.DataFrame:
    """What is published, whatever the order in which its items are kept."""
    return to_table(history).sort("release", "item", "slot")


def _manifest(history: History, digest: str) -> Manifest:
    claim = claim_of(history)
    config = describe(history)
    unprotected = sum(not release.protected for release in history.releases)
    return Manifest(
        recloak=recloak.__version__,
        release_id=hashlib.sha256(digest.encode()).hexdigest()[:32],
        kind=KIND,
        method=history.algorithm,
        parameters={key: config[key] for key in ("delta", "window", "new_raters_only")},
        claims=[str(claim)] if claim else [],
        scale="implicit",
        rows=len(history) * len(history.item_labels),
        items=len(history.item_labels),
        ratings=sum(release.lists.n_filled for release in history.releases),
        times="of releases",
        row_ids="original",
        not_for_publication=[] if claim else ["nothing in it is protected"],
        config={**config, "promise": PROMISE if claim else "", "unprotected_releases": unprotected},
    )
