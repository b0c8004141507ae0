"""Links from a sentence of a page to the entries of its glossary."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

EVERYDAY = frozenset({"attack", "claim", "policy", "release", "sample", "seed"})
"""Terms of the glossary that a reader meets in every sentence: links to them would be noise."""


def anchor(term: str) -> str:
    """The id of a term's entry: ``term-singling-out``."""
    return f"term-{re.sub('[^a-z0-9]+', '-', term.lower()).strip('-')}"


def linked(text: str, glossary: Iterable[tuple[str, str]]) -> Markup:
    """``text`` with the first occurrence of each term linked to its entry in ``glossary``."""
    wanted = {term.lower(): term for term, _ in glossary if term.lower() not in EVERYDAY}
    if not wanted:
        return escape(text)
    longest_first = sorted(map(re.escape, wanted), key=len, reverse=True)
    parts = re.split(rf"\b({'|'.join(longest_first)})\b", text, flags=re.IGNORECASE)
    return Markup("").join(
        _link(part, wanted.pop(part.lower())) if part.lower() in wanted else escape(part)
        for part in parts
    )


def _link(shown: str, term: str) -> Markup:
    return Markup('<a class="term" href="#{}">{}</a>').format(anchor(term), shown)
