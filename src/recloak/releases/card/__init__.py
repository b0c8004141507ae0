"""Card: the page in each release folder that tells its recipient what it is and how to use it."""

from __future__ import annotations

from recloak.releases.card._front_matter import front_matter
from recloak.releases.card._loading import datasets_lines
from recloak.releases.card._page import CARD_NAME, card_of, limits_of, noun_of, verified_lines
from recloak.releases.card.croissant import CROISSANT_NAME, croissant_of

__all__ = [
    "CARD_NAME",
    "CROISSANT_NAME",
    "card_of",
    "croissant_of",
    "datasets_lines",
    "front_matter",
    "limits_of",
    "noun_of",
    "verified_lines",
]
