"""Pages of the notebooks: their texts, code and what they showed when they were last run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from _reference.pieces import block

FOLDER = Path(__file__).parents[1] / "notebooks"
PREFIX = "notebook-"


def notebook_pages() -> dict[str, str]:
    """File name and text of a page for each notebook."""
    return {f"{PREFIX}{path.stem}.md": _page(path) for path in sorted(FOLDER.glob("*.ipynb"))}


def _page(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    note = (
        f"*A notebook as it was run by `make notebooks`: [{path.name}](../notebooks/{path.name}) "
        "to run it yourself.*"
    )
    first, *others = ["\n\n".join(_parts(cell)) for cell in cells]
    title, _, rest = first.partition("\n")
    return "\n\n".join([title, note, rest.strip(), *others]) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [text]
    return [block(text, "python"), *map(_shown, cell["outputs"])]


def _shown(output: dict[str, Any]) -> str:
    """An output as HTML in one line, which Markdown leaves alone, or as text."""
    data = output.get("data", {})
    if "text/html" in data:
        lines = "".join(data["text/html"]).splitlines()
        return f'<div class="output">{" ".join(line.strip() for line in lines)}</div>'
    return block("".join(data.get("text/plain") or output.get("text", "")))
