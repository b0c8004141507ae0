"""What the documentation says that commands tell is what they tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs_console import DOCS, Shown, pages, rewritten, run_page, unfounded, write_page

if not DOCS.is_dir():
    pytest.skip("this copy comes without the documentation", allow_module_level=True)


SLOW = ("tutorial-survey.md",)  # more than a minute: make test-slow


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW)) for page in pages()],
    ids=lambda page: str(page.relative_to(DOCS)),
)
def test_a_page_shows_what_its_commands_tell(page: Path) -> None:
    every = [shown for block in run_page(page) for shown in block]
    for shown in every:
        printed = "\n".join([f"$ {shown.command}", *shown.printed])
        assert shown.holds, f"{printed}\nIf that is right: python -m tests.docs_console --write"
    text = "\n".join(line for shown in every for line in shown.printed)
    assert unfounded(page, text) == [], "percentages in the text that no command tells"


def test_what_differs_is_found_and_what_is_left_out_is_not() -> None:
    printed = ["one 1", "two 2", "three d9c3 3"]
    assert Shown("x", ["one 1", "…", "three … 3"], printed).holds
    assert not Shown("x", ["one 1", "three … 3"], printed).holds
    assert not Shown("x", ["one 7", "…"], printed).holds
    assert not Shown("x", ["one 1", "two 2"], printed).holds


def test_what_is_shortened_stays_shortened_when_written_anew() -> None:
    printed = ["one 1", "two 2", "three d9c3 3", "four 4", "five 5"]
    shown = Shown("x", ["one 7", "…", "three … 3", "five 6"], printed)
    assert rewritten(shown) == ["one 1", "…", "three … 3", "four 4", "five 5"]


def test_percentages_in_the_text_are_looked_up(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Of all 4.7 % are found, not 5.1 %.\n\n```text\n9.9 %\n```\n", encoding="utf-8")
    assert unfounded(page, "found 4.7% (3.5%–6.2%)") == ["5.1"]


def test_a_page_is_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    shown = "$ recloak methods identity\n…\n$ recloak inspect none.csv\nnonsense\n"
    page.write_text(f"<!-- first: true -->\n\n```console\n{shown}```\n\nMore.\n", encoding="utf-8")
    assert write_page(page)
    text = page.read_text(encoding="utf-8")
    assert "nonsense" not in text
    assert "recloak: none.csv" in text
    assert text.endswith("\n```\n\nMore.\n")
    assert not write_page(page)
