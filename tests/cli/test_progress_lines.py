"""Progress for a program: every line tells all, and the end of the file is enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recloak.cli._shared import progress_lines
from recloak.cli._shared.progress_lines import ProgressLines


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_task_is_told_of_when_it_begins_and_ends(tmp_path: Path) -> None:
    lines = ProgressLines(str(tmp_path / "p"))
    with lines.task("Attacks", 3) as task:
        task.advance(2)
    first, *_, last = events(tmp_path / "p")
    assert (first["label"], first["total"], first["done"], first["ended"]) == (
        "Attacks", 3, 0, False
    )  # fmt: skip
    assert (last["done"], last["ended"]) == (2, True)
    assert first["began"] == last["began"] > 0


def test_what_others_are_a_part_of_is_told_of_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_lines, "SECONDS_OF_SILENCE", 0.0)
    lines = ProgressLines(str(tmp_path / "p"))
    with lines.task("Attacks", 9):
        for _ in range(5):
            with lines.task("Counting"):
                pass
        assert events(tmp_path / "p")[-1]["label"] == "Attacks"
    assert events(tmp_path / "p")[-1]["ended"]


def test_a_file_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    with ProgressLines(str(tmp_path / "none" / "p")).task("Attacks", 1) as task:
        task.advance()
