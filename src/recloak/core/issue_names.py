"""Names of issues in one word, as flags, claims and manifests have them."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote

_BETWEEN = "+"


def names_in(text: str) -> list[str]:
    """The names in the written form of a list: what `joined` wrote, or with commas between.

    >>> names_in("income, age+votes%2B")
    ['income', 'age', 'votes+']
    """
    parts = text.replace(",", _BETWEEN).split(_BETWEEN)
    return [unquote(part.strip()) for part in parts if part.strip()]


def joined(names: Iterable[str]) -> str:
    """Names in one word, as a claim or a manifest has them; signs with a meaning are escaped.

    >>> joined(["income", "votes+"])
    'income+votes%2B'
    """
    return _BETWEEN.join(quote(name, safe=" -_.()'?!/") for name in names)
