"""Files: a history of lists as a Parquet table or as JSON, with every empty slot in its place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Labels
from recloak.core.errors import InputError
from recloak.core.files import open_whole
from recloak.core.frames import label_series
from recloak.releases._json_text import parse_json
from recloak.releases.lists.fractions import fraction_of, fraction_text
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import EMPTY, Lists

TABLE_COLUMNS = ("release", "item", "slot", "related")


def to_table(history: History) -> pl.DataFrame:
    """A row for each slot of each list of each release, counted from 1; null where it is empty."""
    names = label_series(history.item_labels)
    parts = []
    for release in history.releases:
        n_items, top = release.lists.slots.shape
        related = pl.Series(release.lists.slots.reshape(-1), dtype=pl.Int32)
        parts.append(
            pl.DataFrame(
                {
                    "release": pl.repeat(release.label, n_items * top, eager=True),
                    "item": names.gather(np.repeat(np.arange(n_items), top)),
                    "slot": np.tile(np.arange(1, top + 1, dtype=np.int32), n_items),
                    "related": names.gather(related.replace({EMPTY: None})),
                }
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame(schema=dict.fromkeys(TABLE_COLUMNS))


def from_table(table: pl.DataFrame, facts: Iterable[dict[str, Any]]) -> tuple[DatedLists, ...]:
    """The inverse of `to_table`; ``facts`` are `described` of each release."""
    missing = [name for name in TABLE_COLUMNS if name not in table.columns]
    if missing:
        raise InputError(f"the table of lists has no column {', '.join(missing)}")
    items = table["item"].unique().sort()
    labels: Labels = (
        items.to_numpy() if items.dtype.is_integer() else np.array(items.to_list(), dtype=object)
    )
    code_of = {label: code for code, label in enumerate(items.to_list())}
    parts = table.partition_by("release", as_dict=True, maintain_order=True)
    releases = tuple(_release(parts, fact, code_of, labels) for fact in facts)
    for (label,) in set(parts) - {(release.label,) for release in releases}:
        raise InputError(
            "is in the table of lists, but not in the manifest", where=f"release '{label}'"
        )
    return releases


def _release(
    parts: dict[tuple[Any, ...], pl.DataFrame],
    fact: dict[str, Any],
    code_of: dict[Any, int],
    labels: Labels,
) -> DatedLists:
    part = parts.get((fact["label"],))
    if part is None:
        raise InputError("is not in the table of lists", where=f"release '{fact['label']}'")
    known = {**code_of, None: EMPTY}
    try:
        items = np.array([code_of[label] for label in part["item"]], dtype=np.int64)
        related = np.array([known[label] for label in part["related"]], dtype=np.int32)
        places = part["slot"].cast(pl.Int64).to_numpy() - 1
    except (KeyError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"cannot be read: {problem}", where=f"release '{fact['label']}'") from None
    if not len(places) or places.min() < 0 or len(set(zip(items, places, strict=True))) < len(part):
        raise InputError("has a slot twice or below 1", where=f"release '{fact['label']}'")
    if len(places) != len(labels) * (int(places.max()) + 1):
        raise InputError("lacks slots of some lists", where=f"release '{fact['label']}'")
    slots = np.full((len(labels), int(places.max()) + 1), EMPTY, np.int32)
    slots[items, places] = related
    return DatedLists(
        str(fact["label"]),
        int(fact["ratings"]),
        Lists(slots, labels),
        bool(fact["protected"]),
        fact.get("time"),
    )


def describe(history: History) -> dict[str, Any]:
    """What a history promises, and its releases without their lists: plain JSON types."""
    return {
        "algorithm": history.algorithm,
        "delta": None if history.delta is None else fraction_text(history.delta),
        "window": history.window,
        "new_raters_only": history.new_raters_only,
        "releases": [
            {
                "label": release.label,
                "ratings": release.n_ratings,
                "time": release.time,
                "protected": release.protected,
            }
            for release in history.releases
        ],
    }


def from_description(description: dict[str, Any], releases: tuple[DatedLists, ...]) -> History:
    """The inverse of `described`, with the lists."""
    delta: Fraction | None = (
        None if description["delta"] is None else fraction_of(description["delta"])
    )
    return History(
        releases,
        int(description["window"]),
        delta,
        bool(description["new_raters_only"]),
        str(description["algorithm"]),
    )


def to_json(history: History) -> str:
    """One object: what is promised, and each release with its lists by item."""
    description = describe(history)
    names = [_plain(label) for label in history.item_labels]
    description["items"] = names
    for fact, release in zip(description["releases"], history.releases, strict=True):
        fact["lists"] = [
            [None if entry == EMPTY else names[entry] for entry in row]
            for row in release.lists.slots.tolist()
        ]
    return json.dumps(description, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str, where: str = "lists") -> History:
    """The inverse of `to_json`."""
    try:
        description = parse_json(text)
        names = description["items"]
        code_of = {label: code for code, label in enumerate(names)}
        kind: Any = np.int64 if all(isinstance(name, int) for name in names) else object
        labels = np.array(names, dtype=kind)
        releases = []
        for fact in description["releases"]:
            rows = [[code_of[x] if x is not None else EMPTY for x in row] for row in fact["lists"]]
            lists = Lists(np.array(rows, dtype=np.int32).reshape(len(names), -1), labels)
            releases.append(
                DatedLists(
                    fact["label"],
                    int(fact["ratings"]),
                    lists,
                    bool(fact["protected"]),
                    fact["time"],
                )
            )
        return from_description(description, tuple(releases))
    except (ValueError, KeyError, TypeError) as problem:
        raise InputError(f"is not a history of lists: {problem!r}", where=where) from None


def export_history(history: History, path: str | Path, *, overwrite: bool = False) -> None:
    """Write ``path`` as JSON if it is called so, else as a Parquet table."""
    place = Path(path)
    with open_whole(place, overwrite=overwrite) as file:
        if place.suffix == ".json":
            file.write(to_json(history).encode())
        else:
            to_table(history).write_parquet(file, compression="zstd", statistics=False)


def _plain(label: Any) -> Any:
    return int(label) if isinstance(label, int | np.integer) else str(label)
