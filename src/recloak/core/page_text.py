"""Text on pages: what none may hold, and where long names may break."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_AFTER = re.compile("(?<=[:,])(?=[^ ])")


def printable(text: str) -> str:
    """Replace what no file or page may hold: control characters, halves of surrogate pairs."""
    return _UNPRINTABLE.sub("\ufffd", text)


def breakable(text: str) -> Markup:
    """A name such as ``microaggregation:k=5`` that may break after ``:`` and ``,``.

    What a reader copies is the name itself: an invisible space would come along, this does not.
    """
    return Markup("<wbr>").join(map(escape, _AFTER.split(text)))
