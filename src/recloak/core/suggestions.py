"""Suggestions: the nearest known name, for messages about a name that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], quote: str = "'") -> str:
    """A question with the name of ``known`` that is nearest to ``name``; empty if none is near.

    >>> did_you_mean("pubish", ["publish", "audit"])
    "Did you mean 'publish'? "
    """
    from difflib import get_close_matches  # only after a mistake: it takes a while to import

    near = get_close_matches(name, list(known), n=1)
    return f"Did you mean {quote}{near[0]}{quote}? " if near else ""
