"""Links the terms of each page to the vocabulary, where the page uses them first.

``python docs/_glossary.py`` writes the links into the pages; a second run changes nothing.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parent
VOCABULARY = "explanation/vocabulary.md"
_ENTRY = re.compile(
    r"^\| (?:<span id=\"[^\"]*\">)?\*\*(?P<term>[^*]+)\*\*(?:</span>)? \|", re.MULTILINE
)
_EVERYDAY = """
attack audit claim comparison component contract dossier evaluation figure finding
guarantee item implicit lists manifest mapping measure member method original policy
ratings release recommender row scale secret seed study trace verdict
"""
EVERYDAY = frozenset(_EVERYDAY.split())
"""Terms that stand in nearly every sentence, or mean what they mean anywhere."""
_APART = re.compile(
    r"(^```.*?^```|^(?:#|\||<|    ).*?$|`[^`]*`|!?\[[^\]]*\]\([^)]*\)|\*\*[^*]*\*\*|<[^>]*>"
    r"|^- [A-Z][^*\n]*: \*[^*]*\*)",
    re.MULTILINE | re.DOTALL,
)
"""What holds no links of ours: code, headings, tables, links, bold words, HTML, cited titles."""


def anchor(term: str) -> str:
    """The id of the entry of ``term``."""
    return term.lower().replace(" ", "-")


@cache
def terms() -> tuple[str, ...]:
    """The terms that are linked, the longest first."""
    text = (DOCS / VOCABULARY).read_text(encoding="utf-8")
    found = (entry["term"] for entry in _ENTRY.finditer(text))
    return tuple(sorted(set(found) - EVERYDAY, key=len, reverse=True))


def with_links(markdown: str, path: str) -> str:
    """The text of the page ``path`` with each term linked once; the vocabulary gets the anchors."""
    if path == VOCABULARY:
        return _ENTRY.sub(_anchored, markdown)
    to = posixpath.relpath(VOCABULARY, posixpath.dirname(path) or ".")
    left = {term for term in terms() if f"]({to}#{anchor(term)})" not in markdown}
    known = "|".join(map(re.escape, terms()))

    def link(match: re.Match[str]) -> str:
        term = match[1].lower()
        if term not in left:
            return match[0]
        left.remove(term)
        return f"[{match[0]}]({to}#{anchor(term)})"

    parts = _APART.split(markdown)
    word = re.compile(rf"(?<![\w-])({known})s?(?![\w-])", re.IGNORECASE)
    return "".join(part if at % 2 else word.sub(link, part) for at, part in enumerate(parts))


def pages() -> list[Path]:
    """The pages that people read from top to bottom: no studies, no generated reference."""
    return sorted(
        path
        for path in DOCS.rglob("*.md")
        if not {"studies", "reference"} & set(path.relative_to(DOCS).parts)
    )


def _anchored(entry: re.Match[str]) -> str:
    return f'| <span id="{anchor(entry["term"])}">**{entry["term"]}**</span> |'


if __name__ == "__main__":
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = with_links(before, page.relative_to(DOCS).as_posix())
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(page.name)
