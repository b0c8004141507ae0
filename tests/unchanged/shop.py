"""Shop: related-item lists, replayed and released night after night into a store."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.unchanged import data
from tests.unchanged.audits import plain, report_of
from tests.unchanged.commands import digest, digests, run, shown

ALGORITHMS = ("suppression", "permutation", "constructive")
PASSING = {"published_at", "rotated_at", "digest"}  # moments, and the chain that covers them
SEALED = {"sha256", "content"}  # encrypted, every time otherwise
TABLES = ("store", "releases", "lists", "memory", "rotations")
PROTECTION = ("--delta", "0.3", "--window", "3", "--top", "3")


def replayed() -> dict[str, Any]:
    """A history by each algorithm, then verified, attacked and exported."""
    ratings = data.ratings("shop.csv", users=60, items=14, count=300)
    history = ("--start", "0.4", "--gap", "0.2", "--releases", "2", *PROTECTION)
    made: dict[str, Any] = {}
    for name in ALGORITHMS:
        words = ("lists", "replay", ratings, *history, "--algorithm", name, "--out", name)
        made[name] = {"printed": shown(*words), "files": digests(name)}
        made[name]["verify"] = shown("lists", "verify", name, "--original", ratings)
    made["report"] = report_of("constructive-report")
    made["attack"] = shown("lists", "attack", ratings, "--lists", "constructive")
    output = run("lists", "attack", ratings, "--lists", "constructive", "--json")
    made["attack as JSON"] = plain(json.loads(output))
    made["export"] = _exported("constructive")
    return made


def _exported(folder: str) -> dict[str, str]:
    for name in ("out.json", "out.parquet"):
        run("lists", "export", folder, "--out", name)
    return {name: digest(Path(name).read_bytes()) for name in ("out.json", "out.parquet")}


def released() -> dict[str, Any]:
    """Three nights by two similarities, what the store then holds, and what is asked of it."""
    nights = data.nights()
    made: dict[str, Any] = {}
    for similarity in ("cosine", "jaccard"):
        store = ("--store", f"{similarity}.db")
        Path("shop.key").write_text("11" * 32)
        key = ("--key", "shop.key")
        for number, night in enumerate(nights):
            new = () if number else ("--new",)
            how = (*PROTECTION, "--similarity", similarity, "--most-lost", "100%", *key, *new)
            run("lists", "release", night, *store, *how)
        originals = [word for night in nights for word in ("--original", night)]
        made[similarity] = {
            "verify": _without_digest(shown("lists", "verify", *store, *originals, *key)),
            "show": shown("lists", "show", "1", *store),
            "history": _without_digest(shown("lists", "history", *store)),
            "store": dumped(f"{similarity}.db"),
        }
    return made


def dumped(store: str) -> dict[str, list[Any]]:
    """The rows of a store's tables, in order."""
    with closing(sqlite3.connect(store)) as database:
        return {name: _rows(database, f"recloak_{name}") for name in TABLES}


def _rows(database: sqlite3.Connection, table: str) -> list[Any]:
    order = "1" if table == "recloak_store" else "1, 2"
    answer = database.execute(f"SELECT * FROM {table} ORDER BY {order}")
    names = [column[0] for column in answer.description]
    kept = [place for place, name in enumerate(names) if name not in PASSING | SEALED]
    return [[names[place] for place in kept]] + [
        [_cell(row[place]) for place in kept] for row in answer
    ]


def _cell(value: Any) -> Any:
    return digest(value) if isinstance(value, bytes) else value


def _without_digest(printed: list[str]) -> list[str]:
    return [line for line in printed if "digest" not in line]
