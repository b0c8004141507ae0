"""The list of an item, release by release: what is new, what climbed, which slots are empty."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.core.errors import ParameterError

if TYPE_CHECKING:
    from recloak.releases.lists.history import History

MOST_ITEMS = 500  # that are offered to choose from; others are typed
NEW, CLIMBED, EMPTY, SAME = "new", "climbed", "empty", ""


def list_of_item(folder: Path, item: str) -> dict[str, Any]:
    """What the page of published lists shows, for one item; the liveliest if none is named."""
    from recloak.releases.lists.folder import open_history

    history = open_history(folder)
    labels = [str(label) for label in history.item_labels]
    problem = None
    if item and item not in labels:
        problem, item = ParameterError(f"there is no item called '{item}'"), ""
    code = labels.index(item) if item else _liveliest(history)
    return {
        "problem": problem,
        "item": labels[code] if labels else "",
        "labels": labels[:MOST_ITEMS],
        "top": history.top,
        "facts": _facts(history),
        "rows": _rows(history, code) if labels else [],
    }


def _facts(history: History) -> list[tuple[str, str]]:
    from recloak.releases.lists.folder import claim_of

    return [
        ("Releases", f"{len(history):,}"),
        ("Items", f"{len(history.item_labels):,}"),
        ("Algorithm", history.algorithm),
        ("Promise", str(claim_of(history) or "none")),
    ]


def _liveliest(history: History) -> int:
    """The item whose list changed most."""
    import numpy as np

    slots = [release.lists.widened(history.top) for release in history.releases]
    changes = [
        (now != before).sum(axis=1) * (before >= 0).any(axis=1)  # lists that were there before
        for before, now in pairwise(slots)
    ]
    return int(np.sum(changes, axis=0).argmax()) if changes and len(slots[0]) else 0


def _rows(history: History, code: int) -> list[dict[str, Any]]:
    """For each release the item in every slot, and how that came there."""
    names, before, rows = history.item_labels, None, []
    for release in history.releases:
        slots = [int(one) for one in release.lists.widened(history.top)[code]]
        cells = [
            (str(names[one]) if one >= 0 else "", _mark(one, place, before))
            for place, one in enumerate(slots)
        ]
        state = "protected" if release.protected else "public before"
        rows.append({"label": release.label, "state": state, "cells": cells})
        before = slots
    return rows


def _mark(one: int, place: int, before: Sequence[int] | None) -> str:
    if one < 0:
        return EMPTY
    if before is None:
        return SAME
    if one not in before:
        return NEW
    return CLIMBED if before.index(one) > place else SAME
