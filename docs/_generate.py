"""Writes the reference pages from the code, so that they cannot go stale: python docs/_generate.py.

They go into docs/reference, or into the folder that is given.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from _reference.command_line import cli_page
from _reference.declared import exit_codes_page, manifest_page, policy_page, traces_page
from _reference.names import python_page
from _reference.notebooks import notebook_pages
from _reference.registered import family_pages, formats_page


def pages() -> dict[str, str]:
    """File name and text of every generated page."""
    return {
        "cli.md": cli_page(),
        **family_pages(),
        "formats.md": formats_page(),
        "exit-codes.md": exit_codes_page(),
        "manifest.md": manifest_page(),
        "policy.md": policy_page(),
        "traces.md": traces_page(),
        "python.md": python_page(),
        **notebook_pages(),
    }


def generate(folder: Path) -> list[Path]:
    """Write all pages into ``folder``; what stood there before is removed."""
    written = pages()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in written]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "reference"
    print(f"{len(generate(target))} reference pages in {target.name}/")
