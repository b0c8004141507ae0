"""Tables of ratings with something wrong in them, for tests that every engine says the same."""

from __future__ import annotations

from typing import Any

import polars as pl

WRONG: dict[str, tuple[dict[str, list[Any]], dict[str, Any], str]] = {
    "off the scale": ({"rating": [3, 9, 4]}, {"scale": "1..5"}, "rating 9"),
    "twice": ({"user": [7, 7, 7], "item": [5, 5, 5]}, {}, "the DataFrame"),
    "no number": ({"rating": [3.0, float("nan"), 4.0]}, {}, "rating nan"),
    "no rating": ({"rating": [3, None, 4]}, {}, "rating None"),
    "no id": ({"user": [1, None, 2]}, {}, "user None"),
    "an id that is no number": ({"user": [1.0, float("nan"), 2.0]}, {}, "user None"),
    "an endless id": ({"item": [1.0, float("inf"), 2.0]}, {}, "item None"),
    "no item": ({"item": [4, None, 6]}, {}, "item None"),
    "endless": ({"rating": [3.0, float("inf"), 4.0]}, {}, "rating inf"),
    "no time": ({"time": [1, None, 2]}, {}, "time None"),
    "no column": ({"item": []}, {}, "the DataFrame"),
}
"""What differs from a table without fault, the options, and what an error names as an example."""


def wrong_table(name: str) -> tuple[pl.DataFrame, dict[str, Any], str]:
    """Three ratings with the fault, the options to read them with, and the example."""
    changed, options, example = WRONG[name]
    columns = {"user": [1, 2, 3], "item": [4, 5, 6], "rating": [3, 4, 5]} | changed
    table = pl.DataFrame({name: column for name, column in columns.items() if column})
    return table, options, example
