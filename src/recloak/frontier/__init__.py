"""Frontier: many methods and settings under one protocol, and which of them to choose."""

from __future__ import annotations

from recloak.frontier.advising import Advice, advise
from recloak.frontier.comparing import Comparison, compare

__all__ = ["Advice", "Comparison", "advise", "compare"]
