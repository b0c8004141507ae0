"""Grid files: the settings of a grid as the file that ``--grid`` takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def grid_text(entries: Iterable[tuple[str, Mapping[str, Sequence[Any]]]]) -> str:
    """A grid file: a method on each entry, with the values that are crossed.

    >>> print(grid_text([("microaggregation", {"k": [3, 5]})]), end="")
    [[method]]
    name = "microaggregation"
    k = [3, 5]
    """
    blocks = []
    for name, lists in entries:
        lines = ["[[method]]", f"name = {json.dumps(name)}"]
        lines += [f"{key} = {_values(values)}" for key, values in lists.items()]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _values(values: Sequence[Any]) -> str:
    """Values as TOML, which writes those of JSON in the same way."""
    return f"[{', '.join(json.dumps(value, ensure_ascii=False) for value in values)}]"
