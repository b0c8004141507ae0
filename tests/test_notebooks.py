"""The notebooks of the documentation: they run, and what they show is small and of no machine."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import nbformat
import pytest

DOCS = Path(__file__).parent.parent / "docs"
if not DOCS.is_dir():
    pytest.skip("this copy comes without the documentation", allow_module_level=True)

NAMES = ("researcher", "steward", "survey-owner")
LARGEST = 100_000  # bytes


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("_notebooks")


def shown(notebook: Any) -> list[list[str]]:
    """What kinds of output the cells have."""
    return [
        sorted(output.get("data", {})) or [output.output_type]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


def test_there_is_one_for_each_role(tool: Any) -> None:
    assert tuple(path.stem for path in tool.notebooks()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_was_run_in_one_go(tool: Any, name: str) -> None:
    path = DOCS / "notebooks" / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(output.output_type == "execute_result" for cell in code for output in cell.outputs)
    assert tool.telltales(notebook) == []
    assert path.stat().st_size < LARGEST


def test_paths_and_times_are_noticed(tool: Any) -> None:
    telling = nbformat.v4.new_output(
        "stream", text="written to /home/me/x at 12:30:45, seconds=0.1"
    )
    cell = nbformat.v4.new_code_cell("1", outputs=[telling])
    assert tool.telltales(nbformat.v4.new_notebook(cells=[cell])) == [
        "/home/",
        "12:30:45",
        "seconds=0",
    ]


def test_one_of_them_runs_and_shows_what_it_showed(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others take longer: 'make notebooks' runs them all."""
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    kept = nbformat.read(DOCS / "notebooks" / "survey-owner.ipynb", as_version=4)
    again = tool.run(nbformat.from_dict(kept.copy()), tmp_path)
    assert shown(again) == shown(kept)
    assert (tmp_path / "release" / "manifest.json").is_file()
