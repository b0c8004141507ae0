"""Options of the service, declared once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from recloak.lists.service._shown import ShownDigest


@dataclass(frozen=True)
class ServiceOptions:
    """How the service answers.

    It looks at the store ``every`` so many seconds; answers may be cached for ``max_age`` seconds.
    With ``keys`` a request must carry one of them. ``categories`` are the items of each category.
    ``shown`` is what the workers of one service tell each other.
    """

    every: float = 1.0
    max_age: int = 60
    keys: frozenset[str] = field(default=frozenset(), repr=False)
    categories: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    shown: ShownDigest = field(default_factory=ShownDigest, repr=False, compare=False)

    @property
    def cached(self) -> str:
        """What caches are told; only those of the asker may keep what needs a key."""
        return f"{'private' if self.keys else 'public'}, max-age={self.max_age}"
