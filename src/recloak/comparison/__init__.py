"""Comparison: many methods and settings under one protocol, and which of them to choose."""

from __future__ import annotations

from recloak.comparison.advising import Advice, advise
from recloak.comparison.run import Comparison, compare

__all__ = ["Advice", "Comparison", "advise", "compare"]
