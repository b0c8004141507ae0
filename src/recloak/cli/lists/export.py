"""lists export: write published lists as one Parquet or JSON file."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed

USAGE = "DIR --out FILE"
EXAMPLES = """examples:
  recloak lists export lists --out lists.parquet
  recloak lists export lists --out lists.json

Parquet has a row for each slot of each list of each release; JSON has the lists of each release by
item. An empty slot is null in both, and stays in its place."""


def configure(parser: Parser, words: list[str]) -> None:
    """Flags of the action."""
    parser.add_argument("file", nargs="?", metavar="DIR", help="lists that recloak published")
    parser.add_argument("--out", metavar="FILE", help="ends in .parquet or .json; must not exist")


def run(arguments: argparse.Namespace) -> int:
    """Read a folder, write a file."""
    needed(arguments, "file", "--out")
    from pathlib import Path

    from recloak.cli._shared.screen import Screen
    from recloak.core.errors import ParameterError
    from recloak.releases.lists.files import export_history
    from recloak.releases.lists.folder import open_history

    screen = Screen(arguments)
    out = Path(arguments.out)
    if out.suffix not in (".parquet", ".json"):
        raise ParameterError("must end in .parquet or .json", where=f"--out {out}")
    history = open_history(arguments.file)
    export_history(history, out)
    screen.result({"file": str(out), "releases": len(history), "items": len(history.item_labels)})
    screen.say(f"Wrote {out}: {len(history):,} releases of {len(history.item_labels):,} lists")
    return 0
