"""Categories: which items belong to which, from a table of the shop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from recloak.core.errors import InputError
from recloak.lists.external import read_list_table


def read_categories(path: str | Path) -> Mapping[str, frozenset[str]]:
    """The items of each category, from a CSV or Parquet file with item and category."""
    table = read_list_table(path)
    missing = [name for name in ("item", "category") if name not in table.columns]
    if missing:
        raise InputError(
            f"has no column {', '.join(missing)}",
            where=str(path),
            hint="One row for each item and category it belongs to: item, category.",
        )
    items: dict[str, set[str]] = defaultdict(set)
    for item, category in table.select("item", "category").drop_nulls().iter_rows():
        items[str(category)].add(str(item))
    return {category: frozenset(some) for category, some in items.items()}
