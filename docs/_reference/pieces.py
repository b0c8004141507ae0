"""Pieces of Markdown that the reference pages are put together from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any

NOTE = "*This page is generated from the code by `make docs`. To change it, change the code.*"
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w, ]*)\n((?: {4}.*\n?)+)", re.MULTILINE)


def page(title: str, *parts: str) -> str:
    """A page with its title and the note that it is generated."""
    return "\n\n".join([f"# {title}", NOTE, *filter(None, parts)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars inside cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def block(text: str, language: str = "text") -> str:
    """Text as it is."""
    return f"```{language}\n{text.rstrip()}\n```"


def docstring(owner: Any) -> str:
    """What the code says about itself: sections become lists, examples stay behind."""
    text = inspect.cleandoc(owner.__doc__ or "").partition("\n>>>")[0] + "\n"
    text = _SECTION.sub(r"**\1**\n\n", text)
    return _ENTRY.sub(_listed, text).strip()


def _listed(entry: re.Match[str]) -> str:
    return f"- `{entry[1]}`: {' '.join(entry[2].split())}\n"
