"""Promise: what the literature says of a kind of release, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from recloak.evaluation.formatting import Tone


@dataclass(frozen=True)
class Promise:
    """A promise of the literature on groups, its state as a word and a tone, and the numbers."""

    name: str
    word: str
    tone: Tone
    found: str
