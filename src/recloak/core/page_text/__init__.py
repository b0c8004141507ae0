"""Text on pages: what none may hold, where long names may break, and how much room tables need."""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import Markup, escape

from recloak.core.page_text._glossary_links import anchor, linked

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
LONGEST_NUMBER = 24
FEW_COLUMNS, SOME_COLUMNS = 3, 5
_AFTER = re.compile("(?<=[:,])(?=[^ ])")


def printable(text: str) -> str:
    """Replace what no file or page may hold: control characters, halves of surrogate pairs."""
    return _UNPRINTABLE.sub("\ufffd", text)


def breakable(text: str) -> Markup:
    """A name such as ``microaggregation:k=5`` that may break after ``:`` and ``,``.

    What a reader copies is the name itself: an invisible space would come along, this does not.
    """
    return Markup("<wbr>").join(map(escape, _AFTER.split(text)))


def kept_whole(text: str) -> str:
    """The class of a cell that must not break: a number with its interval."""
    return "number" if text[:1].isdigit() and len(text) <= LONGEST_NUMBER else ""


def room(columns: int) -> str:
    """The class of a table by how many columns it has: the more, the sooner it lacks room."""
    return (
        "of-few" if columns <= FEW_COLUMNS else "of-some" if columns <= SOME_COLUMNS else "of-many"
    )


FILTERS: dict[str, Callable[..., str]] = {
    "anchor": anchor,
    "breakable": breakable,
    "kept_whole": kept_whole,
    "linked": linked,
    "room": room,
}
"""What templates of all pages may use."""
