"""Runs the notebooks and keeps what they show: python docs/_notebooks.py, or 'make notebooks'.

Each runs in an empty folder. What a cell shows must hold no path of a machine and no time, so that
running it again changes nothing.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent / "notebooks"
SECONDS = 600
TELLTALE = re.compile(
    r"/(?:tmp|home|root|Users|usr)/|site-packages|\b\d\d:\d\d:\d\d\b|0x[0-9a-f]{6,}|seconds=\d"
)


def run(notebook: Any, folder: Path) -> Any:
    """Execute all cells in ``folder``; a cell that fails stops it."""
    own = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": "0"}
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    client.execute(env=os.environ | own)
    return tidied(notebook)


def tidied(notebook: Any) -> Any:
    """Without what differs from run to run: times, and displays of progress."""
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if not _is_progress(one)]
    return notebook


def _is_progress(output: Any) -> bool:
    """Progress is shown in a display that is empty in the end; a result is never a display."""
    return output.output_type == "display_data"


def telltales(notebook: Any) -> list[str]:
    """Paths and times in what cells show."""
    shown = [str(output) for cell in notebook.cells for output in cell.get("outputs", ())]
    return [found.group() for text in shown for found in TELLTALE.finditer(text)]


def notebooks() -> list[Path]:
    """All notebooks of the documentation."""
    return sorted(FOLDER.glob("*.ipynb"))


def main() -> int:
    """Run all, or those that are named."""
    wanted = sys.argv[1:]
    for path in notebooks():
        if wanted and path.stem not in wanted:
            continue
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            run(notebook, Path(folder))
        if found := telltales(notebook):
            print(f"{path.name} shows what only this machine has: {', '.join(found[:5])}")
            return 1
        nbformat.write(notebook, path)
        print(f"{path.name}: {len(notebook.cells)} cells, {path.stat().st_size >> 10} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
