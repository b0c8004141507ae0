"""Data: small made-up files that all records are made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from tests.unchanged.commands import run

SENSITIVE = "1,2"
NON_SENSITIVE = "3,4,5"


def ratings(name: str = "ratings.csv", users: int = 80, items: int = 50, count: int = 1500) -> str:
    """Ratings with times, as ``recloak simulate`` makes them."""
    size = ("--users", str(users), "--items", str(items), "--ratings", str(count))
    run("simulate", "--like", "ml-100k", *size, "--seed", "7", "--out", name)
    return name


def survey(name: str = "survey.csv") -> str:
    """Answers of a hundred respondents to twenty issues."""
    run("simulate", "--like", "survey", "--users", "100", "--seed", "7", "--out", name)
    return name


def key(name: str = "key") -> str:
    """A file that locks secrets."""
    Path(name).write_bytes(bytes(range(32)))
    return name


def old_and_new(name: str = "ratings.csv") -> tuple[str, str]:
    """The ratings in two files: nine tenths now, one tenth later."""
    rows = pl.read_csv(name)
    late = np.arange(len(rows)) * 7919 % 10 == 3
    rows.filter(~late).write_csv("old.csv")
    rows.filter(late).write_csv("new.csv")
    return "old.csv", "new.csv"


def anonymised(name: str = "ratings.csv") -> tuple[str, str]:
    """What another tool might have made: new ids, one rating in eight left out; and who is who."""
    rows = pl.read_csv(name)
    kept = rows.filter(pl.int_range(pl.len()) * 31 % 8 != 0)
    kept.select(user=pl.col("user") * 37 % 1009 + 5000, item="item", rating="rating").sort(
        "user", "item"
    ).write_csv("anonymised.csv")
    people = rows.select("user").unique().sort("user")
    people.with_columns(pseudonym=pl.col("user") * 37 % 1009 + 5000).write_csv("mapping.csv")
    return "anonymised.csv", "mapping.csv"


def nights(count: int = 3) -> list[str]:
    """A shop's ratings on some nights; each file has those of the file before."""
    rows = pl.read_csv(ratings("shop.csv", users=60, items=14, count=300)).sort("time")
    names = [f"night{number}.csv" for number in range(count)]
    for number, name in enumerate(names):
        rows.head(len(rows) - 15 * (count - 1 - number)).write_csv(name)
    return names
