"""Claim: a guarantee's name and parameters, as a manifest states it and a verifier checks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recloak.core.parameters import format_spec, parse_spec


@dataclass(frozen=True)
class Claim:
    """One formal promise, written ``k-anonymity:k=5``."""

    guarantee: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Claim:
        """Read the written form."""
        return cls(*parse_spec(text))

    def __str__(self) -> str:
        return format_spec(self.guarantee, self.parameters)
