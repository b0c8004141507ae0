"""Reports on disk: a page and the same numbers as JSON, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.core.errors import ParameterError
from recloak.evaluation.findings import Audit
from recloak.report import render_html, render_json, rendering, write_report


def _normal(value: Any) -> Any:
    """As JSON would give it back."""
    if isinstance(value, dict):
        return {key: _normal(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_normal(part) for part in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value.replace("\ud800", "?") if isinstance(value, str) else value


def test_json_holds_the_whole_audit(any_audit: Audit) -> None:
    document = json.loads(render_json(any_audit))
    assert ("not_looked_at" in document) == bool(any_audit.policy_results)
    document.pop("not_looked_at", None)
    assert document == _normal(any_audit.to_dict())


def test_json_is_strict_and_the_same_each_time(hostile: Audit) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    text = render_json(hostile)
    json.loads(text, parse_constant=refuse)
    text.encode()
    assert text == render_json(hostile)


def test_json_takes_what_numpy_gives(minimal: Audit) -> None:
    facts = {
        "rows": np.int64(3),
        "mean": np.float32(0.5),
        "counts": np.arange(3),
        "done": np.bool_(True),
        "folder": Path("a"),
        "kinds": {"b", "a"},
    }
    content = json.loads(render_json(replace(minimal, release=facts)))["release"]
    assert content == {
        "rows": 3,
        "mean": 0.5,
        "counts": [0, 1, 2],
        "done": True,
        "folder": "a",
        "kinds": ["a", "b"],
    }


def test_both_files_are_written(full: Audit, tmp_path: Path) -> None:
    page, numbers = write_report(full, tmp_path / "report.html")
    assert page.read_text(encoding="utf-8") == render_html(full)
    assert numbers == tmp_path / "report.json"
    assert numbers.read_text(encoding="utf-8") == render_json(full)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


@pytest.mark.parametrize("there", ["report.html", "report.json"])
def test_an_existing_file_is_refused_and_nothing_is_written(
    full: Audit, tmp_path: Path, there: str
) -> None:
    (tmp_path / there).write_text("mine")
    with pytest.raises(ParameterError, match="exists already"):
        write_report(full, tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "mine"


def test_overwriting_is_possible_on_purpose(full: Audit, minimal: Audit, tmp_path: Path) -> None:
    write_report(full, tmp_path / "report.html")
    page, _ = write_report(minimal, tmp_path / "report.html", overwrite=True)
    assert page.read_text(encoding="utf-8") == render_html(minimal)


def test_a_failing_page_leaves_nothing(
    full: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(audit: Audit) -> str:
        raise RuntimeError("no page")

    monkeypatch.setattr(rendering, "render_html", fail)
    with pytest.raises(RuntimeError):
        write_report(full, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_the_name_decides_where_the_numbers_go(minimal: Audit, tmp_path: Path) -> None:
    assert write_report(minimal, tmp_path / "a.HTM")[1].name == "a.json"
    assert write_report(minimal, tmp_path / "b.v2")[1].name == "b.v2.json"
    with pytest.raises(ParameterError, match="JSON"):
        write_report(minimal, tmp_path / "c.json")


def test_a_missing_folder_is_named(minimal: Audit, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="does not exist"):
        write_report(minimal, tmp_path / "nowhere" / "report.html")
