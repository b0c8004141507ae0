"""Choices: what compare and advise say of a small grid, and the files that they leave."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from tests.unchanged import data
from tests.unchanged.audits import page_words, plain
from tests.unchanged.commands import digest, run, shown

GRID = """[[method]]
name = "microaggregation"
k = [3, 8]

[[method]]
name = "gaussian-noise"
sigma = [0.5]

[[method]]
name = "fragmentation"
fragments = [3]
"""


def compared() -> dict[str, Any]:
    """A comparison, read again from its finished trials, and advice from the same trials."""
    Path("grid.toml").write_text(GRID)
    words = (data.ratings(), "--grid", "grid.toml", "--jobs", "1", "--out", "choice")
    result = json.loads(run("compare", *words, "--json"))
    required = ("--require", "success<=0.5")
    return {
        "json": plain(result),
        "printed": shown("compare", *words),
        "table": _table("choice/comparison.csv"),
        "page": page_words(Path("choice/comparison.html").read_text()),
        "trials": sorted(path.name.rpartition("-")[0] for path in Path("choice/trials").iterdir()),
        "advice": shown("advise", *words, *required),
        "advice as JSON": plain(json.loads(Path("choice/advice.json").read_text())),
        "required": Path("choice/required.toml").read_text().splitlines(),
        "nothing does": shown("advise", *words, "--require", "success<=0.00001", code=3),
        "page with advice": page_words(Path("choice/comparison.html").read_text()),
    }


def _table(path: str) -> dict[str, Any]:
    """What the table says beside the values, which stand in the JSON."""
    with Path(path).open(newline="") as file:
        header, *rows = csv.reader(file)
    numbers = {"value", "low", "high"}
    cells = [
        [cell for name, cell in zip(header, row, strict=True) if name not in numbers]
        for row in rows
    ]
    return {"columns": header, "rows": len(rows), "digest of words": digest(json.dumps(cells))}
