"""Options of the service, declared once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

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

    def tag_within(self, etag: str) -> str:
        """The ETag of an answer within a category: the next service may have another table."""
        return f'{etag[:-1]}-{self._digest_of_categories}"'

    @cached_property
    def _digest_of_categories(self) -> str:
        items = {name: sorted(some) for name, some in self.categories.items()}
        text = json.dumps(items, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
